package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/schedule"
	"isochron/txn"
)

// Parts of a round that leave later than others, by the protocol's choice of departures (package
// schedule). They leave at their departure time, not at the next tick: they are to arrive together.

// leave sends the parts of a round that begins, each at its departure time.
func (rs *reads) leave(parts []*shardRequest) {
	estimates := rs.estimates(parts)
	delays, heldBack := rs.cfg.Spec.Arrive.Delays(estimates), rs.cfg.Spec.Arrive.HeldBack(estimates)
	for i, p := range parts {
		rs.forecasts.admit(p)
		if heldBack != nil && heldBack[i] {
			p.wakeAt = txn.Never
			p.r.held = append(p.r.held, p)
			continue
		}
		if delays == nil || delays[i] == 0 {
			rs.send(p)
			continue
		}
		p.leavesAt = rs.env.Now().Mono + delays[i]
		p.wakeAt, p.deadline = p.leavesAt, p.deadline+delays[i]
		at, _ := slices.BinarySearchFunc(rs.departures, p, byDeparture)
		rs.departures = slices.Insert(rs.departures, at, p)
	}
}

func byDeparture(a, b *shardRequest) int {
	return cmp.Or(cmp.Compare(a.leavesAt, b.leavesAt), cmp.Compare(a.id, b.id))
}

// estimates are the delays for departures; nil if the protocol needs none.
func (rs *reads) estimates(parts []*shardRequest) []schedule.Part {
	if a := rs.cfg.Spec.Arrive; !a.Waits() && !a.HoldsBack() || len(parts) < 2 {
		return nil
	}
	out := make([]schedule.Part, len(parts))
	for i, p := range parts {
		out[i].RoundTrip = -1
		if to, _ := rs.target(p); to != 0 {
			out[i].Near = !rs.env.Wide(to)
			if rtt, ok := rs.env.RoundTrip(to); ok {
				out[i].RoundTrip = rtt
			}
		}
		if rs.cfg.Spec.Arrive.Forecasts() {
			out[i].Admitted = rs.forecasts.work(p)
		}
	}
	return out
}

// answered notes a reply to a part of a round. When only parts remain that were held for that, they
// leave.
func (rs *reads) answered(r *round) {
	if r.open--; r.open == 0 || r.open > len(r.held) {
		return
	}
	held, now := r.held, rs.env.Now().Mono
	r.held = nil
	for _, p := range held {
		if rs.parts[p.id] == p { // its transaction may have ended
			p.deadline, p.leavesAt = p.deadline+now-p.began, now
			rs.send(p)
		}
	}
}

// depart sends the parts whose departure time has come.
func (rs *reads) depart() {
	now := rs.env.Now().Mono
	for len(rs.departures) > 0 && rs.departures[0].leavesAt <= now {
		p := rs.departures[0]
		rs.departures = slices.Delete(rs.departures, 0, 1)
		if rs.parts[p.id] == p && p.tries == 0 { // its transaction may have ended
			rs.send(p)
		}
	}
}

// nextDeparture is the departure time of the next part.
func (rs *reads) nextDeparture() time.Duration {
	if len(rs.departures) == 0 {
		return txn.Never
	}
	return rs.departures[0].leavesAt
}
