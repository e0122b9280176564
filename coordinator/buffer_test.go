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

func TestABufferIsBounded(t *testing.T) {
	var b buffer
	b.set("a", []byte("1"))
	mark := b.savepoint()
	piece := make([]byte, maxWriteBytes/4)
	for i := range 4 {
		b.set(txn.Key(fmt.Sprint("k", i)), piece)
	}
	if b.full == nil || b.full.Kind != txn.KindTooLarge || len(b.log) != 4 {
		t.Fatalf("five writes, the last beyond the bound: %d are kept, full is %v", len(b.log), b.full)
	}
	b.set("z", []byte("small")) // a failed statement must not continue in part
	if _, ok := b.rows.Get("z"); ok {
		t.Error("a write after one that found no room was kept")
	}
	b.rollbackTo(b.savepoint())
	if b.full != nil {
		t.Error("still full after a rollback of the writes beyond the bound")
	}
	b.rollbackTo(mark)
	if want := writeBytes("a", []byte("1")); b.bytes != want {
		t.Errorf("%d bytes are counted after a rollback, want %d", b.bytes, want)
	}
	for range maxWrites {
		b.set("a", []byte("2"))
	}
	if b.full == nil || len(b.log) != maxWrites {
		t.Errorf("%d writes are kept, full is %v", len(b.log), b.full)
	}
	b.rollbackTo(0)
	if b.bytes != 0 || b.full != nil {
		t.Errorf("after a rollback to the start: %d bytes, full is %v", b.bytes, b.full)
	}
}

func TestTheSizeOfAPrepareIsNotUnderestimated(t *testing.T) {
	p := &txn.Prepare{}
	for i := range 2000 {
		k := txn.Key(fmt.Sprintf("some key %d", i))
		var v txn.Version
		v.Seq = ^v.Seq
		p.Writes = append(p.Writes, txn.Write{Key: k, Value: []byte("value")})
		p.Reads = append(p.Reads, txn.ReadCheck{Key: k, Version: v})
		p.Spans = append(p.Spans, txn.SpanCheck{Span: txn.Span{Start: k, End: k}, Digest: ^uint64(0), Count: 1 << 40})
	}
	if rated, is := prepareBytes(p), len(txn.Encode(txn.Message{Prepare: p})); rated < is {
		t.Errorf("a Prepare of %d bytes is rated at %d", is, rated)
	}
}
