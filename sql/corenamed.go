package sql

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	vtquery "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/dialect"
	"isochron/sql/parse"
	"isochron/sql/table"
)

// PREPARE name FROM a query or change, EXECUTE and DEALLOCATE PREPARE of it: the session keeps its text, and the SQL core executes it.
// The engine has other statements that are prepared by name.

// namedQuery answers PREPARE and DEALLOCATE.
type namedQuery struct {
	name, text string // the text of PREPARE; "": DEALLOCATE
}

func (namedQuery) kind() planKind { return explained }

func (namedQuery) counter() string { return "" }

// Execute implements Plan.
func (p namedQuery) Execute(_ context.Context, x *execution) error {
	s, info := x.s, ""
	if p.text == "" {
		s.UnprepareQuery(p.name)
	} else {
		if err := s.prepared.add(p.name, s.gateway, s.share()); err != nil {
			return s.statement.tooMuch(err)
		}
		s.BaseSession.UnprepareQuery(p.name)
		s.prepared.names[p.name], info = p.text, "Statement prepared"
	}
	s.GetLastQueryInfo().RowCount.Store(0)
	return x.yield(&sqltypes.Result{Info: info}, x.rest != "")
}

// namedQuery is the plan of a statement about a query that is prepared by name; nil: it is none.
func (x *execution) namedQuery(ctx context.Context) (Plan, error) {
	switch table.FirstWord(x.text) {
	case "prepare", "execute", "deallocate", "drop":
	default:
		return nil, nil
	}
	if x.prepare != nil {
		return nil, nil
	}
	s, text, rest := x.s, x.text, ""
	if x.several {
		text, rest = dialect.First(text, s.coreSettings().reads.AnsiQuotes)
	}
	if err := checkLength(text); err != nil || len(text) > prepareMaxBytes {
		return nil, nil // the engine refuses it
	}
	var p Plan
	var err error
	switch n := parse.Statement(text).(type) {
	case *sqlparser.PrepareStmt:
		p, err = s.prepareNamed(ctx, n)
	case *sqlparser.ExecuteStmt:
		p, err = s.executeNamed(ctx, n)
	case *sqlparser.DeallocateStmt:
		if name := n.Name.Lowered(); s.prepared.names[name] != "" {
			p = namedQuery{name: name}
		}
	}
	if p != nil {
		x.rest = rest
	}
	return p, err
}

// prepareNamed is the plan of PREPARE of a query.
func (s *Session) prepareNamed(ctx context.Context, n *sqlparser.PrepareStmt) (Plan, error) {
	text := ""
	switch of := n.Statement.(type) {
	case *sqlparser.Literal:
		text = of.Val
	case *sqlparser.Variable:
		v, _ := coreView{s}.UserVariable(of.Name.Lowered())
		text = v.ToString()
	}
	text = strings.TrimSpace(text)
	if several(text) {
		return nil, nil
	}
	if mayChangeByCore(s, text) {
		p, err := compileChange(ctx, s, text, text, textParameters(parametersOf(text, s.coreSettings().reads)))
		if err != nil || p == nil {
			return nil, err
		}
		return namedQuery{n.Name.Lowered(), text}, nil
	}
	if of, err := definitionOf(s, text); of != nil || err != nil {
		return namedQuery{n.Name.Lowered(), text}, err
	}
	if readTransacting(s, text) != nil {
		return namedQuery{n.Name.Lowered(), text}, nil
	}
	if !queryWords[table.FirstWord(text)] {
		return nil, nil
	}
	p, err := compileCore(ctx, s, text, text, textParameters(parametersOf(text, s.coreSettings().reads)))
	if err != nil || p == nil {
		return nil, err
	}
	return namedQuery{n.Name.Lowered(), text}, nil
}

// parametersOf is the number of parameters of a query or change.
func parametersOf(text string, m parse.Mode) (n int) {
	for _, tree := range treesOf(text, m) {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if _, ok := node.(*sqlparser.Argument); ok {
				n++
			}
			return true, nil
		}, tree)
	}
	return n
}

// treesOf are the trees of a query or change; none: it is neither, or cannot be parsed.
func treesOf(text string, m parse.Mode) []sqlparser.SQLNode {
	if changesRows(text) {
		if of, err := parse.ReadChange(text, m); err == nil && of != nil {
			return of.Trees()
		}
		return nil
	}
	if tree, err := parse.Read(text, m); err == nil && tree != nil {
		return []sqlparser.SQLNode{tree}
	}
	return nil
}

// executeNamed is the plan of EXECUTE of a query.
func (s *Session) executeNamed(ctx context.Context, n *sqlparser.ExecuteStmt) (Plan, error) {
	text := s.prepared.names[n.Name.Lowered()]
	if text == "" {
		return nil, nil
	}
	if of, err := definitionOf(s, text); of != nil || err != nil {
		return definitionPlan{of: of}, err
	}
	if t := readTransacting(s, text); t != nil && len(n.Arguments) == 0 {
		return t, nil
	}
	if len(n.Arguments) != parametersOf(text, s.coreSettings().reads) {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	values := make(map[string]*vtquery.BindVariable, len(n.Arguments))
	for i, arg := range n.Arguments {
		v, t := coreView{s}.UserVariable(arg.Name.Lowered())
		values[paramName(i)] = &vtquery.BindVariable{Type: t.Type(), Value: v.Raw()}
		if v.IsNull() {
			values[paramName(i)].Type = vtquery.Type_NULL_TYPE
		}
	}
	if changesRows(text) {
		p, err := compileChange(ctx, s, text, text, values)
		if p == nil || err != nil {
			return nil, err
		}
		return p, nil
	}
	p, err := compileCore(ctx, s, text, text, values)
	if p == nil || err != nil {
		return nil, err
	}
	return p, nil
}

// numberLimits gives 0 to the parameters of LIMIT and OFFSET that are NULL, as MySQL does.
func numberLimits(p *mysql.PrepareData, m parse.Mode) {
	if !hasNull(p.BindVars) || !strings.Contains(strings.ToLower(p.PrepareStmt), "limit") {
		return
	}
	number := func(e sqlparser.Expr) {
		if a, ok := e.(*sqlparser.Argument); ok && p.BindVars[a.Name] != nil && p.BindVars[a.Name].Type == sqltypes.Null {
			p.BindVars[a.Name] = sqltypes.Int64BindVariable(0)
		}
	}
	for _, tree := range treesOf(p.PrepareStmt, m) {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if l, ok := node.(*sqlparser.Limit); ok && l != nil {
				number(l.Rowcount)
				number(l.Offset)
			}
			return true, nil
		}, tree)
	}
}

func hasNull(vars map[string]*querypb.BindVariable) bool {
	for _, v := range vars { // order: one is enough
		if v != nil && v.Type == sqltypes.Null {
			return true
		}
	}
	return false
}
