package change

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/txn"
)

// A change that names its rows by their keys and is a transaction of its own, or one of several that are, is executed in one
// request to the gateway: its keys are foreseen, read together, and what it makes of their values is committed. It runs on a
// transaction that knows just these keys; a change that needs another one is executed as others are.

// The bounds of a change in one go.
const (
	oneGoKeysMax  = 256
	oneGoBytesMax = 256 << 10 // that it writes
)

// OneGo is an execution in one go.
type OneGo struct {
	Reads []txn.Key // each once, rising
	// Fixed are all keys that it may write, likewise; nil: some follow from what it reads.
	Fixed []txn.Key
	Out   Outcome // of the last Run
	plan  *Plan
	env   Env
	found *chosen // of an UPDATE or DELETE
}

// InOneGo foresees the keys of an execution; nil: it is not one for that, or fails.
func (p *Plan) InOneGo(ctx context.Context, env Env) *OneGo {
	if !p.pure || p.related != nil || p.moves || p.Table.Keyless() || p.counter >= 0 && assigns(p.sets, p.counter) {
		return nil
	}
	env.Context.Strict = env.Strict && !p.Ignore
	g := &OneGo{plan: p, env: env}
	env.Memory = unmetered{}
	if p.inserts() {
		return g.foreseeRows(ctx, env)
	}
	access, ordered, decided, err := p.rows.Choose(env.Clock, env.Context)
	if err != nil || access == nil || len(access.Scans) > 0 || !access.Index.Primary || len(access.Gets) > oneGoKeysMax {
		return nil
	}
	g.found = &chosen{access, ordered, decided}
	g.Reads = eachOnce(slices.Clone(access.Gets))
	if p.fixed() {
		g.Fixed = g.Reads
	}
	return g
}

// foreseeRows foresees the keys of an insertion: those of its rows, if no other row has one of them.
func (g *OneGo) foreseeRows(ctx context.Context, env Env) *OneGo {
	p := g.plan
	if p.counter >= 0 || len(p.values) > oneGoKeysMax {
		return nil // numbers are not given twice
	}
	tx := &Known{written: map[txn.Key][]byte{}, foresees: true}
	env.Tx = tx
	if _, err := p.Execute(ctx, env); err != nil || len(tx.asked) > oneGoKeysMax || len(tx.written) > oneGoKeysMax {
		return nil
	}
	if g.Reads = eachOnce(tx.asked); p.Kind == bind.Inserts && len(p.duplicate) == 0 || len(p.Table.Indexes) == 0 {
		for k := range tx.written { // order: sorted
			g.Fixed = append(g.Fixed, k)
		}
		g.Fixed = eachOnce(g.Fixed)
	}
	return g
}

// eachOnce sorts keys and drops repetitions.
func eachOnce(keys []txn.Key) []txn.Key {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Run executes the change on the values of its keys. An error: it is to be executed as others are, which finds the error if
// there is one.
func (g *OneGo) Run(ctx context.Context, tx *Known) (err error) {
	env := g.env
	env.Tx, env.Memory, env.found = tx, unmetered{}, g.found
	env.Context.Forget()
	g.Out, err = g.plan.Execute(ctx, env)
	return err
}

// fixed reports whether an UPDATE or DELETE writes just the rows that it names.
func (p *Plan) fixed() bool {
	if p.Kind == bind.Deletes {
		return len(p.Table.Indexes) == 0
	}
	for _, x := range p.Table.Indexes {
		if slices.ContainsFunc(x.Held, p.assigned) {
			return false
		}
	}
	return true
}

// errUnknownKey ends the execution of a change that needs a key which was not foreseen.
var errUnknownKey = errors.New("a key was not foreseen")

// Known is a transaction that knows some keys. Of txn.Txn it has what a change uses.
type Known struct {
	txn.Txn
	read, written map[txn.Key][]byte // nil: there is no such row
	foresees      bool               // others are taken to be without rows
	asked         []txn.Key          // of these
}

// NewKnown is a transaction that knows the values of keys.
func NewKnown(keys []txn.Key, values [][]byte) *Known {
	t := &Known{read: make(map[txn.Key][]byte, len(values)), written: map[txn.Key][]byte{}}
	for i, k := range keys {
		t.read[k] = values[i]
	}
	return t
}

// Read implements txn.Txn.
func (t *Known) Read(_ context.Context, r txn.Read) (res txn.ReadResult, err error) {
	if len(r.Scans) > 0 {
		return res, errUnknownKey
	}
	for _, k := range r.Gets {
		v, ok := t.written[k]
		if !ok {
			if v, ok = t.read[k]; !ok && !t.foresees {
				return res, errUnknownKey
			}
			if !ok {
				t.asked = append(t.asked, k)
			}
		}
		res.Values = append(res.Values, v)
	}
	return res, nil
}

// Put implements txn.Txn.
func (t *Known) Put(k txn.Key, value []byte) { t.written[k] = value }

// Delete implements txn.Txn.
func (t *Known) Delete(k txn.Key) { t.written[k] = nil }

// Writes are what was written, in the order of the keys. false: it is too much for one request.
func (t *Known) Writes() (writes []txn.Write, ok bool) {
	bytes := 0
	for k, v := range t.written { // order: sorted below
		bytes += len(k) + len(v)
		writes = append(writes, txn.Write{Key: k, Value: v})
	}
	slices.SortFunc(writes, func(a, b txn.Write) int { return cmp.Compare(a.Key, b.Key) })
	return writes, bytes <= oneGoBytesMax
}

// unmetered is a memory without bound: a change in one go is small.
type unmetered struct{}

// Charge implements exec.Memory.
func (unmetered) Charge(int64) error { return nil }

// Release implements exec.Memory.
func (unmetered) Release(int64) {}

// IsPure reports whether expressions depend on nothing but their row, the statement's time and its parameters, and wait for
// nothing: they may be computed twice, and beside the session.
func IsPure(list ...sqlparser.Expr) bool {
	pure := true
	for _, e := range list {
		if e == nil {
			continue
		}
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *sqlparser.ColName, *sqlparser.Literal, *sqlparser.Argument, *sqlparser.NullVal, sqlparser.BoolVal, *sqlparser.BinaryExpr, *sqlparser.UnaryExpr,
				*sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.XorExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr,
				*sqlparser.CaseExpr, *sqlparser.When, sqlparser.ValTuple, *sqlparser.CurTimeFuncExpr, *sqlparser.CastExpr, *sqlparser.ConvertExpr, *sqlparser.ConvertType,
				*sqlparser.SubstrExpr, *sqlparser.TrimFuncExpr, *sqlparser.IntervalDateExpr,
				sqlparser.IdentifierCI, sqlparser.IdentifierCS, sqlparser.TableName:
			case *sqlparser.FuncExpr:
				pure = pure && pureFunctions[n.Name.Lowered()]
			default:
				pure = false
			}
			return pure, nil
		}, e)
	}
	return pure
}

// pureFunctions are functions that changes often compute with.
var pureFunctions = map[string]bool{
	"abs": true, "ceil": true, "ceiling": true, "coalesce": true, "concat": true, "concat_ws": true, "date": true, "floor": true, "greatest": true, "if": true,
	"ifnull": true, "json_extract": true, "json_set": true, "least": true, "left": true, "length": true, "lower": true, "mod": true, "nullif": true, "replace": true,
	"right": true, "round": true, "truncate": true, "upper": true, "lcase": true, "ucase": true, "char_length": true, "reverse": true, "lpad": true, "rpad": true,
}
