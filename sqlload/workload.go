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

// Workload is a load on a database.
type Workload interface {
	// Sizes names the sizes that are fixed when the tables are created, with the requested values;
	// Prepare keeps them, and Adopt passes them to a later run.
	Sizes() map[string]float64
	Adopt(sizes map[string]float64)
	// Tables are its tables, in the order in which they are made.
	Tables() []Table
	// Load fills the tables, which are new and empty.
	Load(ctx context.Context, e *Env) error
	// Client makes one client, whose Next is called for each transaction. It is
	// called once for each client, from one goroutine.
	Client(e *Env, id int, r *rand.Rand) (Client, error)
	// Check describes the violations, a sentence each; run is nil without a run before.
	Check(ctx context.Context, e *Env, run *Report) ([]string, error)
}

// Client is one closed-loop client.
type Client interface{ Next() Txn }

// Starter is a workload that reads the database before the clients begin.
type Starter interface {
	Start(ctx context.Context, e *Env) error
}

// Finisher is a workload that reads once more when all clients have ended.
type Finisher interface {
	Finish(ctx context.Context, e *Env) error
}

// Recorded is a workload that records a history.
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
	// After is called for every try for which Body or Own was called; nil: no call.
	After func(Try)
}

// Try is the end of one try.
type Try struct {
	Outcome      history.Outcome
	Begun, Ended time.Duration // since the run began
	Err          error
}

// errRollback is returned by a body that cancels: the transaction is rolled back, and counted as
// the client's choice.
var errRollback = errors.New("rolled back by the client")

// errBeaten is returned by a body that found an earlier transaction.
var errBeaten = errors.New("another transaction came first")

// Table is a table of a workload.
type Table struct {
	Name    string
	Columns string // between the parentheses of CREATE TABLE
	// Home is the column of the primary key that keeps together rows that are used together; a
	// placement by hash divides the table by it.
	Home string
}

// Env is a workload's environment.
type Env struct {
	DBs       []*sql.DB // one for each address
	Placement string    // for Isochron: see Comment; "" for none
	Log       func(format string, args ...any)
	Begun     time.Time // of the run
	Seed      uint64
}

// DB is the first address's, for actions that are done once.
func (e *Env) DB() *sql.DB { return e.DBs[0] }

// since is the time since the run began.
func (e *Env) since() time.Duration { return time.Since(e.Begun) }

// Options are the configurable sizes; zero means the workload's own.
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
	CentralAt   int    // the source of transactions at one source, from 1 on; 0: any of them
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

// Names returns the names of all workloads.
func Names() []string {
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New returns a workload.
func New(name string, o Options) (Workload, error) {
	maker := makers[name]
	if maker == nil {
		return nil, fmt.Errorf("there is no workload %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return maker(o), nil
}

// or returns the value, or the default for zero or nothing.
func or[T int | float64 | string](value, otherwise T) T {
	var none T
	if value == none {
		return otherwise
	}
	return value
}
