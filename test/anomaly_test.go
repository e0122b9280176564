package test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The rows of the scripts lie in different shards (see layout).
const (
	x = 5
	y = 15
	z = 25
)

// anomaly is a way for a weaker database to go wrong: transactions, and the
// order of their steps in which it does. The order names a transaction a step.
type anomaly struct {
	name  string
	start state
	txns  []script
	order []int
}

func onePlus(s seen) int64 { return s.last() + 1 }

// sumPositive is the condition of the classic write skew: together they may not go below 0.
func sumPositive(s seen) bool { return s.at(0)+s.at(1) > 0 }

// anomalies are those of the literature: Adya's G0 to G2, Berenson's P and A,
// Fekete's read-only anomaly, long fork.
var anomalies = []anomaly{
	{
		name: "dirty write", start: state{x: {}, y: {}}, order: []int{0, 1, 1, 0, 0, 1},
		txns: []script{does(setTo(x, 1), setTo(y, 1)), does(setTo(x, 2), setTo(y, 2))},
	},
	{
		name: "dirty read", start: state{x: {v: 1}}, order: []int{0, 1, 0, 1},
		txns: []script{{undo: true, ops: []op{setTo(x, 99)}}, does(get(x))},
	},
	{
		name: "intermediate read", start: state{x: {v: 1}}, order: []int{0, 1, 0, 0, 1},
		txns: []script{does(setTo(x, 2), setTo(x, 3)), does(get(x))},
	},
	{
		name: "circular information flow", start: state{x: {}, y: {}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{does(setTo(x, 1), get(y)), does(setTo(y, 1), get(x))},
	},
	{
		name: "non-repeatable read", start: state{x: {v: 1}}, order: []int{0, 1, 1, 0, 0},
		txns: []script{does(get(x), get(x)), does(setTo(x, 2))},
	},
	{
		name: "read skew", start: state{x: {v: 1}, y: {v: 1}}, order: []int{0, 1, 1, 1, 0, 0},
		txns: []script{does(get(x), get(y)), does(setTo(x, 2), setTo(y, 2))},
	},
	{
		name: "lost update", start: state{x: {v: 1}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{does(get(x), set(x, onePlus)), does(get(x), set(x, onePlus))},
	},
	{
		name: "lost update, summed by the database", start: state{x: {v: 1}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{does(add(x, 1), add(x, 1)), does(add(x, 10), add(x, 10))},
	},
	{
		name: "lost update, read for update", start: state{x: {v: 1}}, order: []int{0, 1, 0, 0, 1, 1},
		txns: []script{does(getWith(x, " FOR UPDATE"), set(x, onePlus)), does(getWith(x, " FOR UPDATE"), set(x, onePlus))},
	},
	{
		name: "lost update, shared locks", start: state{x: {v: 1}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{does(getWith(x, " LOCK IN SHARE MODE"), set(x, onePlus)), does(getWith(x, " LOCK IN SHARE MODE"), set(x, onePlus))},
	},
	{
		name: "write skew", start: state{x: {v: 1}, y: {v: 1}}, order: []int{0, 1, 0, 1, 0, 1, 0, 1},
		txns: []script{
			does(get(x), get(y), when(sumPositive, set(x, func(s seen) int64 { return s.at(0) - 2 }))),
			does(get(x), get(y), when(sumPositive, set(y, func(s seen) int64 { return s.at(1) - 2 }))),
		},
	},
	{
		name: "write skew, read at once", start: state{x: {v: 1}, y: {v: 1}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(getSeveral(x, y), set(x, func(s seen) int64 { return s[0][1] + 1 })),
			does(getSeveral(x, y), set(y, func(s seen) int64 { return s[0][0] + 1 })),
		},
	},
	{
		name: "phantom in a range", start: state{x: {}, z: {}}, order: []int{0, 1, 1, 0, 0},
		txns: []script{does(scan(0, 29), scan(0, 29)), does(insert(y, 7, 0))},
	},
	{
		name: "phantom in a range of one shard", start: state{x: {}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(scan(0, 9), insert(6, 1, 0)),
			does(scan(0, 9), insert(7, 1, 0)),
		},
	},
	{
		name: "phantom, deleted from a range", start: state{x: {}, y: {}, z: {}}, order: []int{0, 1, 1, 0, 0},
		txns: []script{does(scan(0, 29), scan(10, 19)), does(remove(y))},
	},
	{
		name: "phantom in an index", start: state{x: {v: 1, grp: 1}, y: {v: 2, grp: 1}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(byGroup(1), insert(6, 1, 1)),
			does(byGroup(1), insert(26, 1, 1)),
		},
	},
	{
		name: "phantom, moved into an index range", start: state{x: {v: 1, grp: 1}, y: {v: 2, grp: 2}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(byGroup(1), move(x, 2)),
			does(byGroup(2), move(y, 1)),
		},
	},
	{
		name: "phantom in an index, locked", start: state{x: {v: 1, grp: 1}}, order: []int{0, 1, 1, 0, 0},
		txns: []script{does(byGroupWith(1, " FOR UPDATE"), byGroup(1)), does(insert(y, 2, 1))},
	},
	{
		name: "phantom in a count", start: state{x: {}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(countAll(), when(func(s seen) bool { return s.last() < 2 }, insert(16, 0, 0))),
			does(countAll(), when(func(s seen) bool { return s.last() < 2 }, insert(26, 0, 0))),
		},
	},
	{
		name: "phantom in an index count", start: state{x: {grp: 3}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(countGroup(3), when(func(s seen) bool { return s.last() < 2 }, insert(16, 0, 3))),
			does(countGroup(3), when(func(s seen) bool { return s.last() < 2 }, insert(26, 0, 3))),
		},
	},
	{
		name: "phantom in a subquery", start: state{x: {grp: 3}, y: {grp: 4}}, order: []int{0, 1, 0, 1, 0, 1},
		txns: []script{
			does(countJoin(3), when(func(s seen) bool { return s.last() == 1 }, move(y, 3))),
			does(countJoin(3), when(func(s seen) bool { return s.last() == 1 }, insert(26, 0, 3))),
		},
	},
	{
		name: "phantom under an update", start: state{x: {v: 1, grp: 1}, y: {v: 1, grp: 1}}, order: []int{0, 1, 1, 0, 0},
		txns: []script{does(addGroup(1, 10), byGroup(1)), does(insert(z, 1, 1))},
	},
	{
		// Fekete, O'Neil, O'Neil 2004: a batch closes (t1), a late receipt is filed
		// in it (t2), and a report (t3) that wrote nothing makes it an anomaly.
		name: "read-only anomaly", start: state{x: {}, y: {}}, order: []int{1, 1, 0, 0, 0, 2, 2, 2, 1, 1},
		txns: []script{
			does(get(y), set(y, func(s seen) int64 { return s.last() + 20 })),
			does(get(x), get(y), set(x, func(s seen) int64 {
				if s.at(0)+s.at(1)-10 < 0 {
					return s.at(0) - 11
				}
				return s.at(0) - 10
			})),
			does(get(x), get(y)),
		},
	},
	{
		name: "long fork", start: state{x: {}, y: {}}, order: []int{2, 0, 0, 3, 1, 1, 2, 3, 2, 3},
		txns: []script{does(setTo(x, 1)), does(setTo(y, 1)), does(get(y), get(x)), does(get(x), get(y))},
	},
	{
		name: "long fork, after the fact", start: state{x: {}, y: {}}, order: []int{0, 2, 0, 1, 3, 1, 2, 3, 2, 3},
		txns: []script{does(setTo(x, 1)), does(setTo(y, 1)), does(getSeveral(x, y)), does(getSeveral(x, y))},
	},
}

// randomOrders is the number of random orders of steps in which each anomaly is played, besides its
// own.
const randomOrders = 1

// TestAnomalies plays every anomaly on every protocol: a serial order must
// explain all committed transactions.
func TestAnomalies(t *testing.T) {
	for _, h := range houses(t) {
		for _, l := range h.layouts {
			t.Run(h.name+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				h.stage(t, l).all(t)
			})
		}
	}
}

func (s *stage) all(t *testing.T) {
	for _, a := range anomalies {
		t.Run(a.name, func(t *testing.T) {
			s := &stage{t: t, layout: s.layout, regions: s.regions, dsns: s.dsns, pools: s.pools}
			s.judged(a, a.order)
			rnd := rand.New(rand.NewPCG(1, uint64(len(a.name))))
			for range randomOrders {
				s.judged(a, shuffled(rnd, a.txns))
			}
		})
	}
}

// shuffled is a random order of the steps of some transactions.
func shuffled(rnd *rand.Rand, txns []script) []int {
	var order []int
	for i, s := range txns {
		order = append(order, slices.Repeat([]int{i}, s.steps())...)
	}
	rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// triesMax is how often a play in which all transactions abort is repeated: two that validate at
// two shards at the same time may both abort, but not repeatedly.
const triesMax = 5

// judged plays an anomaly in an order and checks the result.
func (s *stage) judged(a anomaly, order []int) {
	s.t.Helper()
	for range triesMax {
		if s.judgedOnce(a, order) {
			return
		}
	}
	s.t.Errorf("order %v: of conflicting transactions none committed in %d plays", order, triesMax)
}

// judgedOnce reports whether a transaction committed.
func (s *stage) judgedOnce(a anomaly, order []int) bool {
	s.t.Helper()
	saw, left, story := s.play(a.start, a.txns, order)
	all := fmt.Sprintf("order %v\n%s%s", order, story, describe(a.start, left, saw))
	if explain(a.start, left, a.txns, saw, false) == nil {
		s.t.Errorf("NOT SERIALIZABLE: no serial order explains this\n%s", all)
	} else if explain(a.start, left, a.txns, saw, true) == nil {
		s.t.Errorf("NOT STRICT: no serial order that agrees with real time explains this\n%s", all)
	}
	return slices.ContainsFunc(saw, func(p played) bool { return p.end == committed })
}
