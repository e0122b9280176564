package estimate

import (
	"time"

	"isochron/txn"
)

// Records names what a part of a transaction asks for. Of a scan those records count that
// are known, from where it begins and no more than its limit. A key is one record at one
// place: of a table that stands at several, who calls puts the place before it.
type Records struct {
	Keys  []txn.Key
	Scans []txn.Scan
}

// Forecast is what is to be expected of parts that are not admitted yet.
type Forecast struct {
	Latency time.Duration // of their work at their place, waits for locks included (Eq. 5), scaled
	Granted float64       // the chance that all they ask for is granted: the product of Eq. 9
}

// And is the forecast of parts at several places: the slowest of them, and the chance that
// all are granted.
func (f Forecast) And(o Forecast) Forecast {
	return Forecast{Latency: max(f.Latency, o.Latency), Granted: f.Granted * o.Granted}
}

// Lost is Pr of Eq. 9, from 0 to 1: the chance that a transaction does not get all its locks.
func (f Forecast) Lost() float64 { return 1 - f.Granted }

// Footprint is what one transaction accesses. A record counts once for it, however often
// it asks for it, and none that it accesses already is expected to have it wait again.
type Footprint struct {
	hot   *HotRecords
	held  []*hotRecord // admitted
	ended bool
}

// Open is the footprint of a transaction that has accessed nothing yet.
func (h *HotRecords) Open() *Footprint { return &Footprint{hot: h} }

// AdmittedPart is one part that was admitted. The zero Work is of a part of which nothing counts.
type AdmittedPart struct {
	f        *Footprint
	from, to int32 // of its records among those held
}

// records are those that the part waits for, none once its transaction has ended.
func (w AdmittedPart) records() []*hotRecord {
	if w.f == nil || int(w.to) > len(w.f.held) {
		return nil
	}
	return w.f.held[w.from:w.to]
}

// look begins a look at records, in which those that are held have been met.
func (f *Footprint) look() {
	f.hot.visits++
	for _, r := range f.held {
		r.is.visit = f.hot.visits
	}
}

// meet reports whether the record is met for the first time in this look.
func (h *HotRecords) meet(r *hotRecord) bool {
	if r.is.visit == h.visits {
		return false
	}
	r.is.visit = h.visits
	return true
}

// scanned calls f with the known records of a scan until it is false.
func (h *HotRecords) scanned(s txn.Scan, f func(*hotRecord) bool) {
	left := s.Limit
	one := func(k txn.Key, r *hotRecord) bool {
		if s.Reverse && k >= s.Span.End {
			return true // the first alone
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

// Forecast says what is to be expected of a part; nothing is changed by it.
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

// Admit takes in that a part is let in: a_cnt of its records rises, until End. A footprint
// that has ended admits nothing.
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
		if !r.forgotten() { // a scan's are not touched while the tree is walked
			h.touch(r)
		}
	}
	return AdmittedPart{f, int32(before), int32(len(f.held))}
}

// Executed takes in how long the part took at its place, its way not counted (Eq. 4).
//
// Each record's share is its w_lat over the sum of all of them. The paper leaves open
// whose share there is none of: a record that was never measured counts as the mean of
// those that were, and where nothing was, all count the same. A record's w_lat begins at
// 0, so that what was slow once is not expected to be so again.
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
	other := 1.0 // of those never measured
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

// leastWait is what a record counts as at least when a part's time is divided: one for
// which nobody had to wait may become hot, and a share of nothing would stay nothing.
const leastWait = float64(time.Microsecond)

// End takes in that the transaction has ended, the first time that it is called.
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
