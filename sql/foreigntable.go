package sql

import (
	"encoding/binary"
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/txn"
)

// foreignTable is a table at sources as the engine sees it: for joins over sources and with
// native tables, for what no source can be asked, and to be shown. Its rows are read once a
// statement, from all its sources in one round.
type foreignTable struct {
	*catalog.ForeignTable
	lock string
}

var (
	_ gms.Table           = (*foreignTable)(nil)
	_ gms.PrimaryKeyTable = (*foreignTable)(nil)
	_ gms.CommentedTable  = (*foreignTable)(nil)
	_ gms.TemporaryTable  = (*foreignTable)(nil)
)

// Name implements gms.Nameable.
func (t *foreignTable) Name() string { return t.ForeignTable.Name }

// String implements fmt.Stringer.
func (t *foreignTable) String() string { return t.ForeignTable.Name }

// Schema implements gms.Table.
func (t *foreignTable) Schema(*gms.Context) gms.Schema { return t.ForeignTable.Schema.Schema }

// PrimaryKeySchema implements gms.PrimaryKeyTable.
func (t *foreignTable) PrimaryKeySchema(*gms.Context) gms.PrimaryKeySchema {
	return t.ForeignTable.Schema
}

// Collation implements gms.Table.
func (t *foreignTable) Collation() gms.CollationID { return gms.Collation_utf8mb4_0900_ai_ci }

// IsTemporary implements gms.TemporaryTable.
func (t *foreignTable) IsTemporary() bool { return false }

// Comment implements gms.CommentedTable.
func (t *foreignTable) Comment() string { return "at " + whereabouts(t.ForeignTable) }

// whereabouts says where the rows of a table are.
func whereabouts(t *catalog.ForeignTable) string {
	var names []string
	for _, p := range t.Parts {
		names = append(names, p.Name)
	}
	list := strings.Join(names, ", ")
	switch t.How {
	case catalog.SpreadWhole:
		return "source " + list
	case catalog.SpreadEverywhere:
		return "each of the sources " + list
	case catalog.SpreadRanges:
		return fmt.Sprintf("the sources %s by range of %s, from %s", list, t.By, strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Bounds), " ", ", "), "[]"))
	}
	return fmt.Sprintf("the sources %s by hash of %s", list, t.By)
}

// Partitions implements gms.Table.
func (t *foreignTable) Partitions(*gms.Context) (gms.PartitionIter, error) {
	return gms.PartitionsToPartitionIter(wholeTable{}), nil
}

// PartitionRows implements gms.Table.
func (t *foreignTable) PartitionRows(ctx *gms.Context, _ gms.Partition) (gms.RowIter, error) {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil, fmt.Errorf("a table at a source is read outside a session")
	}
	key := t.Database + "\x00" + t.ForeignTable.Name + "\x00" + t.lock
	if rows, ok := s.statement.scanned[key]; ok {
		return gms.RowsToRowIter(rows...), nil
	}
	if strings.HasSuffix(t.lock, waitWords[txn.SkipLocked]) {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "SKIP LOCKED on %s, which lies at %s, in a query that no source can answer alone would lock rows that are not returned: lock the rows with a query of %s alone first",
			t.ForeignTable.Name, whereabouts(t.ForeignTable), t.ForeignTable.Name)
	}
	rows, err := t.scan(ctx, s)
	if err != nil {
		return nil, err
	}
	s.statement.keepScan(key, rows)
	return gms.RowsToRowIter(rows...), nil
}

// scan reads the rows from the sources.
func (t *foreignTable) scan(ctx *gms.Context, s *Session) ([]gms.Row, error) {
	now := foreign.Now{Share: locksReads(s), Zone: s.ZoneName()}
	scan, err := foreign.NewScanning(t.ForeignTable, s.statement.narrow, s.statement.args, now, t.lock)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for {
		plan, err := scan.Page()
		if err != nil || plan == nil {
			return rows, err
		}
		results, err := askSources(ctx, s, plan.Statements, asking{of: []*catalog.ForeignTable{t.ForeignTable}})
		if err != nil {
			return nil, err
		}
		scan.Took(results)
		a, err := plan.Merge(results, s.Zone())
		if err != nil {
			return nil, err
		}
		if err := s.account.Load().Charge(a.Bytes()); err != nil {
			return nil, err
		}
		if rows, err = t.converted(ctx, rows, a); err != nil {
			return nil, err
		}
	}
}

// converted appends rows as the engine has them.
func (t *foreignTable) converted(ctx *gms.Context, rows []gms.Row, a *foreign.Answer) ([]gms.Row, error) {
	schema := t.ForeignTable.Schema.Schema
	if len(a.Fields) != len(schema) {
		return nil, mysql.NewSQLError(codeTableStale, "HY000", "Table definition has changed: %s has other columns than at its import", t.ForeignTable.Name)
	}
	for _, cells := range a.Rows {
		row := make(gms.Row, len(cells))
		for c, v := range cells {
			var err error
			if row[c], err = fromSource(ctx, schema[c].Type, v); err != nil {
				return nil, fmt.Errorf("column %s of table %s has a value at its source that is no %s: %w", schema[c].Name, t.ForeignTable.Name, schema[c].Type, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// fromSource is a value as the engine has those of its type.
func fromSource(ctx *gms.Context, typ gms.Type, v sqltypes.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	var in any = v.ToString()
	switch {
	case types.IsBit(typ):
		var b [8]byte
		raw := v.Raw()
		copy(b[max(0, 8-len(raw)):], raw)
		in = binary.BigEndian.Uint64(b[:])
	case types.IsBinaryType(typ):
		in = v.Raw()
	}
	out, _, err := typ.Convert(ctx, in)
	return out, err
}

// errNotHere is why a change does not reach a table at sources.
func errNotHere(t *catalog.ForeignTable) error {
	return mysql.NewSQLError(codeInvalidRequest, "42000", "%s lies at %s: it is changed by INSERT, UPDATE, DELETE and REPLACE alone, sent by themselves (not by PREPARE and EXECUTE, LOAD DATA, or through a view)",
		t.Name, whereabouts(t))
}

// lockWords are what locks what a source reads.
var lockWords = map[txn.Lock]string{txn.LockShared: " FOR SHARE", txn.LockExclusive: " FOR UPDATE"}

// waitWords say how it meets a lock.
var waitWords = map[txn.Wait]string{txn.NoWait: " NOWAIT", txn.SkipLocked: " SKIP LOCKED"}
