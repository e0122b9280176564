package sql

import (
	"context"
	"errors"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/memory"
	"isochron/sql/rounds"
	"isochron/sql/table"
	"isochron/txn"
)

// coreReader reads in the transaction of a session.
type coreReader struct {
	s      *Session
	once   bool // it is the statement's only read
	x      *execution
	looked *looked
	gctx   *gms.Context // nil: that of x
}

func newCoreReader(s *Session, once bool, x *execution) coreReader {
	return coreReader{s: s, once: once, x: x, looked: &looked{}}
}

// Read implements rounds.Reader.
func (r coreReader) Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]expr.Value, error) {
	p, err := r.pieces(ctx, a, lock, wait, columns, true)
	if err != nil {
		return nil, err
	}
	rows := p.rows
	for p.from != nil {
		if err := p.read(ctx); err != nil {
			return nil, err
		}
		rows = append(rows, p.rows...)
	}
	return rows, nil
}

// ReadPieces implements rounds.PieceReader.
func (r coreReader) ReadPieces(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int, ordered bool) (exec.Source, error) {
	return r.pieces(ctx, a, lock, wait, columns, ordered)
}

// firstShare bounds the first piece of a read that begins with others: it is less than this part of what the statement may hold.
const firstShare = 4

// ReadFirst implements rounds.FirstReader. A piece for which there is no memory is read again when its turn comes.
func (r coreReader) ReadFirst(ctx context.Context, list []rounds.Request) ([]exec.Source, error) {
	s, account := r.s, r.s.account.Load()
	s.statement.readsOnce(false)
	begin := func(q rounds.Request) (*table.Pieces, error) {
		tx, err := s.use(ctx, q.Access.Desc)
		if err != nil {
			return nil, err
		}
		return q.Access.Pieces(tx, table.Mode{ForWrite: s.Writes(q.Access.Desc.ID())}, q.Columns, q.Ordered), nil
	}
	of := make([]*readPieces, len(list))
	var reads []*table.Pieces
	for i, q := range list {
		from, err := begin(q)
		if err != nil {
			return nil, err
		}
		if of[i] = (&readPieces{s: s, account: account, from: from}); !s.Writes(q.Access.Desc.ID()) {
			reads = append(reads, from)
		}
	}
	if err := table.Begin(ctx, reads); err != nil {
		return nil, err
	}
	out := make([]exec.Source, len(list))
	for i, p := range of {
		out[i] = p
		if !p.from.Begun() {
			continue
		}
		if err := p.read(ctx); err == nil && p.charged < account.Left()/(firstShare-1) { // of no round
			continue
		}
		p.Close()
		from, err := begin(list[i])
		if err != nil {
			return nil, err
		}
		p.rows, p.from = nil, from
	}
	return out, nil
}

// pieces begins a read, and reads its first piece.
func (r coreReader) pieces(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int, ordered bool) (*readPieces, error) {
	s := r.s
	p := &readPieces{s: s, account: s.account.Load()}
	m := table.Mode{Lock: lock, Wait: wait, ForWrite: s.Writes(a.Desc.ID())}
	if n := len(columns); wait == txn.SkipLocked && n > 0 && columns[n-1] == len(a.Desc.Record.Columns) {
		rows, err := r.look(ctx, a, m, columns)
		p.rows = rows
		return p, err
	}
	s.statement.readsOnce(r.once && s.statement.own && lock == txn.LockNone && a.Rounds(m, columns) == 1)
	tx, err := s.use(ctx, a.Desc)
	if err != nil {
		return nil, err
	}
	m.OnlyRead = s.FinalRead()
	p.from = a.Pieces(tx, m, columns, ordered)
	return p, p.read(ctx)
}

// readPieces are rows that are read piece by piece. It charges for one piece.
type readPieces struct {
	s       *Session
	account *memory.Account
	from    *table.Pieces // nil: all is read
	rows    [][]expr.Value
	charged int64
}

// read reads the next piece.
func (p *readPieces) read(ctx context.Context) (err error) {
	p.rows, err = p.from.Next(ctx)
	switch {
	case errors.Is(err, table.ErrNotFinal):
		return p.s.NotFinal()
	case err != nil:
		return err
	case p.rows == nil || p.from.Ended():
		p.from = nil
	}
	bytes := bytesOf(p.rows)
	if err := p.account.Charge(bytes); err != nil {
		return err
	}
	p.charged += bytes
	return nil
}

// Next implements exec.Source.
func (p *readPieces) Next(ctx context.Context) ([][]expr.Value, error) {
	for len(p.rows) == 0 && p.from != nil {
		p.Close()
		if err := p.read(ctx); err != nil {
			return nil, err
		}
	}
	n := min(len(p.rows), exec.BatchMax)
	if n == 0 {
		return nil, nil
	}
	batch := p.rows[:n:n]
	p.rows = p.rows[n:]
	return batch, nil
}

// Close implements exec.Source.
func (p *readPieces) Close() {
	p.account.Release(p.charged)
	p.charged = 0
}

// bytesOf is what rows take.
func bytesOf(rows [][]expr.Value) (n int64) {
	for _, row := range rows {
		n += int64(len(row)) * valueOverheadBytes
		for _, v := range row {
			n += int64(v.Len())
		}
	}
	return n
}
