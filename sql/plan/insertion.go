package plan

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"

	"isochron/sql/catalog"
	"isochron/sql/table"
	"isochron/txn"
)

// An insertion of given rows in one round. All its keys follow from the rows. It reads the keys that no other row may
// have; if one exists, the engine executes the insertion and reports the error.

// given is the origin of a column's value: a literal of the statement, or the column's default.
// Neither: NULL.
type given struct {
	literal   *expression.Literal
	byDefault *gms.ColumnDefaultValue
}

// insertionOf are the rows of such an insertion, each with the values of all columns; nil if it is not
// one: if it takes numbers for an AUTO_INCREMENT column, checks, computes or refers to anything.
func insertionOf(p *Prepared) [][]given {
	i := p.Plan.Insert
	if i == nil || p.Plan.Read != nil || p.Plan.ForeignKeys || p.Root != gms.Node(i.Node) {
		return nil
	}
	n, d := i.Node, i.Table.Descriptor()
	if n.IsReplace || n.Ignore || n.OnDupExprs.HasUpdates() || n.HasAfterTrigger || len(n.Returning) > 0 || len(n.Checks()) > 0 {
		return nil
	}
	if insertable, err := gmsplan.GetInsertable(n.Destination); err != nil || insertable != gms.InsertableTable(i.Table) {
		return nil // rows of other tables are looked up
	}
	computed := func(c *gms.Column) bool { return c.Generated != nil || c.AutoIncrement }
	if d.Keyless() || d.AutoIncrement() >= 0 || n.FirstGeneratedAutoIncRowIdx >= 0 || slices.ContainsFunc(d.Schema.Schema, computed) {
		return nil
	}
	return givenRows(n.Source, len(d.Schema.Schema))
}

// givenRows are the rows of VALUES, in the order of the table's columns.
func givenRows(source gms.Node, columns int) (rows [][]given) {
	project, _ := source.(*gmsplan.Project)
	if project != nil {
		source = project.Child
	}
	values, ok := source.(*gmsplan.Values)
	if !ok || project != nil && len(project.Projections) != columns || len(values.ExpressionTuples) > heldRowsMax {
		return nil
	}
	for _, tuple := range values.ExpressionTuples {
		list := tuple
		if project != nil {
			list = project.Projections
		}
		if len(list) != columns {
			return nil
		}
		row := make([]given, columns)
		for i, e := range list {
			if row[i], ok = givenBy(e, tuple); !ok {
				return nil
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// givenBy reads one value: of a tuple, or of a projection of it.
func givenBy(e gms.Expression, tuple []gms.Expression) (given, bool) {
	if w, ok := e.(*expression.Wrapper); ok {
		e = w.Unwrap()
	}
	switch e := e.(type) {
	case *expression.Literal:
		return given{literal: e}, true
	case *expression.GetField:
		if i := e.Index(); i >= 0 && i < len(tuple) && tuple[i] != gms.Expression(e) {
			if _, again := tuple[i].(*expression.GetField); !again {
				return givenBy(tuple[i], tuple)
			}
		}
	case *gms.ColumnDefaultValue:
		if e == nil {
			return given{}, true
		}
		_, plain := e.Expr.(*expression.Literal)
		return given{byDefault: e}, plain && e.Literal
	}
	return given{}, false
}

// insertion inserts a row.
type insertion struct {
	rows    []txn.Write // the row and its index entries
	claimed []txn.Key   // keys that no row may have
}

func (i *insertion) reads() []txn.Key { return i.claimed }

func (i *insertion) writes() (keys []txn.Key, all bool) {
	for _, w := range i.rows {
		keys = append(keys, w.Key)
	}
	return keys, true
}

func (i *insertion) do(rows *rowsNow) (matched, changed, ok bool) {
	if slices.ContainsFunc(i.claimed, func(k txn.Key) bool { return rows.get(k) != nil }) {
		return false, false, false
	}
	rows.put(i.rows...)
	return true, true, true
}

// insertedMaxBytes bounds what a statement inserts in one go, in bytes.
const insertedMaxBytes = 256 << 10

// inserting readies the insertion of rows; nil if the engine has to do it, which finds the words for
// what does not fit.
func (b *ByKey) inserting(ctx *gms.Context, rows [][]given) *ByKey {
	d, bytes := b.Table.Descriptor(), 0
	for _, values := range rows {
		row := make(gms.Row, len(values))
		for i, g := range values {
			v, ok := g.stored(ctx, d.Schema.Schema[i])
			if !ok {
				return nil
			}
			row[i] = v
		}
		writes, claimed, err := table.NewRow(d, row)
		if err != nil {
			return nil
		}
		for _, w := range writes {
			bytes += len(w.Key) + len(w.Value)
		}
		if bytes > insertedMaxBytes {
			return nil
		}
		b.parts = append(b.parts, &insertion{writes, claimed})
	}
	return b
}

// stored is the value as the engine would store it in the column; ok is false if it would not, or warn.
func (g given) stored(ctx *gms.Context, col *gms.Column) (v any, ok bool) {
	var err error
	switch {
	case g.literal != nil:
		v = g.literal.Val
	case g.byDefault != nil:
		if v, err = g.byDefault.Eval(ctx, nil); err != nil {
			return nil, false
		}
	}
	switch of := v.(type) {
	case nil:
		return nil, col.Nullable
	case string:
		if catalog.Costly(of) {
			return nil, false // it is to be cut first
		}
	case float32, float64:
		return nil, false // zeros with a sign, and values that are printed in several ways
	}
	warned := ctx.Session.WarningCount()
	inRange := gms.InRange
	if round, is := col.Type.(gms.RoundingNumberType); is {
		v, inRange, err = round.ConvertRound(ctx, v)
	} else {
		v, inRange, err = col.Type.Convert(ctx, v)
	}
	return v, err == nil && inRange == gms.InRange && v != nil && ctx.Session.WarningCount() == warned
}
