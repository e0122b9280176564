package estimate

import (
	"time"

	"isochron/txn"
)

// Records are the records that a part of a transaction accesses. Of a scan the known records
// count, from its start up to its limit. A key is one record at one
// place: for a table stored at several places the caller puts the place before the key.
type Records struct {
	Keys  []txn.Key
	Scans []txn.Scan
}

// Forecast is the prediction for parts that are not admitted yet.
type Forecast struct {
	Latency time.Duration // of the work at its place, lock waits included (Eq. 5), scaled
	Granted float64       // the chance that all its locks are granted: the product of Eq. 9
}

// And combines parts at several places: the larger latency, and the chance that
// all are granted.
func (f Forecast) And(o Forecast) Forecast {
	return Forecast{Latency: max(f.Latency, o.Latency), Granted: f.Granted * o.Granted}
}

// Lost is Pr of Eq. 9, from 0 to 1: the chance that a transaction does not get all its locks.
func (f Forecast) Lost() float64 { return 1 - f.Granted }

// Footprint is the set of records that one transaction accesses. A record counts once, however often
// it is requested, and a record already accessed is not expected to wait again.
type Footprint struct {
	hot   *HotRecords
	held  []*hotRecord // admitted
	ended bool
}

// Open returns the footprint of a transaction that has accessed nothing yet.
func (h *HotRecords) Open() *Footprint { return &Footprint{hot: h} }

// AdmittedPart is an admitted part. The zero value is a part without counted records.
type AdmittedPart struct {
	f        *Footprint
	from, to int32 // its records among held
}

// records returns the part's records, none once its transaction has ended.
func (w AdmittedPart) records() []*hotRecord {
	if w.f == nil || int(w.to) > len(w.f.held) {
		return nil
	}
	return w.f.held[w.from:w.to]
}

// look starts a visit of records, in which the held ones count as met.
func (f *Footprint) look() {
	f.hot.visits++
	for _, r := range f.held {
		r.is.visit = f.hot.visits
	}
}

// meet reports whether the record is met for the first time in this visit.
func (h *HotRecords) meet(r *hotRecord) bool {
	if r.is.visit == h.visits {
		return false
	}
	r.is.visit = h.visits
	return true
}

// scanned calls f with the known records of a scan until f returns false.
func (h *HotRecords) scanned(s txn.Scan, f func(*hotRecord) bool) {
	left := s.Limit
	one := func(k txn.Key, r *hotRecord) bool {
		if s.Reverse && k >= s.Span.End {
			return true // the first only
		}
		if !s.Span.Contains(k) || !f(r) {
			return false
		}
		left--
		return left != 0
	}
	if s.Reverse {
		h.all.Descend(s.Span.End, one)
		return
	}
	h.all.Ascend(s.Span.Start, one)
}

// Forecast returns the prediction for a part; it changes nothing.
func (f *Footprint) Forecast(of Records) Forecast {
	f.look()
	h, room := f.hot, f.hot.cfg.PerTxn-len(f.held)
	wait, granted := 0.0, 1.0
	add := func(r *hotRecord) bool {
		if room > 0 && h.meet(r) {
			wait += r.is.wait
			granted *= r.is.granted()
			room--
		}
		return room > 0
	}
	for _, k := range of.Keys {
		if r, ok := h.all.Get(k); ok && !add(r) {
			break
		}
	}
	for _, s := range of.Scans {
		h.scanned(s, add)
	}
	return Forecast{Latency: time.Duration(wait * h.cfg.Scale), Granted: granted}
}

// Admit records the admission of a part: a_cnt of its records rises until End. After End it
// admits nothing.
func (f *Footprint) Admit(of Records) AdmittedPart {
	if f.ended {
		return AdmittedPart{}
	}
	f.look()
	h, before := f.hot, len(f.held)
	add := func(r *hotRecord) bool {
		if len(f.held) < h.cfg.PerTxn && h.meet(r) {
			r.is.accessing++
			f.held = append(f.held, r)
		}
		return len(f.held) < h.cfg.PerTxn
	}
	for _, k := range of.Keys {
		if len(f.held) >= h.cfg.PerTxn {
			break
		}
		r, _ := h.remember(k)
		add(r)
	}
	for _, s := range of.Scans {
		h.scanned(s, add)
	}
	for _, r := range f.held[before:] {
		if !r.evicted() { // records of a scan are not touched while the tree is walked
			h.touch(r)
		}
	}
	return AdmittedPart{f, int32(before), int32(len(f.held))}
}

// Executed records the time that the part took at its place, without the network (Eq. 4).
//
// Each record's share is its w_lat divided by the sum of all. The paper does not specify shares for
// unmeasured records: such a record counts as the mean of
// the measured ones, and without any all count equally. A record's w_lat starts at
// 0, so that one slow access is not expected to repeat.
func (w AdmittedPart) Executed(took time.Duration) {
	records := w.records()
	if len(records) == 0 || took < 0 {
		return
	}
	sum, known := 0.0, 0
	for _, r := range records {
		if r.is.measured {
			sum += max(r.is.wait, leastWait)
			known++
		}
	}
	other := 1.0 // of unmeasured records
	if known > 0 {
		other = sum / float64(known)
	}
	sum += other * float64(len(records)-known)
	alpha := w.f.hot.cfg.OldWeight
	for _, r := range records {
		share := other
		if r.is.measured {
			share = max(r.is.wait, leastWait)
		}
		r.is.wait = alpha*r.is.wait + (1-alpha)*float64(took)*share/sum
		r.is.measured = true
	}
}

// leastWait is the least weight of a record when a part's time is divided: a record without
// waits may become hot, and a share of zero would remain zero.
const leastWait = float64(time.Microsecond)

// End records the end of the transaction, on its first call.
func (f *Footprint) End(committed bool) {
	if f.ended {
		return
	}
	f.ended = true
	for _, r := range f.held {
		r.is.ended(committed, uint32(f.hot.cfg.CountMax))
	}
	f.held = nil
}
