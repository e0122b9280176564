package sql

import (
	"math/bits"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// The engine looks for the best order of a join by trying all, and cannot be cut short
// meanwhile. How many there are depends on what is compared with what: of eleven tables
// one of whose columns are all equal it tries 88,000 ways to join two parts, each by some
// twelve conditions, which takes ten seconds; of fifteen in a chain 560 by one. So these
// are counted before, and bounded.

// joinsRule is the engine's name for the rule.
const joinsRule = "optimizeJoins"

// orderedMost is of how many tables the engine looks for an order; more it joins as they
// are written.
const orderedMost = 15

// boundedJoins is the rule for joins within the session's bounds.
func boundedJoins(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		var err error
		transform.Inspect(n, func(n gms.Node) bool {
			j, is := n.(*gmsplan.JoinNode)
			if is && err == nil {
				err = checkJoin(ctx, j)
			}
			return !is && err == nil
		})
		if err != nil {
			return n, transform.SameTree, err
		}
		return apply(ctx, a, n, scope, sel, flags)
	}
}

func checkJoin(ctx *gms.Context, n *gmsplan.JoinNode) error {
	j := joinGraph{of: map[gms.TableId]int{}, alike: map[gms.ColumnId]gms.ColumnId{}, holders: map[gms.ColumnId]uint{}}
	j.add(ctx, n)
	if most := breadth(ctx, joinTablesVariable, joinTablesDefault); int64(j.tables) > most {
		return tooManyTables(int64(j.tables), most)
	}
	most := breadth(ctx, joinOrdersVariable, joinOrdersDefault)
	if ways := j.ways(most); ways > most {
		return tooBroad(ways, "or more conditions to weigh among the orders of a join", joinOrdersVariable, most, "compare fewer of them with each other, or join some of them first, into a table")
	}
	return nil
}

// joinGraph is what of a join's tables is compared with what.
type joinGraph struct {
	tables  int
	of      map[gms.TableId]int           // the tables' numbers
	alike   map[gms.ColumnId]gms.ColumnId // columns that are equal, each to another up to the one that stands for all
	holders map[gms.ColumnId]uint         // the tables of the columns for which one stands
	pairs   []uint                        // tables that a condition compares
}

func (j *joinGraph) add(ctx *gms.Context, n gms.Node) {
	switch n := n.(type) {
	case *gmsplan.JoinNode:
		j.add(ctx, n.Left())
		j.add(ctx, n.Right())
		if n.Op.IsInner() && n.Filter != nil { // others leave few orders
			j.compare(ctx, n.Filter)
		}
	case *gmsplan.Filter:
		j.add(ctx, n.Child)
		j.compare(ctx, n.Expression)
	case *gmsplan.Having, *gmsplan.Limit, *gmsplan.Project, *gmsplan.Sort, *gmsplan.Distinct, *gmsplan.Max1Row, *gmsplan.CachedResults:
		j.add(ctx, n.Children()[0])
	default:
		if t, ok := n.(gmsplan.TableIdNode); ok {
			j.of[t.Id()] = j.tables
		}
		j.tables++
	}
}

// compare notes the conditions of a conjunction.
func (j *joinGraph) compare(ctx *gms.Context, e gms.Expression) {
	for _, e := range expression.SplitConjunction(ctx, e) {
		var fields []*expression.GetField
		together := uint(0)
		transform.InspectExpr(ctx, e, func(_ *gms.Context, e gms.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				if t, known := j.of[f.TableId()]; known && t < orderedMost {
					fields, together = append(fields, f), together|1<<t
				}
			}
			return false
		})
		_, equal := e.(*expression.Equals)
		if equal = equal && len(fields) == 2; equal {
			for _, f := range fields {
				j.holders[j.stands(f.Id())] |= 1 << j.of[f.TableId()]
			}
			if a, b := j.stands(fields[0].Id()), j.stands(fields[1].Id()); a != b {
				j.alike[a] = b
				j.holders[b] |= j.holders[a]
				delete(j.holders, a)
			}
		}
		if !equal {
			j.pairs = append(j.pairs, together)
		}
	}
}

// stands is the column that stands for all that are equal to one.
func (j *joinGraph) stands(c gms.ColumnId) gms.ColumnId {
	for {
		next, ok := j.alike[c]
		if !ok {
			return c
		}
		c = next
	}
}

// ways counts, for all pairs of parts that hang together, each of tables that hang
// together, what compares one with the other: up to a little more than a bound.
func (j *joinGraph) ways(most int64) (ways int64) {
	if j.tables > orderedMost {
		return 0
	}
	var beside [orderedMost]uint
	hang := func(tables uint) {
		for t := range j.tables {
			if tables&(1<<t) != 0 {
				beside[t] |= tables
			}
		}
	}
	for _, tables := range j.holders { // order: into a set
		hang(tables)
	}
	for _, tables := range j.pairs {
		hang(tables)
	}
	whole := make([]bool, 1<<j.tables)
	for set := uint(1); set < uint(len(whole)); set++ {
		whole[set] = connected(set, &beside)
		if !whole[set] {
			continue
		}
		// Each pair once: the part with the lowest table comes first.
		lowest := set & -set
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&lowest != 0 && whole[part] && whole[set&^part] {
				if ways += j.between(part, set&^part); ways > most {
					return ways
				}
			}
		}
	}
	return ways
}

// between counts the conditions that compare one part with another. Columns that are
// equal are compared each with each.
func (j *joinGraph) between(a, b uint) (n int64) {
	for _, tables := range j.holders { // order: into a sum
		n += int64(bits.OnesCount(a&tables) * bits.OnesCount(b&tables))
	}
	for _, tables := range j.pairs {
		if a&tables != 0 && b&tables != 0 {
			n++
		}
	}
	return n
}

// connected reports whether tables hang together.
func connected(set uint, beside *[orderedMost]uint) bool {
	reached := set & -set
	for {
		next := reached
		for t := range beside {
			if reached&(1<<t) != 0 {
				next |= beside[t] & set
			}
		}
		if next == reached {
			return reached == set
		}
		reached = next
	}
}
