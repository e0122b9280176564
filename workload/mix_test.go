package workload

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/txn"
)

func newTestMix(t *testing.T, name string, cfg MixConfig) Mix {
	t.Helper()
	m, err := NewMix(name, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func seeded(seed uint64) *Client {
	d := Cluster([]geo.Region{"va", "wa", "pr"})
	Spread(d, 1)
	return &Client{DB: newModelDB(d, sound), Rand: rand.New(rand.NewPCG(seed, 0))}
}

// The tables of powers are right to many digits, for every kind of number.
func TestPowers(t *testing.T) {
	for _, theta := range []int{0, 100, 700, 990, 1500, 2000} {
		w := powers(10_000, theta)
		for _, k := range []int{1, 2, 3, 4, 96, 97, 1024, 5040, 9973, 10_000} {
			got := float64(w[k-1]) / (1 << 63)
			want := math.Pow(float64(k), -float64(theta)/1000)
			if math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%d^-0.%03d is %v, not %v", k, theta, got, want)
			}
		}
	}
}

// Ranks are drawn as often as the distribution requires.
func TestZipfFrequencies(t *testing.T) {
	const keys, draws = 1000, 400_000
	for _, theta := range []int{0, 700, 990} {
		z := newZipf(keys, theta)
		r := rand.New(rand.NewPCG(7, uint64(theta)))
		seen := make([]float64, keys)
		for range draws {
			seen[z.draw(r)]++
		}
		sum := 0.0
		for k := range keys {
			sum += math.Pow(float64(k+1), -float64(theta)/1000)
		}
		// Pearson's statistic over the ranks has keys-1 degrees of freedom: it
		// strays from them by sqrt(2*keys), and here by six of these at most.
		chi := 0.0
		for k := range keys {
			want := draws * math.Pow(float64(k+1), -float64(theta)/1000) / sum
			chi += (seen[k] - want) * (seen[k] - want) / want
		}
		if stray := math.Abs(chi-keys) / math.Sqrt(2*keys); stray > 6 {
			t.Errorf("theta %d: chi squared is %.0f for %d ranks", theta, chi, keys)
		}
	}
}

// One seed draws the same rows on every machine and in every version.
func TestGoldenDraws(t *testing.T) {
	z := newZipf(1_000_000, 700)
	r := rand.New(rand.NewPCG(1, 2))
	var got []int
	for range 8 {
		got = append(got, z.draw(r))
	}
	if want := "[422841 204869 450563 473881 9125 58 103589 73333]"; fmt.Sprint(got) != want {
		t.Errorf("the first ranks of a seed are %v, not %s", got, want)
	}
	if want, got := uint64(1825547812142794), z.upTo[len(z.upTo)-1]; got != want {
		t.Errorf("the weights add up to %d, not %d", got, want)
	}
}

// Every part has as much of the popularity as the others.
func TestPopularityIsSpreadEvenly(t *testing.T) {
	const keys = 30_000
	for _, parts := range []int{1, 3, 5, 7} {
		for _, theta := range []int{0, 700, 900} {
			p := popular{keys: keys, parts: parts, thetaMilli: theta}
			p.build()
			mass := make([]uint64, parts)
			all := uint64(0)
			for rank := range keys {
				mass[p.part[rank]] += p.zipf.weight(rank)
				all += p.zipf.weight(rank)
			}
			for part, m := range mass {
				if share := float64(m) / float64(all) * float64(parts); math.Abs(share-1) > 0.001 {
					t.Errorf("%d parts, theta %d: part %d has %.4f of its share", parts, theta, part, share)
				}
			}
		}
	}
}

// tally returns the shares of the classes among many draws, in percent.
func tally(m Mix, seed uint64) map[string]float64 {
	const draws = 30_000
	c, n := seeded(seed), map[string]float64{}
	for range draws {
		n[m.Next(c).Class] += 100.0 / draws
	}
	return n
}

func TestProportions(t *testing.T) {
	for name, want := range map[string]map[string]float64{
		"retwis": {"add-user": 5, "follow": 15, "post-tweet": 30, "timeline": 50},
		"smallbank": {"amalgamate": 15, "balance": 15, "deposit-checking": 15, "send-payment": 25,
			"transact-savings": 15, "write-check": 15},
		"ycsb+t":        {"read-modify-write": 100},
		"ycsb-a":        {"read": 100.0 / 1024, "update": 100 - 100.0/1024},
		"micro":         {"micro": 100},
		"tpcc":          {"new-order": 45, "payment": 43, "order-status": 4, "delivery": 4, "stock-level": 4},
		"tpcc-rows":     {"new-order": 45, "payment": 43, "order-status": 4, "delivery": 4, "stock-level": 4},
		"tpcc-d2pc":     {"new-order": 48, "payment": 47, "delivery": 5},
		"tpcc-bonspiel": {"new-order": 50, "payment": 50},
		"ycsb-regions":  {"at home": 100},
		"sysbench":      {"update": 100},
		"fit":           {"payment": 100},
		"hotspots":      {"read": 45, "update": 45, "payment": 10},
	} {
		got := tally(newTestMix(t, name, MixConfig{Parts: 3, Keys: 5000}), 3)
		for class, share := range got {
			if math.Abs(share-want[class]) > 1 {
				t.Errorf("%s: %.2f%% are %s, not %.2f%%", name, share, class, want[class])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has the classes %v", name, got)
		}
	}
}

// probe is a transaction that records its operations.
type probe struct {
	modelTxn
	rounds int
	gets   []txn.Key
	puts   []txn.Key
	write  bool
}

func (p *probe) Read(_ context.Context, r txn.Read) (txn.ReadResult, error) {
	p.rounds++
	p.gets, p.write = append(p.gets, r.Gets...), r.ForWrite
	return txn.ReadResult{Values: make([][]byte, len(r.Gets))}, nil
}
func (p *probe) Put(k txn.Key, _ []byte) { p.puts = append(p.puts, k) }

func asked(t *testing.T, j Job) *probe {
	t.Helper()
	p := &probe{}
	if err := j.Body(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if again := (&probe{}); j.Body(t.Context(), again) != nil || !slices.Equal(p.gets, again.gets) || !slices.Equal(p.puts, again.puts) {
		t.Fatalf("%s makes other choices on its second try", j.Class)
	}
	if (len(p.puts) == 0) != j.ReadOnly && !strings.Contains("send-payment transact-savings", j.Class) {
		t.Errorf("%s writes %d rows, and ReadOnly is %v", j.Class, len(p.puts), j.ReadOnly)
	}
	return p
}

// A transaction reads the rows of its class, in one round and different rows.
func TestSizes(t *testing.T) {
	wantGets := map[string][2]int{"add-user": {1, 1}, "follow": {2, 2}, "post-tweet": {3, 3}, "timeline": {1, 10}, "read-modify-write": {6, 6},
		"read": {10, 10}, "update": {0, 9}, "micro": {4, 4}}
	wantPuts := map[string][2]int{"add-user": {3, 3}, "follow": {2, 2}, "post-tweet": {5, 5}, "read-modify-write": {6, 6}, "update": {1, 10}, "micro": {4, 4}}
	for _, name := range []string{"retwis", "ycsb+t", "ycsb-a", "micro"} {
		m, c := newTestMix(t, name, MixConfig{Parts: 3, Keys: 100, ZipfMilli: 900, Length: 4, Spread: 2}), seeded(5)
		longest := 0
		for range 2000 {
			j := m.Next(c)
			p := asked(t, j)
			longest = max(longest, len(p.gets))
			if g, w := wantGets[j.Class], wantPuts[j.Class]; len(p.gets) < g[0] || len(p.gets) > g[1] || len(p.puts) < w[0] || len(p.puts) > w[1] {
				t.Fatalf("%s reads %d rows and writes %d", j.Class, len(p.gets), len(p.puts))
			}
			if p.rounds > 1 || p.write != (j.Class != "timeline" && name != "ycsb-a") {
				t.Fatalf("%s takes %d rounds, for writing: %v", j.Class, p.rounds, p.write)
			}
			checkDistinct(t, p)
		}
		if name == "retwis" && longest != 10 {
			t.Errorf("the longest timeline has %d rows", longest)
		}
	}
}

func checkDistinct(t *testing.T, p *probe) {
	t.Helper()
	for _, keys := range [][]txn.Key{p.gets, p.puts} {
		if sorted := slices.Sorted(slices.Values(keys)); len(slices.Compact(sorted)) != len(keys) {
			t.Fatalf("a row twice: %q", keys)
		}
	}
}

// micro touches Spread shards, and all of them in turn.
func TestMicroTouchesItsShards(t *testing.T) {
	d := Cluster([]geo.Region{"va", "wa", "pr"})
	Spread(d, 1)
	for spread := 1; spread <= 3; spread++ {
		m, c, all := newTestMix(t, "micro", MixConfig{Parts: 3, Keys: 60, Length: 7, Spread: spread}), seeded(9), map[uint64]int{}
		for range 300 {
			shards := map[uint64]bool{}
			for _, k := range asked(t, m.Next(c)).gets {
				shard, ok := d.ShardOf(string(k))
				if !ok {
					t.Fatalf("no shard has %q", k)
				}
				shards[shard] = true
				all[shard]++
			}
			if len(shards) != spread {
				t.Fatalf("%d shards, not %d", len(shards), spread)
			}
		}
		if len(all) != 3 {
			t.Errorf("only the shards %v were ever touched", all)
		}
	}
}

func TestBadMixes(t *testing.T) {
	for _, bad := range []struct {
		name string
		cfg  MixConfig
		says string
	}{
		{"tweets", MixConfig{Parts: 3}, "no workload"},
		{"retwis", MixConfig{}, "number of shards"},
		{"retwis", MixConfig{Parts: 256}, "number of shards"},
		{"retwis", MixConfig{Parts: 3, Keys: 29}, "number of keys"},
		{"retwis", MixConfig{Parts: 3, Keys: -1}, "number of keys"},
		{"retwis", MixConfig{Parts: 3, Keys: zipfKeysMax + 1}, "number of keys"},
		{"retwis", MixConfig{Parts: 3, ZipfMilli: -1}, "Zipf"},
		{"retwis", MixConfig{Parts: 3, ZipfMilli: 2001}, "Zipf"},
		{"micro", MixConfig{Parts: 3, Length: -1}, "length"},
		{"micro", MixConfig{Parts: 3, Length: 2, Spread: 3}, "touches"},
		{"micro", MixConfig{Parts: 3, ValueBytes: 7}, "bytes"},
		{"sysbench", MixConfig{Parts: 3, ReadsMilli: 1001}, "reads"},
		{"hotspot", MixConfig{Parts: 3, RollbackMilli: -1}, "rollbacks"},
		{"fit", MixConfig{Parts: 3, Hot: -1}, "hot rows"},
	} {
		if _, err := NewMix(bad.name, bad.cfg); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s %+v: %v", bad.name, bad.cfg, err)
		}
	}
}

// runMix runs a number of transactions each for eight clients of the model database, interleaved as
// the seed draws it.
func runMix(t *testing.T, m Mix, f flaw, seed uint64, each int) (db *modelDB, committed map[string]int) {
	t.Helper()
	d := Cluster([]geo.Region{"va", "wa", "pr"})
	Spread(d, 1)
	db, committed = newModelDB(d, f), map[string]int{}
	for w := range m.Rows() {
		db.rows[w.Key] = modelRow{value: w.Value, version: 1}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var running []func() (struct{}, bool)
	for i := range 8 {
		c := &Client{Process: i, DB: db, Env: db, Rand: rand.New(rand.NewPCG(seed, uint64(i))), Pause: time.Millisecond, Tries: 5}
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			for range each {
				j := m.Next(c)
				ended := func(o history.Outcome) {
					if j.Ended != nil {
						j.Ended(o)
					}
				}
				for try := range 20 {
					db.park = func() { yield(struct{}{}) }
					tx := db.Begin(txn.Options{})
					if err := j.Body(context.Background(), tx); err == errGiveUp {
						committed["given up"]++
						ended(history.Fail)
						break
					} else if err != nil {
						t.Error(err)
					}
					db.park = func() { yield(struct{}{}) }
					if tx.Commit(context.Background()) == nil {
						committed[j.Class]++
						ended(history.OK)
						break
					}
					if try == 19 {
						ended(history.Fail)
					}
				}
			}
		})
		defer stop()
		running = append(running, next)
	}
	for len(running) > 0 {
		i := r.IntN(len(running))
		if _, more := running[i](); !more {
			running = slices.Delete(running, i, i+1)
		}
	}
	db.park = func() {}
	return db, committed
}

// The counts in the rows equal the commits, unless the database is broken.
func TestCountsAddUp(t *testing.T) {
	for _, f := range []flaw{sound, noValidation, lossy} {
		db, committed := runMix(t, newTestMix(t, "ycsb+t", MixConfig{Parts: 3, Keys: 40}), f, 11, 100)
		sum := 0
		for _, row := range db.rows {
			sum += int(countOf(row.value))
		}
		if want := 6 * committed["read-modify-write"]; (sum == want) != (f == sound) || want < 1000 {
			t.Errorf("flaw %d: the rows count %d, and %d were committed", f, sum, want)
		}
	}
}

// moves are the kinds of smallbank that only move money.
type moves struct{ *smallbank }

func (m moves) Next(c *Client) Job {
	for {
		if j := m.smallbank.Next(c); j.Class == "amalgamate" || j.Class == "send-payment" || j.Class == "balance" {
			return j
		}
	}
}

// Moving money keeps the sum, unless the database is broken.
func TestSmallbankKeepsItsMoney(t *testing.T) {
	for _, f := range []flaw{sound, noValidation, torn} {
		m := newTestMix(t, "smallbank", MixConfig{Parts: 3, Keys: 30}).(*smallbank)
		m.hot = m.customers
		db, _ := runMix(t, moves{m}, f, 13, 100)
		sum := int64(0)
		for _, row := range db.rows {
			sum += parseAmount(row.value)
		}
		if want := int64(len(db.rows)) * smallOpening; (sum == want) != (f == sound) || len(db.rows) < 30 {
			t.Errorf("flaw %d: %d rows have %d cents", f, len(db.rows), sum)
		}
	}
}
