package lab

import (
	"time"

	"isochron/txn"
	"isochron/yield"
)

// observed is the node of a Result's Machine.
const observed = txn.NodeID(1)

// machine has the counts of the observed node at the start and the end of the measured time.
type machine struct {
	worked [2]time.Duration
	work   [2]yield.LockStats
	waits  [2]int64
	// threshold is of reads by temperature, at the end of the measured time.
	threshold int64
}

// mark reads the counts: first at the beginning, then at the end.
func (m *machine) mark(r *run) {
	at := 0
	if !r.measuring {
		at = 1
	}
	m.worked[at], m.waits[at] = r.w.Worked(observed), r.w.LockWaits(observed)
	m.work[at] = r.w.LockWork(observed)
	m.threshold = r.w.Threshold(observed)
}

func (m *machine) report(r *run) Machine {
	each := func(n uint64) float64 { return rounded(float64(n)/float64(max(r.all.committed, 1)), 2) }
	work := m.work[1].Since(m.work[0])
	return Machine{
		CPUPercent: r.cpuPercent(m.worked[1]-m.worked[0], r.spec.Duration),
		Locks:      each(work.Locks),
		Steps:      each(work.Steps),
		RowWaiters: each(work.WaitersExamined),
		Waits:      each(uint64(m.waits[1] - m.waits[0])),
	}
}

func (r *run) cpuPercent(worked, of time.Duration) float64 {
	return rounded(100*worked.Seconds()/of.Seconds()/float64(r.spec.Cores), 2)
}

// series records the measured time piece by piece.
type series struct {
	r      *run
	begins time.Duration
	pieces []piece
	ended  bool
}

type piece struct {
	tally
	worked    time.Duration // since the start of the cluster, at the beginning of the piece
	threshold int64         // at its beginning
}

// newSeries returns nil if the experiment has no Series.
func (r *run) newSeries() *series {
	if r.spec.Series == 0 {
		return nil
	}
	s := &series{r: r, begins: r.w.Elapsed() + r.spec.Warmup}
	r.w.After(r.spec.Warmup, s.next)
	return s
}

// next begins a piece.
func (s *series) next() {
	if s.ended {
		return
	}
	s.pieces = append(s.pieces, piece{worked: s.r.w.Worked(observed), threshold: s.r.w.Threshold(observed)})
	s.r.w.After(s.r.spec.Series, s.next)
}

func (s *series) stop() {
	if s != nil {
		s.ended = true
	}
}

func (s *series) add(now time.Duration, o outcome) {
	if s == nil {
		return
	}
	if i := int((now - s.begins) / s.r.spec.Series); i >= 0 && i < len(s.pieces) {
		s.pieces[i].add(o)
	}
}

// adapted converts a threshold to the unit of a Piece.
func (r *run) adapted(threshold int64) float64 {
	if r.spec.Warmth.Fixed {
		return 0
	}
	return rounded(float64(threshold)/1000, 3)
}

// lose adds a try that was aborted.
func (s *series) lose(now time.Duration) {
	if s == nil {
		return
	}
	if i := int((now - s.begins) / s.r.spec.Series); i >= 0 && i < len(s.pieces) {
		s.pieces[i].aborted++
	}
}

// report omits a last piece that is shorter than the others.
func (s *series) report() (out []Piece) {
	if s == nil {
		return nil
	}
	width := s.r.spec.Series
	for i := range int(s.r.spec.Duration / width) {
		p, until, threshold := &s.pieces[i], s.r.machine.worked[1], s.r.machine.threshold
		if i+1 < len(s.pieces) {
			until, threshold = s.pieces[i+1].worked, s.pieces[i+1].threshold
		}
		out = append(out, Piece{
			UntilS:        (time.Duration(i+1) * width).Seconds(),
			ThroughputTPS: rounded(float64(p.committed)/width.Seconds(), 2),
			FailedTPS:     rounded(float64(p.unknown+p.gaveUp)/width.Seconds(), 2),
			P95MS:         ms(p.latency.quantile(95)),
			CPUPercent:    s.r.cpuPercent(until-p.worked, width),
			AbortRate:     ratio(p.aborted, p.aborted+p.committed, 4),
			Threshold:     s.r.adapted(threshold),
		})
	}
	return out
}
