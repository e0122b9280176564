package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"isochron/estimate"
)

// luck lists for each segment sent whether it is lost; after its end none is.
type luck []bool

func (l *luck) Uint64() uint64 {
	lost := false
	if len(*l) > 0 {
		lost, *l = (*l)[0], (*l)[1:]
	}
	if lost {
		return 1 << 40
	}
	return 1<<63 | 1<<40
}

// tcpOf returns connections that lose one segment in a hundred, and a connection with a round trip
// of 100 ms that carries a segment a millisecond, with its luck.
func tcpOf(l ...bool) (send func(now time.Duration, bytes int) time.Duration, lucky *luck) {
	lucky = (*luck)(&l)
	c, k, r := newConnections(Links{TCP: true, LossPPM: 10_000}), &connection{}, rand.New(lucky)
	return func(now time.Duration, bytes int) time.Duration {
		return c.carry(k, r, now, 50*time.Millisecond, 100*time.Millisecond, bytes)
	}, lucky
}

func wantAt(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got.Round(time.Millisecond) != want {
		t.Errorf("%s arrives after %v, not %v", what, got, want)
	}
}

const ms = time.Millisecond

// A segment that is lost once, with none behind it, is sent again at the time-out; lost again, it
// waits twice as long.
func TestALoneSegmentWaitsForItsTimeout(t *testing.T) {
	send, _ := tcpOf(true)
	wantAt(t, "a lone segment", send(0, 1), (50+300)*ms)
	send, _ = tcpOf(true, true, true)
	wantAt(t, "a segment that is lost three times", send(0, 1), (50+300+600+1200)*ms)
	send, _ = tcpOf()
	wantAt(t, "a segment that is not lost", send(0, 1), 50*ms)
}

// With others close behind, three of them cause a retransmission a round trip after they have left,
// and everything sent meanwhile arrives with it. Lost once more, it waits for the time-out.
func TestALaterSegmentTriggersARetransmit(t *testing.T) {
	send, lucky := tcpOf()
	now := time.Duration(0)
	for ; now < 200*ms; now += ms {
		wantAt(t, "one of many segments", send(now, 1)-now, 50*ms)
	}
	*lucky = luck{true}
	wantAt(t, "a lost segment", send(now, 1)-now, (50+100+3)*ms)
	wantAt(t, "the segment behind it", send(now+ms, 1)-now, (50+100+3)*ms)
	wantAt(t, "a segment that is sent after it", send(now+110*ms, 1)-now, (50+110)*ms)
	for now += 111 * ms; now < 500*ms; now += ms {
		send(now, 1)
	}
	*lucky = luck{true, true}
	wantAt(t, "a segment that is lost twice", send(now, 1)-now, (50+100+3+300)*ms)
}

// A connection carries at most 1.22/sqrt(p) segments in a round trip: here 12.2, or 17.8 KB. Bytes
// beyond that wait, and each segment of a long message may be lost.
func TestAConnectionHasARate(t *testing.T) {
	send, _ := tcpOf()
	var last time.Duration
	for range 10 {
		last = send(0, 17_812)
	}
	wantAt(t, "the last of ten windows", last, (10*100+50)*ms)
	send, lucky := tcpOf(false, false, true)
	if got := send(0, 3*segmentBytes); got < 150*ms || len(*lucky) != 0 {
		t.Errorf("the third segment is lost, and the message arrives after %v with %d left", got, len(*lucky))
	}
}

// In a cluster messages are late and none is lost; within a region none is late. Without loss TCP
// adds nothing.
func TestTCPLosesNothing(t *testing.T) {
	took := func(l Links) (last time.Duration, w *Cluster) {
		w = toyWorld(t, 3, l, nil)
		done := 0
		w.Go(1, func(c *Client) {
			for range 200 {
				ask(c)
				done++
			}
			last = c.Elapsed()
		})
		w.Run(5 * time.Minute)
		if done != 200 {
			t.Errorf("%d of 200 are answered under %+v", done, l)
		}
		return last, w
	}
	plain, w := took(Links{})
	none, same := took(Links{TCP: true})
	if none != plain || same.Hash() != w.Hash() {
		t.Errorf("without loss the run took %v, not %v", none, plain)
	}
	late, w := took(Links{TCP: true, LossPPM: 50_000})
	if w.net.lost != 0 || late < plain*5/4 {
		t.Errorf("%d are lost, and the run took %v against %v", w.net.lost, late, plain)
	}
}

// Without loss two hosts that probe each other measure the delays of the network: no answer delays
// a probe that is sent before it.
func TestProbesOverTCP(t *testing.T) {
	w := toyWorld(t, 1, Links{TCP: true, LossPPM: 1}, nil)
	var both []*probes
	every := estimate.ProbingOf(10*time.Millisecond, false)
	for _, h := range w.hosts[:2] {
		both = append(both, &probes{h: h, rand: stream(1, streamProbes), every: every, delays: every.Delays()})
	}
	for range 300 {
		for _, p := range both {
			p.probe()
		}
		w.Run(10 * time.Millisecond)
	}
	way := w.net.delays[0][1]
	if got := both[0].roundTrips()[2]; got < way || got > 3*way {
		t.Errorf("a round trip of %v takes %v", 2*way, got)
	}
}
