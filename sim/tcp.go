package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// Loss as TCP has it, if Links.TCP is set: between two regions a part Links.LossPPM of the segments
// is lost, and each is sent again until it arrives. So no message is lost, but late, and those behind
// it on the same connection are late with it.
//
//   - From each node to each participant of another there is a connection of its own, one more to
//     what else is at that node, and those of the probes and of their answers: the servers of Natto's prototype are
//     processes by themselves.
//   - A message has a segment for each segmentBytes of its wire form, and shares none.
//   - A segment that is lost for the first time is sent again when three later ones have been
//     acknowledged (fast retransmit, RFC 5681): a round trip after these have left, which the pace
//     of the connection up to now says when. Where that would take longer than the time-out, and
//     if the segment is lost once more, it is sent at the time-out, which doubles from then on (RFC
//     6298): a round trip and timeoutLeast, as Linux has it where round trips do not vary.
//   - Who loses segments keeps fewer under way. On average a connection has 1.22/sqrt(p) of them in
//     a round trip (Mathis, Semke, Mahdavi and Ott 1997), and bytes beyond that rate wait their turn.
//
// Left out: acknowledgements that are lost (a later one says the same), slow start, windows that
// rise and fall about their mean, small messages in one segment, and how fast a link is.
const (
	segmentBytes   = 1460 // of Ethernet
	duplicateAcks  = 3
	timeoutLeast   = 200 * time.Millisecond
	timeoutDoubles = 6  // and no more often
	retransmitMost = 15 // as Linux has it; the last arrives
	paceOver       = 8  // segments whose mean distance is the pace
	probeBytes     = 64
)

// connections are those of a network; nil: messages are lost for good.
type connections struct {
	lossPPM int64
	window  int64 // bytes that a connection has under way, on average
	all     map[connectionID]*connection
}

// connectionID is from one node to a part of another.
type connectionID struct {
	from, to txn.NodeID
	shard    txn.ShardID
	measures measuring
}

// measuring is what a connection has of probes.
type measuring uint8

const (
	noProbes measuring = iota
	asked
	answered
)

// connection is one direction of a TCP connection.
type connection struct {
	busy    time.Duration // until then it sends what it was handed
	arrived time.Duration // when the last segment does that it was handed
	last    time.Duration // when it has sent one last
	gap     time.Duration // between two, on average
	sent    bool          // one
}

// newConnections are those of links that lose segments, and not messages.
func newConnections(l Links) *connections {
	if !l.TCP || l.LossPPM <= 0 {
		return nil
	}
	// 1.22/sqrt(p) segments, with p in millionths.
	return &connections{lossPPM: l.LossPPM, window: max(segmentBytes*1220/int64(sqrtOf(uint64(l.LossPPM))), segmentBytes), all: map[connectionID]*connection{}}
}

// of is the connection that takes a message; nil: none does.
func (c *connections) of(n *network, env *txn.Envelope) *connection {
	if c == nil || n.calm || !n.wide[env.From-1][env.To-1] {
		return nil
	}
	return c.get(connectionID{from: env.From, to: env.To, shard: env.Part.Shard()})
}

func (c *connections) get(id connectionID) *connection {
	if c.all[id] == nil {
		c.all[id] = &connection{}
	}
	return c.all[id]
}

// carry hands bytes to a connection and is when they arrive; way is how long they would take alone,
// and trip a round trip. What it was handed before was handed no later than now.
func (c *connections) carry(k *connection, r *rand.Rand, now, way, trip time.Duration, bytes int) time.Duration {
	begins := max(now, k.busy)
	k.busy = begins + time.Duration(int64(trip)*int64(bytes)/c.window)
	for range max((bytes+segmentBytes-1)/segmentBytes, 1) {
		k.paces(begins, trip)
		k.arrived = max(k.arrived, k.busy+c.again(k, r, trip)+way)
	}
	return k.arrived
}

// paces takes in that a segment is sent.
func (k *connection) paces(now, trip time.Duration) {
	gap := now - k.last
	if k.sent {
		k.gap += (gap - k.gap) / paceOver
	} else {
		k.sent, k.gap = true, trip+timeoutLeast // nobody knows of a next one
	}
	k.last = now
}

// again is how long after its first sending a segment is sent for the last time.
func (c *connections) again(k *connection, r *rand.Rand, trip time.Duration) (after time.Duration) {
	lost := func() bool { return r.Int64N(1_000_000) < c.lossPPM }
	if !lost() {
		return 0
	}
	timeout, doubled := trip+timeoutLeast, 0
	if after = trip + duplicateAcks*k.gap; after >= timeout {
		after, doubled = timeout, 1
	}
	for i := 1; i < retransmitMost && lost(); i++ {
		after += timeout << min(doubled, timeoutDoubles)
		doubled++
	}
	return after
}

// probed is when a probe that is sent now, or its answer, arrives at another host. Answers go by themselves:
// when they are drawn they are sent in the future, and what a connection is handed comes in order.
func (n *network) probed(r *rand.Rand, what measuring, from, to txn.NodeID, now time.Duration) time.Duration {
	way := n.wavering(r, n.delays[from-1][to-1])
	if n.tcp == nil || n.calm || !n.wide[from-1][to-1] {
		return now + way
	}
	return n.tcp.carry(n.tcp.get(connectionID{from: from, to: to, measures: what}), r, now, way, n.trip(from, to), probeBytes)
}

// trip is the mean of a round trip.
func (n *network) trip(from, to txn.NodeID) time.Duration {
	return n.delays[from-1][to-1] + n.delays[to-1][from-1]
}
