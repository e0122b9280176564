package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/refused"
	"isochron/sql/table"
)

// analyzable returns the query that EXPLAIN ANALYZE has, or ANALYZE.
func analyzable(query string) (string, bool) {
	rest := query
	switch table.FirstWord(query) {
	case "explain", "describe", "desc":
		rest = table.Skip(query)
		rest = rest[len(table.FirstWord(rest)):]
	}
	if table.FirstWord(rest) != "analyze" {
		return "", false
	}
	explains := len(rest) < len(query)
	rest = strings.TrimSpace(table.Skip(rest)[len("analyze"):])
	if !explains && table.FirstWord(rest) == "table" { // ANALYZE TABLE is another statement
		return "", false
	}
	return rest, selects(rest)
}

// explainable returns the statement that a text asks to explain in our way; EXPLAIN FORMAT and PLAN are the engine's.
func explainable(query string) (string, bool) {
	switch table.FirstWord(query) {
	case "explain", "describe", "desc":
	default:
		return "", false
	}
	rest := table.Skip(query)
	rest = rest[len(table.FirstWord(rest)):]
	switch table.FirstWord(rest) {
	case "select", "insert", "update", "delete", "replace", "with", "values":
		return strings.TrimSpace(rest), true
	}
	return "", false
}

// explain answers EXPLAIN of a statement.
func (h *handler) explain(ctx context.Context, c *mysql.Conn, text string, yield mysql.ResultSpoolFn) error {
	sqlCtx, err := h.sm.NewContextWithQuery(ctx, c, text)
	if err != nil {
		return err
	}
	var sent []step
	if s, ok := sqlCtx.Session.(*Session); ok {
		var whole bool
		if sent, whole, err = h.explainAtSources(sqlCtx, s, text); err != nil {
			return err
		}
		if whole {
			return yield(asResult(explanation{steps: sent, path: "sources", dir: h.g.leaders}), false)
		}
	}
	if x, ok, err := h.explainCore(sqlCtx, text); err != nil {
		return err
	} else if ok {
		x.steps = append(sent, x.steps...)
		return yield(asResult(x), false)
	}
	if x, ok, err := h.explainChange(sqlCtx, text); err != nil {
		return err
	} else if ok {
		x.steps = append(sent, x.steps...)
		return yield(asResult(x), false)
	}
	return coreError(refused.Error("part", "EXPLAIN of this statement"))
}

// step is one line of EXPLAIN.
type step struct {
	what, table, access, rounds string
	shards                      []uint64
	locks                       string
	done                        []string // what it did: reads, rows, bytes, milliseconds
}

var explainColumns = []string{"step", "table", "access", "rounds", "shards", "leader_regions", "locks", "path"}

type explanation struct {
	steps []step
	path  string
	dir   func([]uint64) []string // leader regions of shards
	// analyzed: the statement was executed.
	analyzed bool
}

func (g *gateway) leaders(shards []uint64) []string {
	dir := g.db.Directory()
	var out []string
	for _, id := range shards {
		if s, ok := dir.Shard(id); ok && !slices.Contains(out, s.Leader) {
			out = append(out, s.Leader)
		}
	}
	return out
}

// accessSteps are the rounds of a read of one table.
func (g *gateway) accessSteps(name string, a *table.Access, m table.Mode, columns []int, pushed bool) ([]step, int) {
	rounds := a.Rounds(m, columns)
	first := step{what: "read", table: name, access: describe(a, pushed, a.Rounds(table.Mode{}, columns)), rounds: fmt.Sprint(min(rounds, 1)), shards: g.shardsOf(a), locks: locks(m)}
	if rounds < 2 {
		return []step{first}, rounds
	}
	rows := step{what: "read", table: name, access: "the rows behind the entries", rounds: "1", shards: g.shardsOf(table.All(a.Desc)), locks: first.locks}
	if !a.Index.Global && a.Desc.Partitions(a.Index) > 1 {
		rows.shards = first.shards
	}
	return []step{first, rows}, rounds
}

// shardsOf are the shards that a read of the access asks.
func (g *gateway) shardsOf(a *table.Access) []uint64 {
	dir := g.db.Directory()
	var out []uint64
	for _, k := range a.Gets {
		if id, ok := dir.ShardOf(string(k)); ok {
			out = append(out, id)
		}
	}
	for _, r := range a.Scans {
		pieces, err := dir.Pieces(string(r.Span.Start), string(r.Span.End))
		if err != nil {
			continue
		}
		for _, p := range pieces {
			out = append(out, p.Shard)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// describe names the index of an access and what is read of it; plain is the number of rounds without locks.
func describe(a *table.Access, pushed bool, plain int) string {
	name := "index " + a.Index.Name
	if a.Index.Primary {
		name = "primary key"
	}
	out := name + ", " + extent(a)
	if a.Reverse {
		out += ", from the end"
	}
	if pushed {
		out += fmt.Sprintf(", first %d", a.Limit)
	}
	if !a.Index.Primary && plain == 1 {
		out += ", covering"
	}
	return out
}

func extent(a *table.Access) string {
	switch {
	case len(a.Gets) == 0 && len(a.Scans) == 0:
		return "nothing"
	case len(a.Gets) > 0 && len(a.Scans) > 0:
		return fmt.Sprintf("%s and %s", count(len(a.Gets), "key"), count(len(a.Scans), "range"))
	case len(a.Gets) > 0:
		return count(len(a.Gets), "key")
	}
	return count(len(a.Scans), "range")
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func locks(m table.Mode) string {
	switch {
	case m.Lock != 0:
		return []string{"", "shared", "exclusive"}[m.Lock] + []string{"", ", nowait", ", skip locked"}[m.Wait]
	case m.ForWrite:
		return "for write"
	}
	return ""
}

func asResult(x explanation) *sqltypes.Result {
	r := new(sqltypes.Result)
	columns := explainColumns
	if x.analyzed {
		columns = append(slices.Clone(columns), "reads", "read_rows", "read_bytes", "milliseconds")
	}
	for _, name := range columns {
		r.Fields = append(r.Fields, &querypb.Field{Name: name, Type: sqltypes.VarChar, Charset: mysql.CharacterSetUtf8, ColumnLength: 1024})
	}
	for _, s := range x.steps {
		cells := []string{s.what, s.table, s.access, s.rounds, joined(s.shards), strings.Join(x.dir(s.shards), ","), s.locks, x.path}
		if x.analyzed {
			cells = append(cells, s.done...)
		}
		row := make([]sqltypes.Value, len(cells))
		for i, cell := range cells {
			row[i] = sqltypes.NewVarChar(cell)
		}
		r.Rows = append(r.Rows, row)
	}
	r.RowsAffected = uint64(len(r.Rows))
	return r
}
