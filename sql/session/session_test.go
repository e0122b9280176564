package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"isochron/sql/sqltest"
)

// Time that runs out during a commit does not cut the commit. But one that fails, of a
// statement that would be done again, ends the statement: the time does not run out twice.
func TestTimeIsUpDuringCommit(t *testing.T) {
	for _, again := range []bool{false, true} {
		var i Interruption
		ctx := i.Enter(context.Background(), time.Now(), false)
		if err := i.Commits(); err != nil {
			t.Fatal(err)
		}
		i.Cut(ErrKilled)
		if ctx.Err() != nil || i.Reason() != nil {
			t.Error("the commit was cut")
		}
		i.Committed(again, false)
		if cut := ctx.Err() != nil && i.Reason() == ErrKilled; cut != again {
			t.Errorf("to be done again: %v; cut: %v", again, cut)
		}
		i.Leave()
		i.Enter(context.Background(), time.Now(), false)
		if i.Commits() != nil {
			t.Error("the next statement is cut too")
		}
		i.Committed(true, false)
		if i.Reason() != nil {
			t.Error("the next statement is cut too")
		}
	}
}

// What has committed all that it had to is not reported as cut short.
func TestACommittedStatementIsNotCut(t *testing.T) {
	var i Interruption
	ctx := i.Enter(context.Background(), time.Now(), false)
	if err := i.Commits(); err != nil {
		t.Fatal(err)
	}
	i.Committed(false, true)
	i.Cut(ErrKilled)
	if ctx.Err() != nil || i.Reason() != nil {
		t.Error("it was cut after its commit")
	}
	i.Leave()
	ctx = i.Enter(context.Background(), time.Now(), false)
	if i.Cut(ErrKilled); ctx.Err() == nil {
		t.Error("the next statement cannot be cut")
	}
}

// A client that takes little by little is slow as one that takes nothing, one that takes
// enough is not, and what it took at once before counts for nothing.
func TestFlow(t *testing.T) {
	var f Flow
	now := time.Unix(1000, 0)
	f.Begin(time.Now())
	f.End(100 << 20)
	f.Begin(now)
	if got := f.Waited(now.Add(7 * time.Second)); got != 7*time.Second {
		t.Errorf("after 100 MiB at once it has waited %v", got)
	}
	f.before = 0
	for range 10 {
		f.Begin(time.Now().Add(-6 * time.Second))
		f.End(1 << 10)
	}
	if got := f.Waited(now); got < 50*time.Second {
		t.Errorf("ten times 6 s for 1 KiB are %v", got)
	}
	f.Anew()
	for range 10 {
		f.Begin(time.Now().Add(-500 * time.Millisecond))
		f.End(64 << 10)
	}
	if got := f.Waited(now); got > time.Second {
		t.Errorf("128 KiB a second are %v", got)
	}
}

// An age ends: after a while without a try, and after a longer one whatever is tried.
func TestAnAgeEnds(t *testing.T) {
	now := time.Now()
	minutes := func(n float64) time.Time { return now.Add(-time.Duration(n * float64(time.Minute))) }
	for _, tc := range []struct {
		first, last time.Time
		kept        bool
	}{
		{minutes(0.9), minutes(0.9), true},
		{minutes(9), minutes(0.5), true},
		{minutes(1.1), minutes(1.1), false},
		{minutes(11), minutes(0.1), false},
	} {
		l := Lost{Tx: &sqltest.Txn{}, First: tc.first, at: tc.last}
		if got := l.Regain(now, func() string { return "" }); (got.Tx != nil) != tc.kept {
			t.Errorf("first tried %v ago and last %v ago: kept %v, want %v", now.Sub(tc.first), now.Sub(tc.last), got.Tx != nil, tc.kept)
		}
		if l.Tx != nil {
			t.Error("an age was given twice, or is kept beyond its time")
		}
	}
}

func TestTheNameOfThisMachinesZone(t *testing.T) {
	link := func(to string) func(string) (string, error) {
		return func(string) (string, error) {
			if to == "" {
				return "", errors.New("no link")
			}
			return to, nil
		}
	}
	here := distance(time.Now())
	for _, c := range []struct{ name, link, want string }{
		{"Local", "/usr/share/zoneinfo/Europe/Paris", "Europe/Paris"}, {"Local", "../usr/share/zoneinfo/Etc/UTC", ""},
		{"Asia/Tokyo", "", "Asia/Tokyo"}, {"UTC", "", ""}, {"Local", "", here}, {"Local", "/somewhere", here},
	} {
		if got := localName(c.name, link(c.link)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
