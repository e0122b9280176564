package main

import (
	"slices"
	"sync"
)

// Statement is one statement of a form.
type Statement struct {
	Form  string
	Index int
	Tree  *Node
	// Table is what the statement reads or changes, nil for none.
	Table *Table
	// Also is another table that it changes, nil for none.
	Also *Table
	// Mode is the sql_mode under which it runs.
	Mode string
	// Change: the counts and the table afterwards are compared, and the table is filled again.
	Change bool
	// Free: the values are not compared, they depend on the time or the session.
	Free bool
	// Quiet: warnings are not compared, as it depends on the plan which rows a condition is computed for.
	Quiet bool
	// Want is MySQL 8's value where MariaDB has no such function: MariaDB is not asked.
	Want *string
}

// changed are the tables that the statement changes.
func (s *Statement) changed() (out []*Table) {
	for _, t := range []*Table{s.Table, s.Also} {
		if s.Change && t != nil {
			out = append(out, t)
		}
	}
	return out
}

// with is the statement with another table of the name, if it changes one.
func (s *Statement) with(t *Table) *Statement {
	out := *s
	for _, of := range []**Table{&out.Table, &out.Also} {
		if *of != nil && (*of).Name == t.Name {
			*of = t
		}
	}
	return &out
}

// Form is a family of statements.
type Form struct {
	Name string
	Draw func(g gen, tables []*Table, index int) *Statement
}

// forms are all forms, in the order in which they are run. A new form is a line here.
var forms = []Form{
	{"functions", drawFunction},
	{"scalar", drawScalar},
	{"one-table", drawOneTable},
	{"keys", drawKeys},
	{"changes", drawChange},
	{"querychanges", drawQueryChange},
	{"manytables", drawManyTables},
	{"joins", drawJoins},
	{"subqueries", drawSubqueries},
	{"derived", drawDerived},
	{"sets", drawSets},
	{"windows", drawWindows},
	{constraintsForm, drawConstraints},
}

func formNames() (out []string) {
	for _, f := range forms {
		out = append(out, f.Name)
	}
	return out
}

// systematic are all calls with each argument replaced in turn by each literal.
type systematic struct {
	c           *call
	arg, letter int // -1: the defaults
}

var systematically = sync.OnceValue(func() (out []systematic) {
	for _, c := range comparable() {
		out = append(out, systematic{c, -1, -1})
		if c.fixed() {
			continue
		}
		for i := range c.defaults {
			for j := range anyLiterals {
				out = append(out, systematic{c, i, j})
			}
		}
	}
	g := newGen(1, "order of calls", 0)
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
})

// drawFunction gives each call of the catalogue, with one argument replaced by a literal of another type; after those,
// calls with several arguments replaced.
func drawFunction(g gen, _ []*Table, index int) *Statement {
	all := systematically()
	if index < len(all) {
		s := all[index]
		args := s.c.withDefaults()
		if s.arg >= 0 {
			args[s.arg] = literal(anyLiterals[s.letter])
			if slices.Contains(long, s.c.name) {
				args[s.arg] = s.c.argument(g)
			}
		}
		return selectOf(s.c, s.c.node(args))
	}
	c := composable()[g.IntN(len(composable()))]
	args := c.withDefaults()
	for i := range args {
		if g.chance(60) {
			args[i] = c.argument(g)
		}
	}
	return selectOf(c, c.node(args))
}

func selectOf(c *call, n *Node) *Statement {
	s := &Statement{Tree: fill("SELECT %", list(1, ", ", n)), Mode: modeStrict, Free: c.free}
	if c.want != "" {
		s.Want = &c.want
	}
	return s
}

// drawScalar gives calls of calls.
func drawScalar(g gen, _ []*Table, _ int) *Statement {
	items := list(1, ", ", g.expression(2, nil))
	for g.chance(20) && len(items.Kids) < 3 {
		items.Kids = append(items.Kids, g.expression(1, nil))
	}
	return &Statement{Tree: fill("SELECT %", items), Mode: g.mode(90)}
}

// expression draws a call of the catalogue over literals, calls, and what leaf gives, which may be nil.
func (g gen) expression(depth int, leaf func() *Node) *Node {
	if depth <= 0 {
		if leaf != nil && g.chance(60) {
			return leaf()
		}
		return g.any()
	}
	c := composable()[g.IntN(len(composable()))]
	args := c.withDefaults()
	for i := range args {
		switch {
		case slices.Contains(long, c.name):
			if g.chance(50) {
				args[i] = c.argument(g)
			}
		case leaf != nil && g.chance(50):
			args[i] = leaf()
		case g.chance(35):
			args[i] = inParentheses(g.expression(depth-1, leaf))
		case g.chance(60):
			args[i] = c.argument(g)
		}
	}
	if leaf != nil && c.name == seededRandom && args[0].Literal != nil {
		args[0] = leaf()
	}
	return c.node(args)
}

// seededRandom is a function that, of a constant, counts rows, which have no order before the statement gives them one.
const seededRandom = "RAND() with a seed"

// mode is the strict mode in so many cases of a hundred.
func (g gen) mode(strict int) string {
	if g.chance(strict) {
		return modeStrict
	}
	return modeLax
}

const (
	// modeStrict is MySQL 8's default sql_mode, as far as MariaDB has it.
	modeStrict = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
	// modeLax converts what it can, with warnings.
	modeLax = "ONLY_FULL_GROUP_BY,NO_ENGINE_SUBSTITUTION"
)
