package yield

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

var transfers = Class{Table: "accounts"}

// lose ends a try of the class as lost without entering, so that the class is counted from then on.
func lose(a *Admission, now time.Duration) { a.Leave(now, transfers, nil, Lost) }

func request(n uint64) *AdmissionRequest { return &AdmissionRequest{Txn: id(n), Age: age(n)} }

func TestClassesWithoutLossesAreNotCounted(t *testing.T) {
	a := NewAdmission(AdmissionBounds{})
	for n := range uint64(100) {
		a.Leave(0, transfers, nil, Committed)
		a.Leave(0, transfers, nil, Neither)
		if e := request(n); !a.Enter(0, transfers, e, 0) || e.in != nil {
			t.Fatal("a try was queued or counted without any loss")
		}
	}
	if !a.Quiet() {
		t.Error("not quiet without a loss")
	}
	lose(a, 0)
	if a.Quiet() || len(a.Classes()) != 1 {
		t.Error("quiet after a loss")
	}
	a.Tick(forgetAfter + 1)
	if !a.Quiet() {
		t.Error("not quiet long after the last loss")
	}
}

// limited sets a class's window to a fixed size.
func limited(size int, b AdmissionBounds) *Admission {
	a := NewAdmission(b)
	lose(a, 0)
	a.classes[0].window.size = size
	return a
}

func next(a *Admission) (out []uint64) {
	for e := a.Next(); e != nil; e = a.Next() {
		out = append(out, e.Txn.Seq)
	}
	return out
}

func TestAdmissionOrderIsPriorityThenAge(t *testing.T) {
	a := limited(1, AdmissionBounds{})
	first := request(9)
	if !a.Enter(0, transfers, first, 0) {
		t.Fatal("the first try was not admitted")
	}
	var waiting []*AdmissionRequest
	for _, n := range []uint64{5, 3, 8, 4} {
		e := request(n)
		if n == 8 {
			e.Priority = 1
		}
		if a.Enter(0, transfers, e, 0) || !e.Waits() {
			t.Fatal("a second try was admitted")
		}
		waiting = append(waiting, e)
	}
	if other := request(7); !a.Enter(0, Class{Table: "others"}, other, 0) {
		t.Error("a try of another class was queued")
	}
	if again := request(2); a.Enter(0, transfers, again, 0) {
		t.Error("an old try was admitted without room")
	}
	a.Leave(0, transfers, waiting[0], Neither) // its client has gone
	order := []uint64{}
	for inside := first; ; {
		a.Leave(0, transfers, inside, Committed)
		got := next(a)
		if len(got) == 0 {
			break
		}
		if len(got) > 1 {
			t.Fatalf("%v admitted beside another", got)
		}
		order = append(order, got...)
		inside = a.classes[0].members[0]
	}
	if !slices.Equal(order, []uint64{8, 2, 3, 4}) {
		t.Errorf("admitted in the order %v", order)
	}
	if c := a.Classes()[0]; c.Admitted != 5 || c.Delayed != 5 || c.Running != 0 || c.Queue != 0 {
		t.Errorf("%+v", c)
	}
}

func TestParkedTriesAreNotCounted(t *testing.T) {
	a := limited(1, AdmissionBounds{})
	idle := request(1)
	a.Enter(0, transfers, idle, 0)
	a.Enter(0, transfers, request(2), 0)
	a.Park(idle)
	a.Park(idle) // a second call changes nothing
	if got := next(a); !slices.Equal(got, []uint64{2}) {
		t.Fatalf("admitted: %v", got)
	}
	a.Resume(idle)
	a.Resume(idle)
	if c := a.Classes()[0]; c.Running != 2 {
		t.Errorf("a resumed try must count as running, room or not: %+v", c)
	}
	a.Enter(0, transfers, request(3), 0)
	a.Leave(0, transfers, idle, Committed)
	if got := next(a); got != nil {
		t.Errorf("%v was admitted beside another", got)
	}
}

func TestAdmissionWaitsAreBounded(t *testing.T) {
	a := limited(1, AdmissionBounds{Wait: 3 * time.Second})
	a.Enter(0, transfers, request(1), 0)
	for n := uint64(9); n > 4; n-- {
		a.Enter(0, transfers, request(n), 0)
	}
	short := request(2)
	a.Enter(0, transfers, short, time.Second)
	refused := func(now time.Duration) (out []uint64) {
		for _, e := range a.Tick(now) {
			out = append(out, e.Txn.Seq)
			if e.Waits() || e.in != nil {
				t.Error("a refused try still waits")
			}
		}
		return out
	}
	if got := refused(time.Second - 1); got != nil {
		t.Errorf("%v refused too soon", got)
	}
	if got := refused(time.Second); !slices.Equal(got, []uint64{2}) {
		t.Errorf("want the try with its own bound refused: %v", got)
	}
	if got := refused(3 * time.Second); !slices.Equal(got, []uint64{5, 6, 7, 8, 9}) {
		t.Errorf("refused: %v", got)
	}
	if c := a.Classes()[0]; c.Refused != 6 || c.Queue != 0 {
		t.Errorf("%+v", c)
	}
}

// An operator may switch admission off, and bound the window from both sides.
func TestBoundsOfAdmission(t *testing.T) {
	a := limited(4, AdmissionBounds{})
	for n := range uint64(10) {
		a.Enter(0, transfers, request(n), 0)
	}
	a.Rebound(AdmissionBounds{Least: 6})
	if got := next(a); len(got) != 2 {
		t.Errorf("%v admitted beside four", got)
	}
	a.Rebound(AdmissionBounds{Most: 2})
	if got := next(a); got != nil || a.Classes()[0].Window != 2 {
		t.Errorf("%v admitted, the window is %d", got, a.Classes()[0].Window)
	}
	a.Rebound(AdmissionBounds{Off: true})
	if got := next(a); len(got) != 4 || a.Classes()[0].Window != 0 {
		t.Errorf("switched off: %v admitted", got)
	}
	off := NewAdmission(AdmissionBounds{Off: true})
	lose(off, 0)
	if !off.Quiet() {
		t.Error("switched off, a class is counted")
	}
}

// A thousand clients do not all begin before anything is known: from the first loss on a few are
// admitted, twice as many after each sample that commits.
func TestManyClientsBeginSlowly(t *testing.T) {
	a := limited(firstSize, AdmissionBounds{})
	var inside []*AdmissionRequest
	for n := range uint64(1000) {
		if e := request(n); a.Enter(0, transfers, e, 0) {
			inside = append(inside, e)
		}
	}
	if len(inside) != firstSize {
		t.Fatalf("%d of 1000 admitted", len(inside))
	}
	now := time.Duration(0)
	for _, want := range []int{2 * firstSize, 4 * firstSize} {
		now += sampleTime
		var next []*AdmissionRequest
		for _, e := range inside {
			a.Leave(now, transfers, e, Committed)
			for e := a.Next(); e != nil; e = a.Next() {
				next = append(next, e)
			}
		}
		inside = append(inside[:0], next...)
		if got := a.Classes()[0]; got.Window != want || got.Running != want {
			t.Fatalf("got %+v, want %d", got, want)
		}
	}
}

func TestClassesAreBounded(t *testing.T) {
	a := NewAdmission(AdmissionBounds{})
	for i := range classesMax + 5 {
		a.Leave(time.Duration(i), Class{Table: txn.Key(rune('a' + i))}, nil, Lost)
	}
	if len(a.classes) != classesMax || a.of(Class{Table: "a"}) != nil || a.of(Class{Table: txn.Key(rune('a' + classesMax + 4))}) == nil {
		t.Errorf("%d classes are kept; the one with the oldest loss should be dropped", len(a.classes))
	}
}

// all are admitted.
var everybody = AdmissionBounds{Least: 10_000}

// crowd is tries that contend: a try lasts a millisecond, and commits with a probability that falls
// with the number running. Beyond cores they also share processor time.
type crowd struct {
	rng     *rand.Rand
	cores   int     // 0: any number run in parallel
	loses   float64 // probability of losing to each other one
	clients int
}

// run lets clients retry without end, and reports the commits a second in the second half, and the
// number running.
func (c crowd) run(seconds int, b AdmissionBounds) (commits, inside int) {
	a := NewAdmission(b)
	lose(a, 0)
	var at []*AdmissionRequest
	enter := func(now time.Duration, n uint64) {
		if e := request(n); a.Enter(now, transfers, e, 0) {
			at = append(at, e)
		}
	}
	n := uint64(0)
	for range c.clients {
		n++
		enter(0, n)
	}
	k, now, end := a.classes[0], time.Duration(0), time.Duration(seconds)*time.Second
	for now < end {
		width := len(at)
		if c.cores > 0 {
			width = min(width, c.cores)
		}
		now += time.Millisecond / time.Duration(width)
		i := c.rng.IntN(len(at))
		e := at[i]
		at = slices.Delete(at, i, i+1)
		how := Committed
		if c.rng.Float64() > math.Pow(1-c.loses, float64(len(at))) {
			how = Lost
		}
		if how == Committed && now > end/2 {
			commits++
		}
		members := len(k.members)
		a.Leave(now, transfers, e, how)
		for e := a.Next(); e != nil; e = a.Next() {
			at = append(at, e)
		}
		n++
		enter(now, n)
		inside = max(members, 1)
	}
	return commits * 2 / seconds, inside
}

// Where the loss rate grows with the number running, the window approaches the size with most
// commits, from above and from below, whether tries cost time or a processor; where tries do not
// fail, there is no window.
func TestTheWindowFindsTheBestThroughput(t *testing.T) {
	for _, c := range []crowd{
		{cores: 2, loses: 0.1, clients: 1000},
		{cores: 2, loses: 0.01, clients: 1000},
		{cores: 0, loses: 0.05, clients: 1000},
		{cores: 0, loses: 0.2, clients: 100},
		{cores: 4, loses: 0.02, clients: 30},
	} {
		best := 0
		for size := 1; size <= 64; size = size*5/4 + 1 {
			c.rng = rand.New(rand.NewPCG(1, 2))
			got, _ := crowd{c.rng, c.cores, c.loses, size}.run(2, everybody)
			best = max(best, got)
		}
		c.rng = rand.New(rand.NewPCG(1, 2))
		free, _ := c.run(2, everybody)
		got, inside := c.run(10, AdmissionBounds{})
		t.Logf("%d cores, loss probability %.2f, %d clients: %d/s with %d running, %d/s without a window, %d/s at best", c.cores, c.loses, c.clients, got, inside, free, best)
		if got*100 < best*75 {
			t.Errorf("%d cores, loss probability %.2f, %d clients: %d commits/s; %d possible", c.cores, c.loses, c.clients, got, best)
		}
	}
	c := crowd{rand.New(rand.NewPCG(1, 2)), 2, 0.0001, 1000}
	if _, inside := c.run(2, AdmissionBounds{}); inside != 1000 {
		t.Errorf("few fail, and only %d of 1000 are running", inside)
	}
}
