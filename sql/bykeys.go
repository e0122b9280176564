package sql

import (
	"context"
	"slices"
	"sync"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/change"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// keyed is a statement that names its rows by their keys, ready to be executed in one request to the gateway.
type keyed interface {
	// keys are those that it reads, and all that it may write; fixed is false if some follow from what it reads.
	keys() (reads, writes []txn.Key, fixed bool)
	table() *catalog.Descriptor
	// run executes it on the values of its keys; an error: it is for another way.
	run(ctx context.Context, tx *change.Known) error
	// answer is what the client is sent, which the session notes for later questions.
	answer(x *execution) *sqltypes.Result
	counter() string
}

// keyedTogetherMax bounds the keys of such statements that are one transaction.
const keyedTogetherMax = 256

// keyedTogether are such statements that are one transaction, which are executed in their order: what they read is read, and
// what they make of it committed, in one request to the gateway. If all that they may write is known before, the gateway
// receives it: then they are a fixed-set transaction, where the protocol has them.
type keyedTogether struct {
	of     []keyed
	reads  []txn.Key // each once, rising
	writes []txn.Key // likewise; nil: not all are known before
}

// join makes one transaction of statements; nil if it has too many keys, or none.
func join(of ...keyed) *keyedTogether {
	t, all := &keyedTogether{of: of}, true
	for _, k := range of {
		reads, writes, fixed := k.keys()
		all = all && fixed
		t.reads, t.writes = append(t.reads, reads...), append(t.writes, writes...)
	}
	t.reads, t.writes = sortedKeys(t.reads), sortedKeys(t.writes)
	if len(t.reads) == 0 || len(t.reads)+len(t.writes) > 2*keyedTogetherMax {
		return nil
	}
	if !all {
		t.writes = nil
	}
	return t
}

func sortedKeys(keys []txn.Key) []txn.Key {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// apply executes the statements on the values of reads.
func (t *keyedTogether) apply(ctx context.Context, values [][]byte) ([]txn.Write, bool) {
	tx := change.NewKnown(t.reads, values)
	for _, k := range t.of {
		if err := k.run(ctx, tx); err != nil {
			return nil, false
		}
	}
	return tx.Writes()
}

// execute executes the statements and commits; false: they are for another way, and nothing was written.
func (t *keyedTogether) execute(ctx context.Context, x *execution) (done bool, err error) {
	s := x.s
	for _, k := range t.of {
		if _, err := s.use(ctx, k.table()); err != nil {
			return false, err
		}
	}
	var once sync.Mutex // apply may be called after it was given up: not then
	over := false
	done, err = s.open.watch.Update(ctx, txn.Read{Gets: t.reads, ForWrite: true, FixedSet: t.writes}, func(values [][]byte) ([]txn.Write, bool) {
		once.Lock()
		defer once.Unlock()
		if over {
			return nil, false
		}
		return t.apply(ctx, values)
	})
	once.Lock()
	over = true
	once.Unlock()
	if err != nil || !done {
		return false, err
	}
	x.h.g.pointUpdates.Add(int64(len(t.of)))
	s.committed()
	s.SetTransaction(nil)
	return true, nil
}

// keyedChange is a change.
type keyedChange struct {
	*changePlan
	go1 *change.OneGo
	c   *expr.Context
}

func (k *keyedChange) keys() (reads, writes []txn.Key, fixed bool) {
	return k.go1.Reads, k.go1.Fixed, k.go1.Fixed != nil
}

func (k *keyedChange) table() *catalog.Descriptor { return k.plan.Table }

func (k *keyedChange) run(ctx context.Context, tx *change.Known) error { return k.go1.Run(ctx, tx) }

func (k *keyedChange) answer(x *execution) *sqltypes.Result {
	showCoreWarnings(x.s, k.c)
	return k.answered(x.s, k.go1.Out, &changeView{coreView: coreView{x.s}}, k.c)
}

// keyedRead is a SELECT ... FOR UPDATE of rows by their keys.
type keyedRead struct {
	*corePlan
	s     *Session
	c     *expr.Context
	gets  []txn.Key
	found [][]expr.Value
}

func (k *keyedRead) keys() (reads, writes []txn.Key, fixed bool) { return k.gets, nil, true }

func (k *keyedRead) table() *catalog.Descriptor { return k.plan.Query.Table }

func (k *keyedRead) run(ctx context.Context, tx *change.Known) error {
	k.found = nil
	from, err := k.plan.Execute(ctx, k.s.quiet, k.c, knownReader{tx}, k.s.account.Load())
	if err != nil {
		return err
	}
	defer from.Close()
	for {
		rows, err := from.Next(ctx)
		if err != nil || rows == nil {
			return err
		}
		for _, row := range rows {
			k.found = append(k.found, slices.Clone(row))
		}
	}
}

func (k *keyedRead) answer(x *execution) *sqltypes.Result {
	showCoreWarnings(x.s, k.c)
	info := x.s.GetLastQueryInfo()
	info.RowCount.Store(-1)
	info.FoundRows.Store(int64(len(k.found)))
	setFlags(x.s, x.c)
	return coreResult(valueFields(k.fields, k.found), k.of, k.found, x.s.shown(x.prepare != nil))
}

// knownReader reads in a transaction that knows the keys.
type knownReader struct{ tx *change.Known }

// Read implements rounds.Reader.
func (r knownReader) Read(ctx context.Context, a *table.Access, _ txn.Lock, _ txn.Wait, columns []int) ([][]expr.Value, error) {
	return a.FetchValues(ctx, r.tx, table.Mode{ForWrite: true}, columns)
}

// byKeys are the statements of one packet up to its COMMIT, if they are such (declaredpacket.go).
type byKeys struct {
	all   *keyedTogether
	ahead []*executedAhead // those behind the first, with the COMMIT
	rest  string           // what stands behind the first
}

func (*byKeys) kind() planKind { return pointPlan }

func (p *byKeys) counter() string { return p.all.of[0].counter() }

// Execute implements Plan.
func (p *byKeys) Execute(ctx context.Context, x *execution) error {
	x.s.statement.yieldsFresh()
	done, err := p.all.execute(ctx, x)
	if err != nil {
		return err
	}
	if !done {
		return errOtherPlan
	}
	x.s.packet.ahead, x.rest = p.ahead, p.rest
	return x.yield(p.all.of[0].answer(x), true)
}

// doneAhead is the plan of a statement of a packet that was done with one before it.
type doneAhead struct{ of keyed }

func (doneAhead) kind() planKind { return pointPlan }

func (d doneAhead) counter() string { return d.of.counter() }

// Execute implements Plan.
func (d doneAhead) Execute(_ context.Context, x *execution) error {
	x.s.statement.yieldsFresh()
	x.s.packet.ahead = x.s.packet.ahead[1:]
	return x.yield(d.of.answer(x), true)
}
