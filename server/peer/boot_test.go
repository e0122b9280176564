package peer

import (
	"errors"
	"testing"
	"time"

	"isochron/txn"
)

// The starts of node 3 as node 1 sees them, in virtual time.
type watcher struct {
	*BootRegistry
	now   time.Time
	open  []received
	saved []Known
}

func newWatcher(known ...Known) *watcher {
	w := &watcher{now: time.Unix(1_000_000, 0)}
	w.BootRegistry = NewBootRegistry(BootRegistryConfig{Self: 1, Own: Boot{Start: 4, ID: 44}, Known: known, Save: func(k []Known) error {
		w.saved = k
		return nil
	}})
	w.receiving = func() []received { return w.open }
	return w
}

// asks has a start ask for admission and returns the refusal's code, 0 if it is admitted.
func (w *watcher) asks(life Boot) Code {
	fresh, err := w.judge(3, life, "c:4502", w.now)
	if err == nil && fresh {
		w.open = nil // the transport hangs up
	}
	return codeOf(err)
}

func (w *watcher) want(t *testing.T, what string, life Boot, want Code) {
	t.Helper()
	if got := w.asks(life); got != want {
		t.Errorf("%s: the code %d, want %d", what, got, want)
	}
}

func (w *watcher) receive(life Boot) { w.open = []received{{3, life.ID, w.now}} }

const admitted Code = 0

func TestRestartsAreAdmittedAndCopiesRefused(t *testing.T) {
	first := Boot{}.Next(10)
	w := newWatcher()
	w.want(t, "before it answers at its address", first, codeWait)
	w.answersAt(3, first)
	w.want(t, "the first start", first, admitted)
	w.want(t, "the same again", first, admitted)
	w.receive(first)

	second := first.Next(11)
	w.answersAt(3, second)
	w.want(t, "a copy while the original is in contact", second, CodeTwice)
	w.want(t, "the original meanwhile", first, admitted)
	w.now = w.now.Add(quiet)
	w.want(t, "when the original is silent", second, admitted)
	w.want(t, "the original returns", first, CodeStale)
	w.want(t, "the original restarts", first.Next(12), CodeStale)
	w.want(t, "an unseen start, and the next", second.Next(13).Next(14), codeWait)
	w.answersAt(3, Boot{ID: 14})
	w.want(t, "it answers", second.Next(13).Next(14), admitted)
	if len(w.saved) != 1 || w.saved[0].ID != 14 || w.saved[0].Start != 4 {
		t.Errorf("recorded: %+v", w.saved)
	}

	again := newWatcher(w.saved...)
	again.want(t, "after a restart of the watcher, an older one", second, CodeStale)
	again.want(t, "the same one", Boot{Start: 4, ID: 14}, admitted)
	again.want(t, "an earlier version", Boot{}, admitted)
}

// A copy at another address never replaces a node that is down for a while.
func TestCopyElsewhereIsRefused(t *testing.T) {
	first := Boot{}.Next(10)
	w := newWatcher(Known{Node: 3, Start: 1, ID: 10})
	w.answersAt(3, first)
	w.want(t, "at first", first.Next(11), codeWait)
	w.now = w.now.Add(settling)
	w.want(t, "later", first.Next(11), CodeElsewhere)
	w.answersAt(3, first.Next(12))
	w.want(t, "the node itself", first.Next(12), admitted)
}

// A node that another node receives from is not gone, as long as that other node is in contact.
func TestReportsOfOthersCount(t *testing.T) {
	first := Boot{}.Next(10)
	w := newWatcher(Known{Node: 3, Start: 1, ID: 10})
	w.answersAt(3, first.Next(11))
	if _, err := w.learn(2, []bootReport{{3, 1, 10, 301}}, w.now); err != nil {
		t.Fatal(err)
	}
	w.want(t, "node 2 receives from the original", first.Next(11), CodeTwice)
	w.now = w.now.Add(quiet - 300*time.Millisecond)
	w.want(t, "node 2 is silent", first.Next(11), admitted)

	news, err := w.learn(2, []bootReport{{3, 1, 10, 0}, {4, 7, 70, 0}}, w.now)
	if err != nil || len(news) != 1 || news[0] != 4 {
		t.Errorf("news of %v, %v", news, err)
	}
	_, err = w.learn(2, []bootReport{{1, 5, 50, 0}}, w.now)
	var no refusal
	if !errors.As(err, &no) || no.code != CodeStale {
		t.Errorf("a newer start of this node itself: %v", err)
	}
	if got := w.reports(w.now); len(got) != 2 || got[0].Received != 0 || got[1].Node != 4 {
		t.Errorf("reports %+v", got)
	}
	w.open = []received{{3, 11, w.now.Add(-time.Second)}}
	if got := w.reports(w.now); got[0].Received != 1001 {
		t.Errorf("reports %+v", got)
	}
}

// A start lists a bounded number of earlier ones; for a record farther back the list is not required.
func TestPastIsBounded(t *testing.T) {
	life := Boot{}
	for i := range uint64(pastMax + 100) {
		life = life.Next(i + 1)
	}
	if len(life.Past) != pastMax || life.Start != pastMax+100 {
		t.Fatalf("start %d lists %d", life.Start, len(life.Past))
	}
	for _, c := range []struct {
		k    Known
		want bool
	}{{Known{Start: 1, ID: 1}, true}, {Known{Start: pastMax, ID: pastMax}, true}, {Known{Start: pastMax, ID: 1 << 40}, false}, {Known{Start: 1 << 40, ID: 1 << 40}, false}} {
		if life.follows(c.k) != c.want {
			t.Errorf("%+v: follows is not %v", c.k, c.want)
		}
	}
}

// A start that cannot be recorded is not admitted.
func TestUnrecordedStartIsRefused(t *testing.T) {
	w := newWatcher()
	w.cfg.Save = func([]Known) error { return errors.New("the disk is full") }
	w.answersAt(3, Boot{}.Next(10))
	if _, err := w.judge(3, Boot{}.Next(10), "", w.now); err == nil || w.known[txn.NodeID(3)].ID != 0 {
		t.Errorf("admitted: %v", err)
	}
}
