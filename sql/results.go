package sql

import (
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"isochron/sql/account"
)

// The bounds of results that are held back. Who wants more reads in parts, or in
// an explicit transaction, whose results are not held back.
const (
	heldMaxBytes    = 128 << 20 // of a statement
	heldAllMaxBytes = 512 << 20 // of all statements of a server
	// heldFreeBytes of a statement are not counted among those of all.
	heldFreeBytes = 64 << 10
	// valueOverheadBytes is what a value takes beside its text.
	valueOverheadBytes = 40
)

// results holds what a statement yields. The engine reuses the memory of what it
// hands out, so it is copied.
type results struct {
	s       *Session
	list    []held
	bytes   int64
	counted int64 // of bytes, in the server's sum
}

// sizeOf is what a piece of a result takes.
func sizeOf(r *sqltypes.Result) (n int64) {
	for _, row := range r.Rows {
		n += int64(len(row)) * valueOverheadBytes
		for _, v := range row {
			n += int64(len(v.Raw()))
		}
	}
	return n
}

// count bounds what is held.
func (h *results) count(r *sqltypes.Result) error { return h.charge(sizeOf(r)) }

// charge counts so many bytes more.
func (h *results) charge(n int64) error {
	h.bytes += n
	if h.bytes > h.s.gateway.bounds.held {
		return h.s.statement.tooMuch(mysql.NewSQLError(codeCapacity, "HY000", "Memory capacity of %d bytes for 'the result of a statement' exceeded. Read it in parts, or in a transaction begun by BEGIN", h.s.gateway.bounds.held))
	}
	if add := h.bytes - heldFreeBytes - h.counted; add > 0 {
		if !h.s.share().Take(account.OfResults, add, h.s.gateway.bounds.heldAll) {
			return h.s.statement.tooMuch(mysql.NewSQLError(codeResources, "HY000", "Out of memory; the results of all statements of this account would take more than %d bytes, 80 %% of what there is for those of the node: try again later, or read in parts", account.PartOf(h.s.gateway.bounds.heldAll)))
		}
		h.counted += add
		if h.s.gateway.held.Add(add) > h.s.gateway.bounds.heldAll {
			return h.s.statement.tooMuch(mysql.NewSQLError(codeResources, "HY000", "Out of memory; the results of all statements of this node would take more than %d bytes: try again later, or read in parts", h.s.gateway.bounds.heldAll))
		}
	}
	return nil
}

// drop forgets what is held.
func (h *results) drop() {
	if h.counted > 0 {
		h.s.gateway.held.Add(-h.counted)
		h.s.share().Give(account.OfResults, h.counted)
	}
	*h = results{s: h.s}
}

type held struct {
	r    *sqltypes.Result
	more bool
}

func (h *results) add(r *sqltypes.Result, more bool) error {
	if err := h.count(r); err != nil {
		return err
	}
	copied := *r
	if !h.s.statement.fresh {
		copied.Rows = make([][]sqltypes.Value, len(r.Rows))
		for i, row := range r.Rows {
			copied.Rows[i] = copyRow(row)
		}
	}
	h.list = append(h.list, held{&copied, more})
	return nil
}

// some holds back what an explicit transaction's first statement yields, while that
// is little. From then on it goes to the client, and is never done again.
func (h *results) some(r *sqltypes.Result, more bool, send mysql.ResultSpoolFn) error {
	if h.s.statement.shown {
		return send(r, more)
	}
	if h.bytes+sizeOf(r) <= heldFreeBytes {
		return h.add(r, more)
	}
	h.s.statement.shows()
	err := h.flush(send)
	h.drop()
	if err == nil {
		err = send(r, more)
	}
	return err
}

func copyRow(row []sqltypes.Value) []sqltypes.Value {
	size := 0
	for _, v := range row {
		size += len(v.ToBytes())
	}
	memory := make([]byte, 0, size)
	out := make([]sqltypes.Value, len(row))
	for i, v := range row {
		if v.IsNull() {
			continue
		}
		start := len(memory)
		memory = append(memory, v.ToBytes()...)
		out[i] = sqltypes.MakeTrusted(v.Type(), memory[start:len(memory):len(memory)])
	}
	return out
}

func (h *results) flush(callback mysql.ResultSpoolFn) error {
	for _, r := range h.list {
		if err := callback(r.r, r.more); err != nil {
			return err
		}
	}
	return nil
}
