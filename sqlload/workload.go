package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"isochron/history"
)

// Workload is something that clients can do to a database.
type Workload interface {
	// Sizes names what is fixed when the tables are made, with the values
	// asked for; Prepare keeps them, and Adopt hands them back to a later run.
	Sizes() map[string]float64
	Adopt(sizes map[string]float64)
	// Tables are its tables, in the order in which they are made.
	Tables() []Table
	// Load fills the tables, which are new and empty.
	Load(ctx context.Context, e *Env) error
	// Client makes one client, whose Next is called for each transaction. It is
	// called once for each client, from one goroutine.
	Client(e *Env, id int, r *rand.Rand) (Client, error)
	// Check says what is wrong, a sentence each; run is nil if no run went before.
	Check(ctx context.Context, e *Env, run *Report) ([]string, error)
}

// Client is one closed-loop client.
type Client interface{ Next() Txn }

// Starter is a workload that looks at the database before the clients begin.
type Starter interface {
	Start(ctx context.Context, e *Env) error
}

// Finisher is a workload that reads once more when all clients have ended.
type Finisher interface {
	Finish(ctx context.Context, e *Env) error
}

// Recorded is a workload that writes down what its clients saw.
type Recorded interface {
	History() *history.History
}

// Txn is one transaction, to be tried until it is done.
type Txn struct {
	Kind string
	// Body is called for every try, in a transaction of its own.
	Body func(ctx context.Context, tx *sql.Tx) error
	// Own, if not nil, is called instead: its one statement is a transaction by itself.
	Own func(ctx context.Context, conn *sql.Conn) error
	// After hears of every try for which Body or Own was called; nil if nobody wants to know.
	After func(Try)
}

// Try is how one try ended.
type Try struct {
	Outcome      history.Outcome
	Begun, Ended time.Duration // since the run began
	Err          error
}

// errRollback is what a body returns that changed its mind: the transaction is
// rolled back, and counts as one that the client wanted so.
var errRollback = errors.New("rolled back by the client")

// errBeaten is what a body returns that saw another one come before it.
var errBeaten = errors.New("another transaction came first")

// Table is a table of a workload.
type Table struct {
	Name    string
	Columns string // between the parentheses of CREATE TABLE
	// Home is the column of the primary key that keeps together what is used
	// together; a placement by hash divides the table by it.
	Home string
}

// Env is where a workload runs.
type Env struct {
	DBs       []*sql.DB // one for each address
	Placement string    // for Isochron: see Comment; "" for none
	Say       func(format string, args ...any)
	Begun     time.Time // of the run
	Seed      uint64
}

// DB is the first address's, for what is done once.
func (e *Env) DB() *sql.DB { return e.DBs[0] }

// since is the time since the run began.
func (e *Env) since() time.Duration { return time.Since(e.Begun) }

// Options are the sizes a person may choose; zero means the workload's own.
type Options struct {
	Rows       int     // accounts, records, customers or lists
	Hot        int     // smallbank: customers that take nine tenths of the work
	Warehouses int     // tpcc
	Scale      float64 // tpcc: customers and items times this
	Mix        string  // ycsb: a, b or c
	Theta      float64 // ycsb, transfer, ycsb-txn: how skewed the keys are, above 0 and not 1

	// Of the loads over several sources, transfer and ycsb-txn:
	Sources     int    // at how many the rows lie, in ranges of the key
	Distributed int    // transactions of a hundred that work at several; NoneDistributed: none
	CentralAt   int    // the source of those that work at one, from 1 on; 0: any of them
	Span        int    // at how many these work
	Operations  int    // ycsb-txn: of one transaction
	ReadLock    string // what ends a read, such as " FOR SHARE"
	Packet      bool   // the statements of a transaction leave in one message
	Hint        bool   // the last one of a transaction is marked
}

var makers = map[string]func(Options) Workload{
	"bank":        newBank,
	"fit":         newFit,
	"hotspot":     newHotspot,
	"list-append": newLists,
	"smallbank":   newSmallbank,
	"tpcc":        newTPCC,
	"transfer":    newTransfer,
	"ycsb":        newYCSB,
	"ycsb-txn":    newYCSBTxn,
}

// Names are the workloads there are.
func Names() []string {
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New makes a workload.
func New(name string, o Options) (Workload, error) {
	maker := makers[name]
	if maker == nil {
		return nil, fmt.Errorf("there is no workload %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return maker(o), nil
}

// or is the value, or the default for zero or nothing.
func or[T int | float64 | string](value, otherwise T) T {
	var none T
	if value == none {
		return otherwise
	}
	return value
}
