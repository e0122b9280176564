package coordinator

import (
	"context"
	"slices"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

type db struct{ port Port }

// NewDB returns the client interface of the gateway behind a port.
func NewDB(p Port) txn.DB { return &db{p} }

func (d *db) Directory() *routing.Directory { return d.port.Directory() }
func (d *db) Region() geo.Region            { return d.port.Region() }
func (d *db) ReadLocal(k txn.Key) ([]byte, txn.Version, bool) {
	return d.port.ReadLocal(k)
}

// Begin implements txn.DB.
func (d *db) Begin(opt txn.Options) txn.Txn {
	readOnly := opt.ReadOnly || opt.AsOf != 0
	h := &handle{port: d.port, readOnly: readOnly, from: Start{
		Age: txn.Age{Priority: opt.Priority}, LockWaitMillis: opt.LockWaitMillis, SilenceMillis: opt.SilenceMillis, CommitMillis: opt.CommitWaitMillis, ReadOnly: readOnly, AsOf: opt.AsOf, ProtectMillis: opt.ProtectMillis, Level: opt.Level, SessionID: opt.SessionID, SystemTxn: opt.SystemTxn}}
	if prev, ok := opt.RetryOf.(*handle); ok && prev != nil {
		h.from.Age, h.from.Try = prev.age, prev.from.Try+1
		h.from.Age.Priority = max(prev.age.Priority, opt.Priority)
		if opt.AutoRetry && prev.failed != nil {
			h.from.AutoRetry, h.from.Lost = true, prev.failed.AbortCause()
		}
	}
	h.age = h.from.Age // a try without any request passes its age on too
	return h
}

// handle is a client's transaction. Its writes stay here until the commit.
type handle struct {
	port         Port
	from         Start
	id           txn.ID
	age          txn.Age
	readOnly     bool
	buf          buffer
	schemaChecks []SchemaCheck
	stats        txn.Stats
	rounds       []txn.RoundReport
	statements   int
	ended        bool
	failed       *txn.Error  // the error that ended it
	first        *Request    // the request that began it, if it was never answered
	executed     bool        // it has branches at sources
	hot          []txn.Key   // rows for which others wait
	published    []txn.Write // the last published writes of these
}

func (h *handle) ID() txn.ID       { return h.id }
func (h *handle) Stats() txn.Stats { return h.stats }

// Rounds implements txn.Journaled.
func (h *handle) Rounds() []txn.RoundReport { return h.rounds }

// Try implements txn.Journaled.
func (h *handle) Try() int { return h.from.Try }

func (h *handle) Savepoint() int           { return h.buf.savepoint() }
func (h *handle) RollbackTo(savepoint int) { h.buf.rollbackTo(savepoint) }

// NextStatement implements txn.SnapshotTxn.
func (h *handle) NextStatement() { h.statements++ }

// Choose implements txn.SnapshotTxn: a read of nothing chooses the read timestamp.
func (h *handle) Choose(ctx context.Context) error {
	if err := h.usable(); err != nil || h.from.Level != txn.RepeatableRead {
		return err
	}
	_, err := h.do(ctx, &Request{Op: OpRead})
	return err
}

func (h *handle) Put(k txn.Key, value []byte) {
	if len(value) == 0 {
		panic("coordinator: a row's value must not be empty")
	}
	h.buf.set(k, value)
}

func (h *handle) Delete(k txn.Key) { h.buf.set(k, nil) }

// Full implements txn.Bounded.
func (h *handle) Full() *txn.Error { return h.buf.full }

func (h *handle) SchemaCheck(name string, v txn.Version) {
	for _, g := range h.schemaChecks {
		if g.Name == name {
			return
		}
	}
	h.schemaChecks = append(h.schemaChecks, SchemaCheck{name, v})
}

// do sends a request of this transaction and applies the response.
func (h *handle) do(ctx context.Context, req *Request) (Response, error) {
	req.Txn, req.From, req.SchemaChecks, req.Statement = h.id, h.from, h.schemaChecks, h.statements
	if h.id.IsZero() {
		h.first = req
	}
	resp := h.port.Do(ctx, req)
	if !resp.Txn.IsZero() {
		h.id = resp.Txn
	}
	if resp.Age.Start != 0 {
		h.age = resp.Age
	}
	if resp.Stats != (txn.Stats{}) {
		h.stats = resp.Stats
	}
	h.hot = append(h.hot, resp.Publish...)
	if resp.Rounds != nil {
		h.rounds = resp.Rounds
	}
	if resp.Err == nil {
		return resp, nil
	}
	switch resp.Err.Kind {
	case txn.KindLockTimeout, txn.KindNoWait, txn.KindInvalidRequest, txn.KindStatement:
	default:
		h.failed = resp.Err
	}
	return resp, resp.Err
}

func (h *handle) usable() error {
	switch {
	case h.failed != nil:
		return h.failed
	case h.ended:
		return txn.Errorf(txn.KindInvalidRequest, "the transaction has ended")
	case h.buf.full != nil:
		return h.buf.full
	}
	return nil
}

// Read implements txn.Txn.
func (h *handle) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	if err := h.usable(); err != nil {
		return txn.ReadResult{}, err
	}
	out := txn.ReadResult{Values: make([][]byte, len(r.Gets)), Pairs: make([][]txn.Pair, len(r.Scans))}
	req := &Request{Op: OpRead, Read: r}
	req.Read.Gets, req.Read.Scans = nil, nil
	req.Read.OnlyRead = r.OnlyRead && len(h.buf.log) == 0
	var asked []int
	for i, k := range r.Gets {
		if v, ok := h.buf.rows.Get(k); ok && r.Lock == txn.LockNone {
			out.Values[i] = v
			continue
		}
		asked = append(asked, i)
		req.Read.Gets = append(req.Read.Gets, k)
	}
	for _, s := range r.Scans {
		if s.Limit > 0 {
			s.Limit += h.buf.deletions(s.Span)
		}
		req.Read.Scans = append(req.Read.Scans, s)
	}
	if len(req.Read.Gets)+len(req.Read.Scans) == 0 {
		return out, nil
	}
	resp, err := h.do(ctx, req)
	if err != nil {
		return txn.ReadResult{}, err
	}
	out.More, out.At = resp.More, resp.At
	for j, i := range asked {
		out.Values[i] = resp.Rows[j].Value
		if v, ok := h.buf.rows.Get(r.Gets[i]); ok {
			out.Values[i] = v
		}
	}
	for i, s := range r.Scans {
		out.Pairs[i] = h.buf.overlay(s, resp.Scans[i])
	}
	return out, nil
}

// Publish implements txn.Publisher.
func (h *handle) Publish() bool {
	if len(h.hot) == 0 || h.usable() != nil {
		return false
	}
	var writes []txn.Write
	news := false
	for _, k := range h.hot {
		v, written := h.buf.rows.Get(k)
		if !written {
			continue
		}
		w := txn.Write{Key: k, Value: v}
		news = news || !slices.ContainsFunc(h.published, w.Same)
		writes = append(writes, w)
	}
	if !news {
		return false
	}
	h.published = writes
	h.port.Post(&Request{Op: OpPublish, Txn: h.id, Writes: writes})
	return true
}

// Update implements txn.Updater.
func (h *handle) Update(ctx context.Context, r txn.Read, f func([][]byte) ([]txn.Write, bool)) (done bool, err error) {
	if err := h.usable(); err != nil {
		return false, err
	}
	if h.readOnly || len(h.buf.log) > 0 || len(r.Scans) > 0 {
		return false, txn.Errorf(txn.KindInvalidRequest, "a one-round update reads keys only, in a transaction that may write and has not written")
	}
	r.OnlyRead = false
	then := func(rows []txn.Row) ([]txn.Write, bool) {
		values := make([][]byte, len(rows))
		for i, row := range rows {
			values[i] = row.Value
		}
		return f(values)
	}
	resp, err := h.do(ctx, &Request{Op: OpUpdate, Read: r, FixedSet: r.FixedSet, Then: then})
	if r.ExpectsAbsent && resp.Unexpected {
		r.ExpectsAbsent = false
		h.id, h.from.Age, h.failed = txn.ID{}, h.age, nil
		resp, err = h.do(ctx, &Request{Op: OpUpdate, Read: r, FixedSet: r.FixedSet, Then: then})
	}
	switch {
	case err != nil:
		return false, err
	case resp.Over: // the next request begins another transaction, of the same age
		h.id, h.from.Age = txn.ID{}, h.age
		return false, nil
	case resp.Declined:
		return false, nil
	}
	h.ended = true
	h.stats.CommitVersion, h.stats.CommitAt = resp.Version, resp.At
	return true, nil
}

// RunFixedSet implements txn.Declarer.
func (h *handle) RunFixedSet(ctx context.Context, d txn.FixedSetTxn) (done bool, err error) {
	if err := h.usable(); err != nil {
		return false, err
	}
	if !h.id.IsZero() || len(h.buf.log) > 0 || h.readOnly && len(d.Writes) > 0 {
		return false, txn.Errorf(txn.KindInvalidRequest, "a 2FI transaction declares all its keys in its first request")
	}
	withoutFixedSet := false
	then := func(rows []txn.Row) ([]txn.Write, bool) {
		values := make([][]byte, len(rows))
		for i, row := range rows {
			values[i] = row.Value
		}
		writes, ok := d.Then(values)
		withoutFixedSet = ok && slices.ContainsFunc(writes, func(w txn.Write) bool { return !slices.Contains(d.Writes, w.Key) })
		return writes, ok && !withoutFixedSet
	}
	resp, err := h.do(ctx, &Request{Op: OpFixedSet, Read: txn.Read{Gets: d.Reads, ForWrite: len(d.Writes) > 0}, FixedSet: d.Writes, Then: then})
	switch {
	case err != nil:
		h.failed = resp.Err // in any case: no more requests are possible
		return false, err
	case resp.Declined:
		h.Rollback()
		if withoutFixedSet {
			return false, txn.Errorf(txn.KindInvalidRequest, "the transaction writes keys that it has not declared; nothing was executed")
		}
		return false, nil
	}
	h.ended = true
	h.stats.CommitVersion, h.stats.CommitAt = resp.Version, resp.At
	return true, nil
}

// Execute implements txn.Sources.
func (h *handle) Execute(ctx context.Context, statements []txn.SourceStatement, last bool) ([]txn.SourceResult, error) {
	if err := h.usable(); err != nil {
		return nil, err
	}
	h.executed = true
	resp, err := h.do(ctx, &Request{Op: OpExecute, Statements: statements, Last: last, Writing: len(h.buf.log) > 0})
	return resp.Results, err
}

// ExecuteAndCommit implements txn.Finishing.
func (h *handle) ExecuteAndCommit(ctx context.Context, statements []txn.SourceStatement) ([]txn.SourceResult, error) {
	if err := h.usable(); err != nil {
		return nil, err
	}
	writes := h.buf.writes()
	if h.readOnly && len(writes) > 0 {
		return nil, txn.Errorf(txn.KindInvalidRequest, "a read-only transaction cannot write")
	}
	h.executed = true
	resp, err := h.do(ctx, &Request{Op: OpExecute, Statements: statements, Last: true, Commit: true, Writing: len(writes) > 0, Writes: writes, Executed: true})
	if err != nil {
		return resp.Results, err
	}
	h.ended = true
	h.stats.CommitVersion, h.stats.CommitAt = resp.Version, resp.At
	return resp.Results, nil
}

// Confirm implements txn.Confirmer.
func (h *handle) Confirm(ctx context.Context) error {
	if err := h.usable(); err != nil || h.id.IsZero() {
		return err
	}
	_, err := h.do(ctx, &Request{Op: OpConfirm})
	return err
}

// Commit implements txn.Txn.
func (h *handle) Commit(ctx context.Context) error {
	if err := h.usable(); err != nil {
		return err
	}
	writes := h.buf.writes()
	if h.readOnly && len(writes) > 0 {
		return txn.Errorf(txn.KindInvalidRequest, "a read-only transaction cannot write")
	}
	h.ended = true
	if h.id.IsZero() && len(writes) == 0 {
		return nil
	}
	resp, err := h.do(ctx, &Request{Op: OpCommit, Writes: writes, Executed: h.executed})
	if err != nil {
		h.failed = resp.Err // in any case: no requests are possible after a failed commit
		return err
	}
	h.stats.CommitVersion, h.stats.CommitAt = resp.Version, resp.At
	return nil
}

// Rollback implements txn.Txn.
func (h *handle) Rollback() { h.RollbackFor(txn.CauseClient) }

// RollbackFor implements txn.Endable.
func (h *handle) RollbackFor(reason txn.Cause) {
	if req := h.ends(reason); req != nil {
		h.port.Post(req)
	}
}

// RollbackAndWait implements txn.Endable.
func (h *handle) RollbackAndWait(reason txn.Cause) {
	switch req := h.ends(reason); {
	case req == nil:
	case h.executed:
		h.port.Do(context.Background(), req) // the response has no content
	default:
		h.port.Post(req)
	}
}

// ends returns the request that rolls the transaction back; nil: there is nothing to roll back.
func (h *handle) ends(reason txn.Cause) *Request {
	if h.ended && h.failed == nil {
		return nil
	}
	h.ended, h.buf = true, buffer{} // a retry may keep the handle for its age
	if h.id.IsZero() && h.first == nil {
		return nil
	}
	return &Request{Op: OpEnd, Txn: h.id, Of: h.first, Cause: reason}
}
