package sql

import (
	"context"
	"strings"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
	"isochron/sql/sysvars"
)

// The budgets of memory: of a statement, of what a connection keeps between its
// statements, and of all statements of a node. What a statement holds is charged to
// its account; beyond a bound the statement ends and the node lives.
const (
	statementMemory  = sysvars.StatementMemory
	connectionMemory = sysvars.ConnectionMemory
	nodeMemory       = sysvars.NodeMemory
)

const (
	// statementPart of what all statements may hold is the default for one, and for
	// what a connection keeps.
	statementPart = 4
	// statementsDefault is for all statements, in bytes, where nobody says it.
	statementsDefault = 1 << 30
)

// budget is what the statements of a server may hold, in bytes.
type budget struct {
	node, connection, statement int64        // the defaults
	used                        atomic.Int64 // by all statements
}

// newBudget is for statements that may hold so many bytes together.
func newBudget(all int64) *budget {
	if all <= 0 {
		all = statementsDefault
	}
	return &budget{node: all, connection: all / statementPart, statement: all / statementPart}
}

// limit is a setting in bytes, at most what the node has.
func (b *budget) limit(ctx context.Context, name string, otherwise int64) int64 {
	return b.within(ctx, name, otherwise, b.ofNode())
}

// ofNode is what all statements may hold together.
func (b *budget) ofNode() int64 {
	if n := int64(bound(context.Background(), nodeMemory, 0)); n > 0 {
		return n
	}
	return b.node
}

// within is limit where that of the node is known.
func (b *budget) within(ctx context.Context, name string, otherwise, node int64) int64 {
	if name == nodeMemory {
		return node
	}
	if n := int64(bound(ctx, name, 0)); n > 0 {
		otherwise = n
	}
	return min(otherwise, node)
}

// memoryAccount is what one statement holds. What goroutines of a statement that has ended
// still charge is given back at once.
type memoryAccount struct {
	budget          *budget
	of              *account.Share // of whose statement it is; nil: it is not known
	statement, node int64          // the bounds
	used            atomic.Int64
	closed          atomic.Bool
	growing         atomic.Int64 // functions in it that can make much of little
	tokens          atomic.Int64 // of the largest text that was parsed for it
}

// tokenBytes is what the trees made of a statement take for each of its tokens.
const tokenBytes = 160

// parse charges a text that is parsed; the same one may be more than once.
func (a *memoryAccount) parse(tokens int) error {
	if a == nil {
		return nil
	}
	more := int64(tokens) - a.tokens.Load()
	if more <= 0 {
		return nil
	}
	a.tokens.Add(more)
	return a.charge(more * tokenBytes)
}

// opened is the account of a statement that begins; asked is what its session has set, 0
// for the default.
func (b *budget) opened(asked int64, of *account.Share) *memoryAccount {
	node := b.ofNode() // asked once: every statement has an account
	if asked <= 0 {
		asked = b.statement
	}
	return &memoryAccount{budget: b, of: of, statement: min(asked, node), node: node}
}

// charge takes so many bytes, or says why it cannot.
func (a *memoryAccount) charge(n int64) error {
	if a == nil || n <= 0 || a.closed.Load() {
		return nil // a cursor outlasts its statement
	}
	if a.used.Load()+n > a.statement {
		return mysql.NewSQLError(codeCapacity, "HY000", "Memory capacity of %d bytes for 'a statement' exceeded (%s). Sort, group or join fewer rows at a time, or raise it", a.statement, statementMemory)
	}
	if !a.of.Take(account.OfMemory, n, a.node) {
		return mysql.NewSQLError(codeResources, "HY000", "Out of memory; all statements of this account would hold more than %d bytes, 80 %% of what those of the node may (%s): try again later", account.PartOf(a.node), nodeMemory)
	}
	if a.budget.used.Add(n) > a.node {
		a.budget.used.Add(-n)
		a.of.Give(account.OfMemory, n)
		return mysql.NewSQLError(codeResources, "HY000", "Out of memory; all statements of this node would hold more than %d bytes (%s): try again later", a.node, nodeMemory)
	}
	a.used.Add(n)
	if a.closed.Load() {
		a.close()
	}
	return nil
}

// release gives back what was charged.
func (a *memoryAccount) release(n int64) {
	if a == nil || n <= 0 || a.closed.Load() {
		return
	}
	a.used.Add(-n)
	a.budget.used.Add(-n)
	a.of.Give(account.OfMemory, n)
}

// close gives back all.
func (a *memoryAccount) close() {
	if a == nil {
		return
	}
	a.closed.Store(true)
	left := a.used.Swap(0)
	a.budget.used.Add(-left)
	a.of.Give(account.OfMemory, left)
}

// accountOf is the account of the statement that a context is of; nil: none.
func accountOf(ctx context.Context) *memoryAccount {
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok {
			return s.account.Load()
		}
	}
	return nil
}

// holding is what a part of a plan holds of an account.
type holding struct {
	account *memoryAccount
	bytes   atomic.Int64
}

func (h *holding) add(n int64) error {
	if err := h.account.charge(n); err != nil {
		return err
	}
	h.bytes.Add(n)
	return nil
}

func (h *holding) drop() { h.account.release(h.bytes.Swap(0)) }

// What values take beside what they say, in bytes.
const (
	valueBytes = 24
	rowBytes   = 48
)

// rowSize is about what a row takes.
func rowSize(row gms.Row) int64 {
	n := int64(rowBytes)
	for _, v := range row {
		n += valueBytes + sizeOfValue(v)
	}
	return n
}

// sizeOfValue is about what a value takes beside its place in a row.
func sizeOfValue(v any) int64 {
	switch v := v.(type) {
	case nil, int64, int32, uint64, float64, bool, int8:
		return 0
	case string:
		return int64(len(v))
	case []byte:
		return int64(len(v))
	case types.JSONBytes:
		if b, err := v.GetBytes(context.Background()); err == nil {
			return int64(len(b))
		}
	case types.JSONDocument:
		return sizeOfJSON(v.Val).bytes
	case gms.AnyWrapper:
		return 64
	case types.GeometryValue:
		return 2 * int64(len(v.Serialize()))
	case []any:
		return sizeOfJSON(v).bytes
	}
	return 16
}

// jsonExtent is how large a JSON value is. It is measured up to jsonNodesMax values.
type jsonExtent struct {
	bytes int64
	nodes int
	depth int
}

const (
	// jsonDepthMax is MySQL's bound of a document's depth.
	jsonDepthMax = 100
	// jsonNodesMax bounds the walk; who has more is counted as if without end.
	jsonNodesMax = 4 << 20
)

// sizeOfJSON measures a value without recursion.
func sizeOfJSON(v any) (e jsonExtent) {
	type open struct {
		v     any
		depth int
	}
	for todo := []open{{v, 1}}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		e.nodes++
		e.depth = max(e.depth, o.depth)
		if e.nodes+len(todo) > jsonNodesMax || e.depth > jsonDepthMax {
			e.bytes = 1 << 40
			return e
		}
		e.bytes += valueBytes
		switch v := o.v.(type) {
		case map[string]any:
			for k, inner := range v { // order: into a sum
				e.bytes += int64(len(k)) + valueBytes
				todo = append(todo, open{inner, o.depth + 1})
			}
		case []any:
			if len(v)+len(todo) > jsonNodesMax {
				e.bytes = 1 << 40
				return e
			}
			for _, inner := range v {
				todo = append(todo, open{inner, o.depth + 1})
			}
		case types.JSONDocument:
			todo = append(todo, open{v.Val, o.depth})
		case string:
			e.bytes += int64(len(v))
		case []byte:
			e.bytes += int64(len(v))
		}
	}
	return e
}

// keptVariables is what the variables of a user hold, in bytes.
type keptVariables struct {
	of  map[string]int64
	all int64
}

// keep counts what a variable holds; beside is what the connection holds beside variables. All
// of it is at most so much.
func (k *keptVariables) keep(name string, value any, beside, most int64) error {
	name = strings.ToLower(name)
	size := int64(len(name)) + valueBytes + rowBytes + sizeOfValue(value)
	if k.all-k.of[name]+size+beside > most {
		return mysql.NewSQLError(codeCapacity, "HY000", "Memory capacity of %d bytes for 'the variables of a connection' exceeded (%s). Set those that are not needed to NULL", most, connectionMemory)
	}
	if k.of == nil {
		k.of = map[string]int64{}
	}
	k.of[name], k.all = size, k.all-k.of[name]+size
	return nil
}
