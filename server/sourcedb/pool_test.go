package sourcedb

import (
	"context"
	"testing"
	"time"

	"isochron/source"
)

// looked is a connection that counts its checks.
type looked struct{ looks, closed int }

func (l *looked) sound(context.Context, time.Duration) bool { l.looks++; return l.closed == 0 }
func (l *looked) close()                                    { l.closed++ }

// A caller that can send again is given a recently used connection without a check; all others, and after a pause all, are
// given a checked one.
func TestPoolChecksItsConnections(t *testing.T) {
	c := new(looked)
	p := newPool(1, func(context.Context) (*looked, error) { return c, nil })
	get := func(unlooked time.Duration, looks int) {
		t.Helper()
		got, _, err := p.getIdle(t.Context(), 0, unlooked)
		if err != nil || got != c || c.looks != looks {
			t.Errorf("got %v, %v after %d looks, want %d", got, err, c.looks, looks)
		}
		p.put(got)
	}
	get(unseen, 0) // it is new
	get(unseen, 0)
	get(0, 1)
	p.idle[0].since = time.Now().Add(-unseen)
	get(unseen, 2)
}

// A statement that may change something is sent on a checked connection; a read only the first time.
func TestReadsAreSentWithoutACheck(t *testing.T) {
	for text, want := range map[string]time.Duration{"SELECT v FROM t": unseen, "UPDATE t SET v = 1": 0, "SELECT f(v) FROM t": 0} {
		s := source.Statement{Text: text}
		if got := unlooked(s, true); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if got := unlooked(s, false); got != 0 {
			t.Errorf("%s, sent again: %v", text, got)
		}
	}
}
