package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// Loss under TCP, if Links.TCP is set: between two regions a fraction Links.LossPPM of the segments
// is lost, and each is sent again until it arrives. So no message is lost, but a message may be
// late, and later messages on the same connection are late with it.
//
//   - Each node has one connection to each participant of another node, one more to the rest of
//     that
//     node, and those of the probes and of their answers: the servers of Natto's prototype are separate
//     processes.
//   - A message has a segment for each segmentBytes of its wire form, and shares none.
//   - A segment that is lost for the first time is sent again when three later ones have been
//     acknowledged (fast retransmit, RFC 5681): a round trip after these have left, at the connection's
//     pace up to now. Where that would take longer than the time-out, and if the segment is lost once
//     more, it is sent at the time-out, which doubles from then on (RFC 6298): a round trip and
//     timeoutLeast, as Linux has it where round trips do not vary.
//   - A sender that loses segments keeps fewer in flight. On average a connection has 1.22/sqrt(p)
//     of
//     them in a round trip (Mathis, Semke, Mahdavi and Ott 1997), and bytes beyond that rate are queued.
//
// Not modelled: lost acknowledgements (a later one covers them), slow start, windows that rise and
// fall about their mean, small messages in one segment, and the bandwidth of a link.
const (
	segmentBytes   = 1460 // of Ethernet
	duplicateAcks  = 3
	timeoutLeast   = 200 * time.Millisecond
	timeoutDoubles = 6  // and no more often
	retransmitMost = 15 // as Linux has it; the last arrives
	paceOver       = 8  // segments whose mean distance is the pace
	probeBytes     = 64
)

// connections are those of a network; nil: lost messages are not retransmitted.
type connections struct {
	lossPPM int64
	window  int64 // bytes that a connection has in flight, on average
	all     map[connectionID]*connection
}

// connectionID is from one node to a part of another.
type connectionID struct {
	from, to txn.NodeID
	shard    txn.ShardID
	measures measuring
}

// measuring is the kind of probe on a connection.
type measuring uint8

const (
	noProbes measuring = iota
	asked
	answered
)

// connection is one direction of a TCP connection.
type connection struct {
	busy    time.Duration // until then it sends earlier bytes
	arrived time.Duration // arrival time of the last segment so far
	last    time.Duration // when it last sent a segment
	gap     time.Duration // between two segments, on average
	sent    bool          // a segment
}

// newConnections returns those of links that lose segments, not messages; else nil.
func newConnections(l Links) *connections {
	if !l.TCP || l.LossPPM <= 0 {
		return nil
	}
	// 1.22/sqrt(p) segments, with p in millionths.
	return &connections{lossPPM: l.LossPPM, window: max(segmentBytes*1220/int64(sqrtOf(uint64(l.LossPPM))), segmentBytes), all: map[connectionID]*connection{}}
}

// of returns the connection that carries a message; nil: none does.
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

// carry puts bytes on a connection and returns their arrival time; way is their time alone, and
// trip a round trip. Calls for a connection are in the order of time.
func (c *connections) carry(k *connection, r *rand.Rand, now, way, trip time.Duration, bytes int) time.Duration {
	begins := max(now, k.busy)
	k.busy = begins + time.Duration(int64(trip)*int64(bytes)/c.window)
	for range max((bytes+segmentBytes-1)/segmentBytes, 1) {
		k.paces(begins, trip)
		k.arrived = max(k.arrived, k.busy+c.again(k, r, trip)+way)
	}
	return k.arrived
}

// paces updates the pace for a segment that is sent.
func (k *connection) paces(now, trip time.Duration) {
	gap := now - k.last
	if k.sent {
		k.gap += (gap - k.gap) / paceOver
	} else {
		k.sent, k.gap = true, trip+timeoutLeast // no later segment is known
	}
	k.last = now
}

// again returns the time from a segment's first transmission to its last.
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

// probed returns when a probe that is sent now, or its answer, arrives at another host. Answers
// have their own connection: they are drawn as sent in the future, and a connection takes bytes in
// order.
func (n *network) probed(r *rand.Rand, what measuring, from, to txn.NodeID, now time.Duration) time.Duration {
	way := n.wavering(r, n.delays[from-1][to-1])
	if n.tcp == nil || n.calm || !n.wide[from-1][to-1] {
		return now + way
	}
	return n.tcp.carry(n.tcp.get(connectionID{from: from, to: to, measures: what}), r, now, way, n.trip(from, to), probeBytes)
}

// trip returns the mean of a round trip.
func (n *network) trip(from, to txn.NodeID) time.Duration {
	return n.delays[from-1][to-1] + n.delays[to-1][from-1]
}
