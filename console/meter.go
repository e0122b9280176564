package console

import (
	"sync"
	"time"

	"isochron/geo"
	"isochron/txn"
)

// Meter collects the figures of each region. It is a node.Observer for the shards; the programs that run clients report
// commits and aborts to it.
type Meter struct {
	mu      sync.Mutex
	regions map[geo.Region]*regionMeter
	since   time.Time
	turned  time.Time // start of the slot being filled
	full    int       // complete slots of the window, windowSlots-1 at most
}

type regionMeter struct {
	home, wide, span *series
	aborts, unknown  *counter
}

// NewMeter measures the given regions and ignores others.
func NewMeter(regions []geo.Region) *Meter {
	m := &Meter{regions: map[geo.Region]*regionMeter{}}
	for _, r := range regions {
		m.regions[r] = nil
	}
	m.Reset()
	return m
}

// Reset drops all measurements, as when loading is over and the work begins.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.regions {
		m.regions[r] = &regionMeter{
			home: newSeries(), wide: newSeries(), span: newSeries(),
			aborts: new(counter), unknown: new(counter),
		}
	}
	m.since = time.Now()
	m.turned, m.full = m.since, 0
}

// Turn begins the next second of the window.
func (m *Meter) Turn() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.regions {
		for _, s := range []*series{r.home, r.wide, r.span} {
			s.turn()
		}
		r.aborts.turn()
		r.unknown.turn()
	}
	m.turned = time.Now()
	m.full = min(m.full+1, windowSlots-1)
}

// Span reports the end of a contention span.
func (m *Meter) Span(_ txn.ShardID, region geo.Region, held time.Duration) {
	m.in(region, func(r *regionMeter) { r.span.add(held) })
}

// Event ignores events.
func (m *Meter) Event(txn.NodeID, string) {}

// Tracing returns false: a meter needs no events.
func (m *Meter) Tracing() bool { return false }

// Commit reports an acknowledged commit, from its first statement.
func (m *Meter) Commit(region geo.Region, home bool, took time.Duration) {
	m.in(region, func(r *regionMeter) {
		if home {
			r.home.add(took)
		} else {
			r.wide.add(took)
		}
	})
}

// Abort reports a transaction that lost a conflict.
func (m *Meter) Abort(region geo.Region) { m.in(region, func(r *regionMeter) { r.aborts.add() }) }

// Unknown reports a commit whose outcome the client did not receive.
func (m *Meter) Unknown(region geo.Region) { m.in(region, func(r *regionMeter) { r.unknown.add() }) }

func (m *Meter) in(region geo.Region, do func(*regionMeter)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.regions[region]; r != nil {
		do(r)
	}
}

// Window returns a region's figures of the last seconds.
func (m *Meter) Window(region geo.Region) Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.regions[region]
	if r == nil {
		return Figures{}
	}
	f := Figures{
		Over: time.Since(m.turned) + time.Duration(m.full)*time.Second,
		Home: r.home.window(), Wide: r.wide.window(), Span: r.span.window(),
		Aborts: r.aborts.window(), Unknown: r.unknown.window(),
	}
	f.HomeCommits, f.WideCommits = f.Home.Count, f.Wide.Count
	return f
}

// Total returns a region's figures since the last Reset.
func (m *Meter) Total(region geo.Region) Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.regions[region]
	if r == nil {
		return Figures{}
	}
	f := Figures{
		Over: time.Since(m.since),
		Home: quantiles(r.home.total), Wide: quantiles(r.wide.total), Span: quantiles(r.span.total),
		Aborts: r.aborts.total, Unknown: r.unknown.total,
	}
	f.HomeCommits, f.WideCommits = f.Home.Count, f.Wide.Count
	return f
}
