package lab

import (
	"math"
	"testing"
	"time"

	"isochron/geo"
)

// law is what theory says of a protocol where nothing but the network costs time
// and nobody is in another's way.
type law struct {
	protocol string
	// commit is the latency at a client in a, of a transaction on every shard.
	commit func(w geo.WAN, a geo.Region) time.Duration
	hops   map[int]float64 // by the number of replicas, on a uniform map
	// span is the contention span at a leader in b for a client in a.
	span func(w geo.WAN, a, b geo.Region) time.Duration
}

// majority is the round trip from a leader to the nearest majority.
func majority(w geo.WAN, leader geo.Region) time.Duration { return w.QuorumRTT(leader, w.Regions) }

// apart is the round trip between two nodes: one region has one node here.
func apart(w geo.WAN, a, b geo.Region) time.Duration {
	if a == b {
		return 0
	}
	return w.RTT(a, b)
}

func most(w geo.WAN, of func(i geo.Region) time.Duration) (d time.Duration) {
	for _, i := range w.Regions {
		d = max(d, of(i))
	}
	return d
}

// twoRounds is the commit of 2PC: to every leader, and from there to its majority.
func twoRounds(w geo.WAN, a geo.Region) time.Duration {
	return most(w, func(i geo.Region) time.Duration { return apart(w, a, i) + majority(w, i) })
}

func heldToTheEnd(w geo.WAN, a, _ geo.Region) time.Duration { return twoRounds(w, a) }

// bypass is the commit of D2PC: for each shard, acknowledgements of a majority
// go from the replicas straight to the client's region.
func bypass(w geo.WAN, a geo.Region) time.Duration {
	return most(w, func(leader geo.Region) time.Duration {
		var acks []time.Duration
		for _, replica := range w.Regions {
			acks = append(acks, (apart(w, a, leader)+apart(w, leader, replica)+apart(w, replica, a))/2)
		}
		return nth(acks, len(acks)/2)
	})
}

func nth(all []time.Duration, n int) time.Duration {
	for {
		least := 0
		for i := range all {
			if all[i] < all[least] {
				least = i
			}
		}
		if n == 0 {
			return all[least]
		}
		all[least] = math.MaxInt64
		n--
	}
}

// heldToPreCommit ends when the votes of all leaders have reached b's region.
func heldToPreCommit(w geo.WAN, a, b geo.Region) time.Duration {
	return most(w, func(i geo.Region) time.Duration { return (apart(w, a, i) + apart(w, i, b) - apart(w, a, b)) / 2 })
}

var laws = []law{
	{"2pc+occ", twoRounds, map[int]float64{3: 4, 5: 4}, heldToTheEnd},
	{"2pc+2pl", twoRounds, map[int]float64{3: 4, 5: 4}, heldToTheEnd},
	{"d2pc+occ", bypass, map[int]float64{3: 2, 5: 3}, heldToPreCommit},
	{"d2pc+2pl", bypass, map[int]float64{3: 2, 5: 3}, heldToPreCommit},
	{"carousel-fast", everyOpinion(4), map[int]float64{3: 2, 5: 2}, heldToOpinions(4)},
	{"tapir", everyOpinion(4), map[int]float64{3: 2, 5: 2}, heldToOpinions(4)},
	{"starry", everyOpinion(5), map[int]float64{3: 2, 5: 2}, heldToOpinions(5)},
}

// everyOpinion is the commit of who hears as many replicas as make a fast path:
// all of three, or of of five.
func everyOpinion(of int) func(w geo.WAN, a geo.Region) time.Duration {
	return func(w geo.WAN, a geo.Region) time.Duration {
		var all []time.Duration
		for _, i := range w.Regions {
			all = append(all, apart(w, a, i))
		}
		return nth(all, min(of, len(all))-1)
	}
}

// heldToOpinions ends when the decision has come: it left when the commit was known.
func heldToOpinions(of int) func(w geo.WAN, a, b geo.Region) time.Duration {
	return func(w geo.WAN, a, _ geo.Region) time.Duration { return everyOpinion(of)(w, a) }
}

func within(got float64, want time.Duration, part float64) bool {
	return math.Abs(got-ms(want)) <= part*ms(want)+0.001
}

// Without contention, and with processors and disks that cost nothing, commits
// and contention spans are what the delays of the map say.
func TestCommitsAndSpansFollowTheirLaws(t *testing.T) {
	for _, l := range laws {
		for _, name := range []string{"uniform:100ms:3", "uniform:100ms:5", "alibaba3"} {
			t.Run(l.protocol+"/"+name, func(t *testing.T) { l.check(t, name) })
		}
	}
}

func (l law) check(t *testing.T, name string) {
	w, err := geo.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	n := len(w.Regions)
	r := mustRun(t, Spec{
		Protocol: l.protocol, Workload: "micro", WAN: name, Shards: n, Clients: n, Length: n, Spread: n, Keys: 1_000_000,
		Cores: 1, Tries: 1, Warmup: time.Second, Duration: 4 * time.Second, Seed: 1, Check: 1000,
	})
	if r.Committed == 0 || r.Aborted > 0 || !r.Check.Serializable {
		t.Fatalf("%d committed, %d aborted, check %+v", r.Committed, r.Aborted, r.Check)
	}
	fastest, slowest := time.Duration(math.MaxInt64), time.Duration(0)
	for _, a := range w.Regions {
		fastest, slowest = min(fastest, l.commit(w, a)), max(slowest, l.commit(w, a))
		for _, b := range w.Regions {
			got := r.ContentionSpanMS.ByPair[string(a)][string(b)]
			if want := l.span(w, a, b); !within(got.Avg, want, 0.01) {
				t.Errorf("the span at %s for clients in %s is %v ms of %d, want %v", b, a, got.Avg, got.Count, want)
			}
		}
	}
	if !within(r.CommitMS.P999, slowest, 0.02) || r.CommitMS.Avg < 0.98*ms(fastest) {
		t.Errorf("commits take %+v ms, want %v to %v", r.CommitMS, fastest, slowest)
	}
	if want, ok := l.hops[n]; ok && fastest == slowest && r.WANHopsCommit != want {
		t.Errorf("a commit waits for %v messages between regions, want %v", r.WANHopsCommit, want)
	}
}
