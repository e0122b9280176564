package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/schedule"
	"isochron/txn"
)

// Over versions (yield.Policy.Versions) nothing is locked before the prepare. So departures of the
// Prepares are aligned as well: a near participant is prepared for its own round trip, not for that
// to the farthest.

// latePrepares are the Prepares that are sent later than others.
type latePrepares struct {
	cfg     *Config
	env     commitEnv
	leaders *leaders

	delays map[txn.ShardID]time.Duration // of the participants requested now
	queue  []latePrepare                 // by departure time
}

// latePrepare is a Prepare that waits for its departure time.
type latePrepare struct {
	at time.Duration
	to txn.Address
	m  txn.Message
	of *pendingCommit
}

// ask requests the votes of an attempt that begins, of each participant at its departure time.
func (l *latePrepares) ask(k *pendingCommit) {
	l.delays = l.delaysOf(k)
	first := len(l.queue)
	k.Ask()
	l.delays = nil
	for i := first; i < len(l.queue); i++ {
		l.queue[i].of = k
	}
	slices.SortStableFunc(l.queue, func(a, b latePrepare) int { return cmp.Compare(a.at, b.at) })
}

// delaysOf returns the delays of the delayed Prepares, by participant.
func (l *latePrepares) delaysOf(k *pendingCommit) map[txn.ShardID]time.Duration {
	spec := l.cfg.Spec
	if k.RecordShard == 0 || !spec.Yield.Versions || !spec.Arrive.Waits() {
		return nil
	}
	parts := make([]schedule.Part, len(k.Participants))
	for i, s := range k.Participants {
		parts[i].RoundTrip = -1
		if n, _ := l.leaders.of(s, 0); n != 0 {
			if rtt, ok := l.env.RoundTrip(n); ok {
				parts[i].RoundTrip = rtt
			}
		}
	}
	out := map[txn.ShardID]time.Duration{}
	for i, d := range spec.Arrive.Delays(parts) {
		if d > 0 {
			out[k.Participants[i]] = d
		}
	}
	return out
}

// takes delays a message if it is to be sent later; false: send it now.
func (l *latePrepares) takes(to txn.Address, m txn.Message) bool {
	if m.Prepare == nil || l.delays[m.Prepare.Shard] == 0 {
		return false
	}
	l.queue = append(l.queue, latePrepare{at: l.env.Now().Mono + l.delays[m.Prepare.Shard], to: to, m: m})
	return true
}

// depart sends those whose time has come, of attempts that still await votes.
func (l *latePrepares) depart() {
	now := l.env.Now().Mono
	for len(l.queue) > 0 && l.queue[0].at <= now {
		p := l.queue[0]
		l.queue = slices.Delete(l.queue, 0, 1)
		if p.of.AwaitsVotes() {
			l.env.Send(p.to, p.m)
		}
	}
}

// next is the departure time of the next.
func (l *latePrepares) next() time.Duration {
	if len(l.queue) == 0 {
		return txn.Never
	}
	return l.queue[0].at
}
