package yield

import "isochron/txn"

// Queued lists the requests that wait, by their holders.
func (t *Table) Queued() []*Waiter {
	var out []*Waiter
	for _, h := range t.Holders() {
		out = append(out, h.waiters...)
	}
	return out
}

// On is the holder that a request waits for; nil if it does not wait any more.
func (w *Waiter) On() *Holder { return w.on }

// Meets is a key at which the claim meets what is held, "" if there is none.
func (h *Holder) Meets(c Claim) txn.Key {
	if h == nil {
		return ""
	}
	for _, keys := range [][]txn.Key{c.Exclusive, c.Shared} {
		for _, k := range keys {
			if _, held := h.keys[k]; held {
				return k
			}
		}
	}
	for _, s := range h.spans {
		for _, k := range c.Exclusive {
			if s.Contains(k) {
				return k
			}
		}
	}
	var first txn.Key
	for k := range h.keys { // order: the least is taken
		for _, s := range c.Spans {
			if s.Contains(k) && (first == "" || k < first) {
				first = k
			}
		}
	}
	return first
}
