package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/schedule"
	"isochron/txn"
)

// Over versions (yield.Policy.Versions) nothing is held before the prepare. So what a row's choice
// of departures has arrive together is the Prepares as well: what is near is marked as prepared for
// its own round trip, and not for that to the farthest.

// postponed is a Prepare that leaves later.
type postponed struct {
	at time.Duration
	to txn.Address
	m  txn.Message
}

// ask asks for the votes of an attempt that begins, of each participant at its instant.
func (cs *commits) ask(k *commitment) {
	cs.delays = cs.prepareDelays(k)
	k.Ask()
	cs.delays = nil
}

// prepareDelays are how long the Prepares wait that wait, by participant.
func (cs *commits) prepareDelays(k *commitment) map[txn.ShardID]time.Duration {
	row := cs.cfg.Row
	if k.DecidedAt == 0 || !row.Yield.Versions || !row.Arrive.Waits() {
		return nil
	}
	parts := make([]schedule.Part, len(k.Participants))
	for i, s := range k.Participants {
		parts[i].RoundTrip = -1
		if n, _ := cs.leaders.of(s, 0); n != 0 {
			if rtt, ok := cs.env.RoundTrip(n); ok {
				parts[i].RoundTrip = rtt
			}
		}
	}
	out := map[txn.ShardID]time.Duration{}
	for i, d := range row.Arrive.Delays(parts) {
		if d > 0 {
			out[k.Participants[i]] = d
		}
	}
	return out
}

// postpones takes a message that is to leave later; false: it leaves now.
func (cs *commits) postpones(to txn.Address, m txn.Message) bool {
	if m.Prepare == nil || cs.delays[m.Prepare.Shard] == 0 {
		return false
	}
	p := postponed{cs.env.Now().Mono + cs.delays[m.Prepare.Shard], to, m}
	at, _ := slices.BinarySearchFunc(cs.departing, p, func(a, b postponed) int { return cmp.Or(cmp.Compare(a.at, b.at), -1) })
	cs.departing = slices.Insert(cs.departing, at, p)
	return true
}

// depart sends the Prepares whose instant has come, of attempts that still wait for votes.
func (cs *commits) depart() {
	now := cs.env.Now().Mono
	for len(cs.departing) > 0 && cs.departing[0].at <= now {
		p := cs.departing[0]
		cs.departing = slices.Delete(cs.departing, 0, 1)
		if k := cs.all[p.m.Prepare.Attempt]; k != nil && k.Asking() {
			cs.env.Send(p.to, p.m)
		}
	}
}

// nextDeparture is the instant at which the next Prepare leaves.
func (cs *commits) nextDeparture() time.Duration {
	if len(cs.departing) == 0 {
		return txn.Never
	}
	return cs.departing[0].at
}
