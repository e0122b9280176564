package memory

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"isochron/sql/account"
	"isochron/sql/legacy"
	"isochron/sql/sysvars"
)

// The numbers of what a client is answered whose statement would hold too much.
const (
	beyondBound = 3170
	outOfMemory = 1041
)

const (
	// statementPart of what all statements may hold is the default for one, and for
	// what a connection keeps.
	statementPart = 4
	// statementsDefault is for all statements, in bytes, where no setting has it.
	statementsDefault = 1 << 30
)

// Budget is what the statements of a server may hold, in bytes.
type Budget struct {
	Node, Connection, statement int64        // the defaults
	used                        atomic.Int64 // by all statements
	setting                     func(ctx context.Context, name string) int64
	refusal                     func(code int, message string) error
}

// New is for statements that may hold so many bytes together; setting is that of the session of
// a context, or of the node where it is of none; 0: there is none. refusal makes an error with one of MySQL's numbers.
func New(all int64, setting func(ctx context.Context, name string) int64, refusal func(code int, message string) error) *Budget {
	if all <= 0 {
		all = statementsDefault
	}
	return &Budget{Node: all, Connection: all / statementPart, statement: all / statementPart, setting: setting, refusal: refusal}
}

func (b *Budget) refuse(code int, format string, args ...any) error {
	return b.refusal(code, fmt.Sprintf(format, args...))
}

// Limit is a setting in bytes, at most what the node has.
func (b *Budget) Limit(ctx context.Context, name string, otherwise int64) int64 {
	return b.within(ctx, name, otherwise, b.ofNode())
}

// ofNode is what all statements may hold together.
func (b *Budget) ofNode() int64 {
	if n := b.setting(context.Background(), sysvars.NodeMemory); n > 0 {
		return n
	}
	return b.Node
}

// within is Limit where that of the node is known.
func (b *Budget) within(ctx context.Context, name string, otherwise, node int64) int64 {
	if name == sysvars.NodeMemory {
		return node
	}
	if n := b.setting(ctx, name); n > 0 {
		otherwise = n
	}
	return min(otherwise, node)
}

// Account is what one statement holds. What goroutines of a statement that has ended
// still charge is given back at once.
type Account struct {
	budget          *Budget
	of              *account.Share // of whose statement it is; nil: it is not known
	Statement, node int64          // the bounds
	used            atomic.Int64
	closed          atomic.Bool
	Growing         atomic.Int64 // functions in it that can make much of little
	tokens          atomic.Int64 // of the largest text that was parsed for it
}

// tokenBytes is what the trees made of a statement take for each of its tokens.
const tokenBytes = 160

// Parse charges a text that is parsed; the same one may be more than once.
func (a *Account) Parse(tokens int) error {
	if a == nil {
		return nil
	}
	more := int64(tokens) - a.tokens.Load()
	if more <= 0 {
		return nil
	}
	a.tokens.Add(more)
	return a.Charge(more * tokenBytes)
}

// Opened is the account of a statement that begins; asked is what its session has set, 0
// for the default.
func (b *Budget) Opened(asked int64, of *account.Share) *Account {
	node := b.ofNode() // asked once: every statement has an account
	if asked <= 0 {
		asked = b.statement
	}
	return &Account{budget: b, of: of, Statement: min(asked, node), node: node}
}

// Charge takes so many bytes, or says why it cannot.
func (a *Account) Charge(n int64) error {
	if a == nil || n <= 0 || a.closed.Load() {
		return nil // a cursor outlasts its statement
	}
	if a.used.Load()+n > a.Statement {
		return a.budget.refuse(beyondBound, "Memory capacity of %d bytes for 'a statement' exceeded (%s). Sort, group or join fewer rows at a time, or raise it", a.Statement, sysvars.StatementMemory)
	}
	if !a.of.Take(account.OfMemory, n, a.node) {
		return a.budget.refuse(outOfMemory, "Out of memory; all statements of this account would hold more than %d bytes, 80 %% of what those of the node may (%s): try again later", account.PartOf(a.node), sysvars.NodeMemory)
	}
	if a.budget.used.Add(n) > a.node {
		a.budget.used.Add(-n)
		a.of.Give(account.OfMemory, n)
		return a.budget.refuse(outOfMemory, "Out of memory; all statements of this node would hold more than %d bytes (%s): try again later", a.node, sysvars.NodeMemory)
	}
	a.used.Add(n)
	if a.closed.Load() {
		a.Close()
	}
	return nil
}

// Left is what the statement may take yet, as far as its own bound goes.
func (a *Account) Left() int64 {
	if a == nil {
		return math.MaxInt64
	}
	return a.Statement - a.used.Load()
}

// Release gives back what was charged.
func (a *Account) Release(n int64) {
	if a == nil || n <= 0 || a.closed.Load() {
		return
	}
	a.used.Add(-n)
	a.budget.used.Add(-n)
	a.of.Give(account.OfMemory, n)
}

// InUse are bytes that statements hold now.
func (b *Budget) InUse() int64 { return b.used.Load() }

// Hold counts bytes that are held beside statements, up to no bound; less than 0 gives back.
func (b *Budget) Hold(n int64) { b.used.Add(n) }

// Close gives back all.
func (a *Account) Close() {
	if a == nil {
		return
	}
	a.closed.Store(true)
	left := a.used.Swap(0)
	a.budget.used.Add(-left)
	a.of.Give(account.OfMemory, left)
}

// Holding is what a part of a plan holds of an account.
type Holding struct {
	Account *Account
	bytes   atomic.Int64
}

// Add charges bytes that the part holds.
func (h *Holding) Add(n int64) error {
	if err := h.Account.Charge(n); err != nil {
		return err
	}
	h.bytes.Add(n)
	return nil
}

// Drop gives back all that it holds.
func (h *Holding) Drop() { h.Account.Release(h.bytes.Swap(0)) }

// Kept is what the variables of a user hold, in bytes.
type Kept struct {
	of  map[string]int64
	All int64
}

// Keep counts what a variable holds; beside is what the connection holds beside variables. All
// of it is at most so much.
func (b *Budget) Keep(k *Kept, name string, value any, beside, most int64) error {
	name = strings.ToLower(name)
	size := int64(len(name)) + legacy.ValueBytes + legacy.RowBytes + legacy.SizeOfValue(value)
	if k.All-k.of[name]+size+beside > most {
		return b.refuse(beyondBound, "Memory capacity of %d bytes for 'the variables of a connection' exceeded (%s). Set those that are not needed to NULL", most, sysvars.ConnectionMemory)
	}
	if k.of == nil {
		k.of = map[string]int64{}
	}
	k.of[name], k.All = size, k.All-k.of[name]+size
	return nil
}
