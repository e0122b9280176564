package session

import (
	"testing"
	"time"

	"isochron/sql/sysvars"
	"isochron/txn"
)

// SET TRANSACTION holds for the next transaction alone, whether that is explicit or a statement's
// own, and is refused within one.
func TestTheNextTransactionAlone(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		s := Transactions{Characteristics: Characteristics{Level: txn.Serializable}}
		if err := s.SetNext(sysvars.RepeatableRead, true); err == nil {
			t.Error("it was changed within a transaction")
		}
		if err := s.SetNext(sysvars.RepeatableRead, false); err != nil {
			t.Fatal(err)
		}
		if err := s.SetNext(sysvars.NextReadOnly, false); err != nil {
			t.Fatal(err)
		}
		s.AfterStatement(false, false)
		if now := s.Now(); now.Level != txn.RepeatableRead || !now.ReadOnly {
			t.Fatalf("the next transaction is %+v", now)
		}
		if explicit {
			s.AfterStatement(true, true)
		} else {
			s.Next.Used = true
		}
		s.AfterStatement(false, false)
		if now := s.Now(); now.Level != txn.Serializable || now.ReadOnly {
			t.Errorf("explicit %v: the one behind it is %+v", explicit, now)
		}
	}
}

// What lost is done again within its bounds; a changed schema and a read in the wrong way do not
// count against them.
func TestPatience(t *testing.T) {
	lost, stale := &txn.Error{Kind: txn.KindAborted}, &txn.Error{Kind: txn.KindStale}
	c := choices{Retries: 2, patience: time.Hour}
	for _, w := range []struct {
		notFinal bool
		failure  *txn.Error
		try      int
		began    time.Time
		want     bool
	}{
		{false, lost, 1, time.Now(), true},
		{false, lost, 2, time.Now(), false},
		{false, lost, 1, time.Now().Add(-2 * time.Hour), false},
		{true, lost, 0, time.Now().Add(-2 * time.Hour), true},
		{true, lost, 2, time.Now(), false},
		{false, stale, staleTriesMax - 2, time.Now(), true},
		{false, stale, staleTriesMax - 1, time.Now(), false},
	} {
		if got := c.Patient(w.notFinal, w.failure, w.try, w.began); got != w.want {
			t.Errorf("%+v: %v", w, got)
		}
	}
	for _, f := range []*txn.Error{nil, {Kind: txn.KindLockTimeout}, {Kind: txn.KindAborted, Fault: &txn.Fault{Code: 1205}}} {
		if Worthwhile(f) {
			t.Errorf("%+v is worth another try", f)
		}
	}
	if !Worthwhile(lost) || !Worthwhile(stale) || !Worthwhile(&txn.Error{Kind: txn.KindAborted, Fault: &txn.Fault{Code: sourceDeadlock}}) {
		t.Error("what lost to others is not worth another try")
	}
}

// changing are variables whose values are counted when they are asked for.
type changing struct {
	retries int64
	asked   int
}

func (c *changing) Variable(name string) (any, error) {
	c.asked++
	if name == sysvars.RetryMax {
		return c.retries, nil
	}
	return nil, nil
}

func (c *changing) Bool(string) (bool, error) { return true, nil }

func (c *changing) All() map[string]any { return map[string]any{sysvars.RetryMax: c.retries} }

// Variables are read once after each change, and sums of them are equal where all values are.
func TestVariablesAreReadOnceAChange(t *testing.T) {
	from := &changing{retries: 3}
	v := New(from)
	if v.Chosen().Retries != 3 || !v.Autocommit() {
		t.Fatalf("%+v", v.Chosen())
	}
	sum, asked := v.Summed(), from.asked
	from.retries = 7
	if v.Chosen().Retries != 3 || from.asked != asked {
		t.Error("variables are read though none has changed")
	}
	v.Changed()
	if v.Chosen().Retries != 7 || v.Summed() == sum {
		t.Error("a change is not seen")
	}
	from.retries = 3
	v.Changed()
	if v.Summed() != sum {
		t.Error("the sums of equal variables differ")
	}
}
