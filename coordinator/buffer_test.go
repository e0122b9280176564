package coordinator

import (
	"fmt"
	"testing"

	"isochron/txn"
)

func keysOf(pairs []txn.Pair) string {
	out := ""
	for _, p := range pairs {
		out += fmt.Sprintf("%s=%s ", p.Key, p.Value)
	}
	return out
}

func TestATransactionSeesItsOwnWrites(t *testing.T) {
	var b buffer
	b.set("b", []byte("B"))
	b.set("c", nil)
	b.set("e", []byte("E"))
	read := []txn.Row{{Key: "a", Value: []byte("1")}, {Key: "b", Value: []byte("2")}, {Key: "c", Value: []byte("3")}, {Key: "d", Value: []byte("4")}}
	all := txn.Scan{Span: txn.Span{Start: "a", End: "z"}}
	if got := keysOf(b.overlay(all, read)); got != "a=1 b=B d=4 e=E " {
		t.Errorf("forward: %s", got)
	}
	all.Limit = 2
	if got := keysOf(b.overlay(all, read)); got != "a=1 b=B " {
		t.Errorf("limited: %s", got)
	}
	all.Limit, all.Reverse = 0, true
	back := []txn.Row{read[3], read[2], read[1], read[0]}
	if got := keysOf(b.overlay(all, back)); got != "e=E d=4 b=B a=1 " {
		t.Errorf("reverse: %s", got)
	}
	if n := b.deletions(all.Span); n != 1 {
		t.Errorf("%d deletions", n)
	}
}

func TestSavepoints(t *testing.T) {
	var b buffer
	b.set("x", []byte("1"))
	mark := b.savepoint()
	b.set("x", []byte("2"))
	b.set("y", []byte("3"))
	b.rollbackTo(mark)
	if w := b.writes(); len(w) != 1 || string(w[0].Value) != "1" {
		t.Errorf("after rolling back to the savepoint: %v", w)
	}
}
