package coordinator

import (
	"testing"

	"isochron/txn"
)

// A version identifies one value: a changed value is published under another attempt, an unchanged
// one keeps its own.
func TestAChangedValueGetsAnotherVersion(t *testing.T) {
	a := &attempts{cfg: &Config{Self: 1, Epoch: 1}, next: 1}
	tx := &transaction{}
	value := func(v string) []txn.Write { return []txn.Write{{Key: "k", Value: []byte(v)}} }
	first := a.reserve(tx)
	tx.published = value("1")
	a.changeMind(tx, value("1"))
	if again := a.reserve(tx); again != first {
		t.Errorf("the same value went as %v and then as %v", first, again)
	}
	a.changeMind(tx, value("2"))
	second := a.reserve(tx)
	if second == first {
		t.Error("another value went under the version of the first")
	}
	tx.published = value("2")
	a.changeMind(tx, nil)
	if third := a.reserve(tx); third == second {
		t.Error("a value no longer written kept its attempt")
	}
	if len(a.active) != 1 {
		t.Errorf("%d attempts are reserved; those given up must not delay the retired number", len(a.active))
	}
}
