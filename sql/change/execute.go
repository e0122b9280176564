package change

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/rounds"
	"isochron/sql/rowcodec"
	"isochron/sql/store"
	"isochron/sql/table"
	"isochron/txn"
)

// Env is what an execution needs of its session.
type Env struct {
	Clock   comparing.Clock // the time of the statement
	Context *expr.Context   // Strict is set by Execute
	Strict  bool            // sql_mode is strict
	// KeepsZero: 0 in an AUTO_INCREMENT column is stored as it is (NO_AUTO_VALUE_ON_ZERO).
	KeepsZero bool
	Tx        txn.Txn
	Store     *catalog.Store
	Reader    rounds.Reader // of queries
	Memory    exec.Memory
	// Unchecked: foreign keys are not heeded (foreign_key_checks).
	Unchecked bool
	// Weak: the commit does not check what was read (txn.Level).
	Weak bool
	// Hides reports whether errors do not name a table.
	Hides func(*catalog.Descriptor) bool
	// Given are numbers that were given to rows by an execution that was given up; they are given first.
	Given []uint64
	// Use is called before rows of a table other than the changed one are read.
	Use   func(context.Context, *catalog.Descriptor) error
	found *chosen // the access that is chosen already; nil: none
}

// chosen is the access to the rows of an UPDATE or DELETE.
type chosen struct {
	access           *table.Access
	ordered, decided bool
}

// Outcome is what a change did.
type Outcome struct {
	Matched   int      // rows that were found, or given
	Changed   int      // rows that were changed, deleted or inserted
	Touched   int      // of ON DUPLICATE KEY UPDATE: rows that exist, changed or not
	Updated   int      // of them, those that were changed; of REPLACE, those that were deleted
	InsertID  uint64   // of the answer
	Generated uint64   // the first number that was given to an inserted row; 0: none
	Given     []uint64 // all numbers that were given to rows
	Returned  [][]expr.Value
}

// run is an execution.
type run struct {
	*Plan
	Env
	ctx     context.Context
	target  store.Target
	writer  *table.Writer
	keys    *enforcer    // of foreign keys; nil: there are none to heed
	seen    int          // warnings that were looked at
	cached  []any        // constant defaults
	scratch []expr.Value // see overStored
	known   []bool
	chosen  uint64   // the greatest number of a row that has its own, before the next that is given one
	highest uint64   // the greatest number of its own that a row was inserted with
	unused  []uint64 // numbers of rows that were not inserted
	warned  []int    // of each warning, the row
	last    any      // the AUTO_INCREMENT column of the last row, inserted or not
	copied  bool     // a row was inserted or changed
	updates bool     // the row at hand is one that an insertion has found
	exec    *rounds.Execution
	now     map[txn.Key]current // of a target whose table is that of another; nil: of no such
	out     Outcome
}

// Execute executes the plan. Its writes are in the transaction, also after an error.
func (p *Plan) Execute(ctx context.Context, env Env) (Outcome, error) {
	r := &run{Plan: p, Env: env, ctx: ctx}
	env.Context.Strict = env.Strict && !p.Ignore
	r.target = store.Target{Context: env.Context, Strict: env.Context.Strict}
	r.enforce()
	r.writer = table.NewWriter(r.Store, p.Table, r.Tx)
	r.cached, r.known = make([]any, len(p.columns)), make([]bool, len(p.columns))
	p.begin(env.Context)
	r.exec = rounds.Execute(ctx, env.Clock, env.Context, env.Reader, env.Memory)
	defer r.exec.Close()
	r.ofRow(0)
	var err error
	switch {
	case p.inserts():
		err = r.insert()
	case len(p.parts) > 0:
		err = r.changeParts()
	case p.Kind == bind.Updates:
		err = r.update()
	default:
		err = r.delete()
	}
	r.sortWarnings()
	return r.out, err
}

// begin readies the programs.
func (p *Plan) begin(c *expr.Context) {
	ready := func(s *source) {
		if s.program != nil {
			s.program.Begin(c)
		}
	}
	for _, list := range p.values {
		for i := range list {
			ready(&list[i])
		}
	}
	for i := range p.defaults {
		ready(&p.defaults[i])
		ready(&p.onUpdate[i])
	}
	for _, program := range p.numbers {
		if program != nil {
			program.Begin(c)
		}
	}
	for _, list := range [][]assignment{p.sets, p.duplicate} {
		for i := range list {
			ready(&list[i].from)
		}
	}
	p.beginDefinition(c)
}

// value is a source's value for a row.
func (r *run) value(s *source, row []expr.Value) (expr.Value, error) {
	switch s.is {
	case fixed:
		return s.constant, nil
	case queried:
		v, err := r.exec.Of(s.beside, row)
		if first := r.checked(); first != nil {
			return expr.Null, first
		}
		return v, err
	case given:
		bv := r.Context.Parameters[s.parameter]
		if bv == nil {
			return expr.Null, expr.NewError(1210, "HY000", "Incorrect arguments to EXECUTE")
		}
		return parameter(bv), nil
	}
	out, err := s.program.Run(row, make([]expr.Value, 0, 1))
	if first := r.checked(); first != nil {
		return expr.Null, first
	}
	if err != nil {
		return expr.Null, err
	}
	return out[0], nil
}

// parameter is the value of a parameter, a double in the form of doubles.
func parameter(bv *querypb.BindVariable) expr.Value {
	if bv.Type == sqltypes.Float64 {
		if f, err := strconv.ParseFloat(string(bv.Value), 64); err == nil {
			return expr.Double(f)
		}
	}
	return sqltypes.MakeTrusted(bv.Type, bv.Value)
}

// refusedWarnings are the warnings that are errors in a strict change, with their SQLSTATEs.
var refusedWarnings = map[int]string{1264: "22003", 1292: "22007", 1365: "22012", 1366: "HY000", 1411: "HY000", 1441: "22008", 3020: "2201E", 1260: "HY000"}

// checked is the error of a warning that a strict change does not accept.
func (r *run) checked() error {
	list, _ := r.Context.Warnings()
	for ; r.seen < len(list); r.seen++ {
		w := list[r.seen]
		if state, ok := refusedWarnings[w.Code]; ok && r.target.Strict && w.Level == "Warning" {
			return expr.NewError(w.Code, state, "%s", w.Message)
		}
	}
	return nil
}

// stored is what a column of a row stores for a source; values are what expressions see.
func (r *run) stored(pos int, s *source, values []expr.Value, row []any) (any, error) {
	if s.is == byDefault {
		return r.defaultOf(pos, true, row)
	}
	v, err := r.value(s, values)
	if err != nil {
		return nil, err
	}
	c := r.columns[pos]
	if v.IsNull() && pos == r.counter && r.inserts() {
		return c.Zero(), nil // of ON DUPLICATE KEY UPDATE
	}
	if v.IsNull() {
		return r.target.Null(c, r.refusesNull() && !r.Ignore)
	}
	return r.target.Store(c, v)
}

// refusesNull reports whether NULL in a column that has none is an error whatever the mode: of the only row of VALUES, and of an
// assignment to the row that an INSERT ... SELECT finds in its place.
func (r *run) refusesNull() bool {
	return r.inserts() && (len(r.values) == 1 || r.query != nil && r.updates)
}

// defaultOf is the default of a column of a row. asked: the statement asks for it; else it gives the column no value, which allGiven
// has reported.
func (r *run) defaultOf(pos int, asked bool, row []any) (any, error) {
	s, c := &r.defaults[pos], r.columns[pos]
	if r.known[pos] {
		return r.cached[pos], nil
	}
	if s.is == none {
		switch {
		case pos == r.counter:
			return c.Zero(), nil
		case asked:
			return r.target.NoDefault(c)
		case c.Nullable:
			return nil, nil
		}
		return c.Zero(), nil
	}
	values, err := r.overStored(row, s.uses)
	if err != nil {
		return nil, err
	}
	v, err := r.value(s, values)
	if err != nil {
		return nil, err
	}
	if v.IsNull() {
		return nil, nil
	}
	out, err := r.target.Store(c, v)
	if err == nil && (s.is != computed || s.program.Constant(0)) {
		r.cached[pos], r.known[pos] = out, true
	}
	return out, err
}

// assign computes assignments one after the other, then the generated columns: values are the row as expressions see it,
// which follow.
func (r *run) assign(list []assignment, row []any, values []expr.Value) error {
	for i := range list {
		a := &list[i]
		if a.from.is == itself {
			continue
		}
		v, err := r.stored(a.column, &a.from, values, row)
		if err != nil {
			return err
		}
		row[a.column] = v
		if a.kept >= 0 {
			if values[a.kept], err = r.Table.TextOf(a.column, v); err != nil {
				return err
			}
		}
	}
	return r.complete(row)
}

// stamp sets the columns that an update sets by itself, but those that it assigns.
func (r *run) stamp(list []assignment, row []any) error {
	stamped := false
	for pos, is := range r.stamps {
		if !is || assigns(list, pos) {
			continue
		}
		v, err := r.stored(pos, &r.onUpdate[pos], nil, row)
		if err != nil {
			return err
		}
		row[pos], stamped = v, true
	}
	if !stamped {
		return nil
	}
	return r.complete(row)
}

func assigns(list []assignment, pos int) bool {
	for _, a := range list {
		if a.column == pos {
			return true
		}
	}
	return false
}

// same reports whether two rows are stored alike.
func (r *run) same(a, b []any) (bool, error) {
	x, err := r.Table.EncodeRow(a)
	if err != nil {
		return false, err
	}
	y, err := r.Table.EncodeRow(b)
	return bytes.Equal(x, y), err
}

// duplicate is the error 1062 of a row, or under IGNORE the warning.
func (r *run) duplicated(c *table.Conflict) error {
	if r.Ignore {
		r.Context.Warn(1062, c.Message)
		return nil
	}
	return expr.NewError(1062, "23000", "%s", c.Message)
}

// bump keeps AUTO_INCREMENT above a value that a client chose.
func (r *run) bump(row []any) error {
	if r.counter < 0 {
		return nil
	}
	if n := counted(row[r.counter]); n > 0 {
		return r.Store.Sequences.Bump(r.ctx, r.Table.ID(), n)
	}
	return nil
}

// answered is a value of an AUTO_INCREMENT column as the answer to the client has it.
func answered(v any) uint64 {
	if n, ok := rowcodec.Integer(v); ok {
		return uint64(n)
	}
	return counted(v)
}

// counted is a value of an AUTO_INCREMENT column; 0: NULL, 0 or below.
func counted(v any) uint64 {
	switch n := v.(type) {
	case uint64:
		return n
	case float64:
		if n >= 1 && n < 1<<63 {
			return uint64(n)
		}
	case float32:
		return counted(float64(n))
	}
	n, _ := rowcodec.Integer(v)
	return uint64(max(n, 0))
}

// Info is the text of the answer, in MySQL's words.
func (p *Plan) Info(o Outcome, warnings int) string {
	switch {
	case p.Kind == bind.Updates:
		return fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", o.Matched, o.Changed, warnings)
	case p.Kind == bind.Deletes || p.query == nil && len(p.values) <= 1:
		return ""
	case p.Ignore && p.Kind == bind.Inserts:
		return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", o.Matched, o.Matched-o.Changed, warnings)
	}
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", o.Matched, o.Updated, warnings)
}
