package test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

// ending is the end of a transaction, as its client knows it.
type ending int

const (
	rolledBack ending = iota
	committed
	unknown
)

func (e ending) String() string { return [...]string{"rolled back", "committed", "unknown"}[e] }

// played is one client's view of its transaction.
type played struct {
	end        ending
	reason     string // of a transaction that lost
	read       seen
	begun, got time.Time // its first statement was sent; its end was learnt
}

// explain looks for a serial order of the committed transactions that explains their reads and the
// final rows. It returns nil if there is none. With strict the order must agree with real time. An
// unknown transaction may be in the order or not.
func explain(start, left state, scripts []script, saw []played, strict bool) []int {
	var done, maybe []int
	for i, p := range saw {
		switch p.end {
		case committed:
			done = append(done, i)
		case unknown:
			maybe = append(maybe, i)
		}
	}
	for subset := range 1 << len(maybe) {
		chosen := slices.Clone(done)
		for i, m := range maybe {
			if subset&(1<<i) != 0 {
				chosen = append(chosen, m)
			}
		}
		for order := range permutations(chosen) {
			if (!strict || inRealTime(order, saw)) && explains(order, start, left, scripts, saw) {
				return append([]int{}, order...)
			}
		}
	}
	return nil
}

func inRealTime(order []int, saw []played) bool {
	for i, a := range order {
		for _, b := range order[i+1:] {
			if saw[b].end == committed && saw[b].got.Before(saw[a].begun) {
				return false
			}
		}
	}
	return true
}

func explains(order []int, start, left state, scripts []script, saw []played) bool {
	db := maps.Clone(start)
	for _, i := range order {
		read := scripts[i].run(db)
		if saw[i].end == committed && !slices.EqualFunc(read, saw[i].read, slices.Equal[[]int64]) {
			return false
		}
	}
	return maps.Equal(db, left)
}

// permutations yields every order of the list; a yielded slice is valid until the next.
func permutations(list []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var place func(i int) bool
		place = func(i int) bool {
			if i == len(list) {
				return yield(list)
			}
			for j := i; j < len(list); j++ {
				list[i], list[j] = list[j], list[i]
				if !place(i + 1) {
					return false
				}
				list[i], list[j] = list[j], list[i]
			}
			return true
		}
		place(0)
	}
}

// TestJudge: the checker distinguishes a lost update from none.
func TestJudge(t *testing.T) {
	increment := does(get(1), set(1, func(s seen) int64 { return s.last() + 1 }))
	scripts := []script{increment, increment}
	start := state{1: {v: 10}}
	both := func(a, b int64) []played {
		return []played{{end: committed, read: seen{{a}}}, {end: committed, read: seen{{b}}}}
	}
	for _, c := range []struct {
		what  string
		saw   []played
		left  int64
		sound bool
	}{
		{"one after the other", both(10, 11), 12, true},
		{"the other way round", both(11, 10), 12, true},
		{"both read the same", both(10, 10), 11, false},
		{"a sum that no transaction made", both(10, 11), 13, false},
		{"one lost", []played{{end: rolledBack}, {end: committed, read: seen{{10}}}}, 11, true},
		{"one unknown, done", []played{{end: unknown}, {end: committed, read: seen{{10}}}}, 12, true},
		{"one unknown, not done", []played{{end: unknown}, {end: committed, read: seen{{10}}}}, 11, true},
		{"one lost, yet done", []played{{end: rolledBack}, {end: committed, read: seen{{10}}}}, 12, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			order := explain(start, state{1: {v: c.left}}, scripts, c.saw, false)
			if (order != nil) != c.sound {
				t.Errorf("explained by the order %v; want sound = %v", order, c.sound)
			}
		})
	}
	late := both(11, 10)
	late[0].got, late[1].begun = time.Unix(1, 0), time.Unix(2, 0)
	if order := explain(start, state{1: {v: 12}}, scripts, late, true); order != nil {
		t.Errorf("against real time, yet explained by %v", order)
	}
}

func describe(start, left state, saw []played) string {
	out := fmt.Sprintf("began with %v\nended with %v\n", start, left)
	for i, p := range saw {
		out += fmt.Sprintf("t%d: %v, read %v %s\n", i+1, p.end, p.read, p.reason)
	}
	return out
}
