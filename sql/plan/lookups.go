package plan

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"isochron/sql/catalog"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
	"isochron/txn"
)

// shown are the kinds of columns of which such a query may yield values.
var shown = []rowcodec.Kind{rowcodec.KindInt, rowcodec.KindUint, rowcodec.KindText, rowcodec.KindDecimal, rowcodec.KindFloat64}

// lookups are the rows that a SELECT ... FOR UPDATE identifies by their keys, one, and the columns that it returns. It
// locks its reads like a statement that writes, so it can be one of several executed in one round.
type lookups struct {
	held    *heldRows
	columns []int
}

// lookupsOf recognises such a query; nil if it is another.
func lookupsOf(p *Prepared) *lookups {
	r := p.Plan.Read
	if r == nil || p.Plan.Writes != nil || p.whole || p.Root != r.Top || r.Limit >= 0 || r.Offset > 0 || r.Table.Mode() != (table.Mode{Lock: txn.LockExclusive}) {
		return nil
	}
	l := &lookups{held: rowsHeld(r)}
	if l.held == nil || len(l.held.rows) != 1 {
		return nil
	}
	if r.Project == nil {
		l.columns = r.Table.Columns()
	}
	for _, e := range r.Project {
		if a, ok := e.(*expression.Alias); ok {
			e = a.Child
		}
		field, ok := e.(*expression.GetField)
		if !ok {
			return nil
		}
		l.columns = append(l.columns, r.position(field.Name()))
	}
	if l.columns == nil {
		for pos := range l.held.desc.Schema.Schema {
			l.columns = append(l.columns, pos)
		}
	}
	if slices.ContainsFunc(l.columns, func(pos int) bool { return pos < 0 || !isKind(l.held.desc, pos, shown...) }) {
		return nil
	}
	return l
}

// lookup is the reading of one row.
type lookup struct {
	heldRow
	desc  *catalog.Descriptor
	found []byte // nil: it is not there
}

func (l *lookup) reads() []txn.Key { return []txn.Key{l.key} }

func (l *lookup) writes() ([]txn.Key, bool) { return nil, true }

func (l *lookup) do(rows *rowsNow) (matched, changed, ok bool) {
	l.found = rows.get(l.key)
	if l.found == nil || len(l.texts) == 0 {
		return l.found != nil, false, true
	}
	row, err := l.desc.DecodeRow(l.found)
	return true, false, err == nil && hasTexts(row, l.texts)
}

// Rows are what a query yields that was done.
func (b *ByKey) Rows() ([]gms.Row, error) {
	var out []gms.Row
	for _, p := range b.parts {
		l, ok := p.(*lookup)
		if !ok || l.found == nil {
			continue
		}
		row, err := l.desc.DecodeRow(l.found)
		if err != nil {
			return nil, err
		}
		narrow := make(gms.Row, len(b.columns))
		for i, pos := range b.columns {
			narrow[i] = row[pos]
		}
		out = append(out, narrow)
	}
	return out, nil
}
