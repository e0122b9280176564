package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/catalog"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/plan"
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
	root, err := h.analyse(sqlCtx, text)
	if err != nil {
		return gms.CastSQLError(err)
	}
	x := h.g.steps(sqlCtx, root)
	x.steps = append(sent, x.steps...)
	return yield(asResult(x), false)
}

func (h *handler) analyse(ctx *gms.Context, text string) (gms.Node, error) {
	e := h.g.engine
	stmt, _, err := e.Parser.ParseOneWithOptions(ctx, gms.RemoveSpaceAndDelimiter(text, ';'), gms.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	flags := new(gms.QueryFlags)
	bound, flags, err := planbuilder.New(ctx, e.Analyzer.Catalog, e.EventScheduler).BindOnly(stmt, text, flags)
	if err != nil {
		return nil, err
	}
	return e.Analyzer.Analyze(ctx, bound, nil, flags)
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

// steps tells how a statement would be executed.
func (g *gateway) steps(ctx *gms.Context, root gms.Node) explanation {
	x := explanation{dir: g.leaders}
	p := plan.Compile(ctx, root)
	if p == nil || path(ctx) == pathEngine {
		x.path = pathEngine
		x.steps = g.engineSteps(ctx, root)
		return x
	}
	x.path = "round plan"
	total := 0
	if r := p.Read; r != nil {
		steps, rounds := g.readSteps(r, p.Insert == nil && p.Writes != nil)
		x.steps, total = append(x.steps, steps...), rounds
	}
	if i := p.Insert; i != nil {
		s, rounds := g.insertStep(ctx, i)
		x.steps, total = append(x.steps, s), total+rounds
	}
	all := step{what: "all", rounds: fmt.Sprint(total)}
	if p.ForeignKeys {
		all.access, all.rounds = "and foreign keys, a lookup for each row", fmt.Sprintf("%d, and 1 or 2 for each row", total)
	}
	x.steps = append(x.steps, all)
	return x
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

func (g *gateway) readSteps(r *plan.Read, forWrite bool) ([]step, int) {
	m := r.Table.Mode()
	m.ForWrite = m.ForWrite || forWrite
	return g.accessSteps(r.Table.Name(), r.Access, m, r.Table.Columns(), r.Pushed)
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

// insertStep evaluates nothing that could have an effect: the keys are counted,
// not worked out.
func (g *gateway) insertStep(ctx *gms.Context, i *plan.Insert) (step, int) {
	d := i.Table.Descriptor()
	s := step{what: "check", table: i.Table.Name(), access: "all unique keys of the new rows", rounds: "1", shards: d.Shards(g.db.Directory()), locks: "for write"}
	if i.Owners && len(d.Indexes) > 0 {
		s.access += "; one round more if an index has one"
	}
	if d.Keyless() && !slices.ContainsFunc(d.Record.Indexes, isUnique) {
		s.access, s.rounds = "no unique keys", "0"
		return s, 0
	}
	return s, 1
}

// engineSteps lists what the engine would read, table by table.
func (g *gateway) engineSteps(ctx *gms.Context, root gms.Node) []step {
	var out []step
	joined := map[gms.Node]bool{} // right sides of joins that are looked up in batches
	add := func(n gms.Node) {
		t, a, perRow := accessOf(ctx, n)
		if t == nil {
			return
		}
		s := step{what: "read", table: t.Name(), locks: locks(t.Mode())}
		if perRow != "" {
			s.access, s.rounds = "index "+perRow+", a lookup for each row from above", "1 or 2 for each"
			if path(ctx) != pathEngine && joined[n] {
				s.rounds = fmt.Sprintf("1 or 2 for each %d", plan.LookupBatch)
			}
			s.shards = t.Descriptor().Shards(g.db.Directory())
		} else {
			r := &plan.Read{Table: t, Access: a}
			s.access, s.rounds, s.shards = describe(a, false, r.Rounds(false)), fmt.Sprint(r.Rounds(false)), g.shardsOf(a)
		}
		out = append(out, s)
	}
	visit := func(_ *gms.Context, n gms.Node) bool {
		if j, ok := n.(*gmsplan.JoinNode); ok {
			if l := plan.FindLookupJoin(j); l != nil {
				joined[l.Right()] = true
			}
		}
		add(n)
		return true
	}
	transform.InspectWithOpaque(ctx, root, visit)
	transform.InspectExpressionsWithNode(ctx, root, func(_ *gms.Context, _ gms.Node, e gms.Expression) bool {
		if s, ok := e.(*gmsplan.Subquery); ok {
			transform.InspectWithOpaque(ctx, s.Query, visit)
		}
		return true
	})
	return out
}

func accessOf(ctx *gms.Context, n gms.Node) (t *enginetable.Table, a *table.Access, perRow string) {
	switch n := n.(type) {
	case *gmsplan.ResolvedTable:
		if t, ok := gms.GetUnderlyingTable(n.Table).(*enginetable.Table); ok {
			return t, table.All(t.Descriptor()), ""
		}
	case *gmsplan.IndexedTableAccess:
		t, ok := gms.GetUnderlyingTable(n.UnderlyingTable()).(*enginetable.Table)
		if !ok {
			return nil, nil, ""
		}
		if !n.IsStatic() {
			return t, nil, n.Index().ID()
		}
		lookup, _, err := n.GetLookup(ctx, nil)
		if err == nil {
			a, err = enginetable.ForLookup(ctx, t.Descriptor(), lookup)
		}
		if err == nil {
			return t, a, ""
		}
	}
	return nil, nil, ""
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

func isUnique(x catalog.Index) bool { return x.Unique }
