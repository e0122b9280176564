package memory

import "fmt"

// Part is a part of a node that uses memory.
type Part int

// The parts of a node, in the order they are shown.
const (
	Statements Part = iota
	Results
	Requests
	Prepared
	BlockCache
	MemTables
	Rows
	Logs
	Messages
	Garbage
	Rest
	parts
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// share is one line of the table.
type share struct {
	name  string
	what  string // for people
	milli int64  // of the setting without base, in thousandths
	most  int64  // bytes; 0: no bound
}

// base is the memory of an idle node: the program, its stacks, the engine's own tables. It is subtracted first and
// belongs to Rest.
const base = 64 * mib

// Least is the smallest setting with which a node runs.
const Least = 256 * mib

// table has each part's share. The remainder is Rest's: connections, locks, open transactions, and uncounted memory.
var table = [parts]share{
	Statements: {"statements", "rows that statements sort, group, join and return", 250, 0},
	Results:    {"results", "results that are held back until their statement has ended", 50, 512 * mib},
	Requests:   {"requests", "long requests of clients that are not read to their end", 50, 512 * mib},
	Prepared:   {"prepared", "statements that clients have prepared, and plans that they share", 40, 256 * mib},
	BlockCache: {"block_cache", "blocks of the files of the storage engine", 150, 0},
	MemTables:  {"memtables", "writes that the storage engine has not put into files yet", 80, 128 * mib},
	Rows:       {"rows", "newest versions of rows, for all shards", 80, 1 * gib},
	Logs:       {"logs", "log entries of all shards that followers may still ask for", 80, 1 * gib},
	Messages:   {"messages", "messages that wait for the loop, or for a peer's connection", 80, 512 * mib},
	Garbage:    {"garbage", "unused memory that is not collected yet", 80, 256 * mib},
	Rest:       {"rest", "the program, connections, locks, open transactions", 0, 0},
}

// Shares has the bounds of one node's parts, in bytes. Divide makes them; the zero value is invalid.
type Shares struct {
	Total int64 // the setting
	of    [parts]int64
}

// Divide divides a setting in bytes among the parts; the shares sum to it. The error: it is less than Least.
func Divide(total int64) (Shares, error) {
	if total < Least {
		return Shares{}, fmt.Errorf("%s of memory are too little for a node, which takes %s at least", Bytes(total), Bytes(Least))
	}
	s := Shares{Total: total}
	left := total
	for p := range Rest {
		one := (total - base) / 1000 * table[p].milli
		if most := table[p].most; most > 0 {
			one = min(one, most)
		}
		s.of[p] = one
		left -= one
	}
	s.of[Rest] = left
	return s, nil
}

// Default returns the shares of a setting of 2 GiB, for nodes without a setting.
func Default() Shares {
	s, err := Divide(2 * gib)
	if err != nil {
		panic(err) // it is above Least
	}
	return s
}

// Of returns a part's share in bytes.
func (s Shares) Of(p Part) int64 { return s.of[p] }

// MemTablesMost is the number of memory tables at which the engine holds writes back.
const MemTablesMost = 4

// MemTable returns the size of one memory table of the storage engine.
func (s Shares) MemTable() int64 { return max(mib, s.of[MemTables]/MemTablesMost) }

// preparedBytes is about the size of a prepared statement or a plan.
const preparedBytes = 8 * kib

// Plans returns the number of shared plans: an eighth of the share.
func (s Shares) Plans() int { return int(max(64, s.of[Prepared]/8/preparedBytes)) }

// preparedMost is MySQL's default limit.
const preparedMost = 16382

// PreparedStatements returns the number of clients' prepared statements a node keeps.
func (s Shares) PreparedStatements() int {
	return int(min(preparedMost, max(256, s.of[Prepared]/8*7/preparedBytes)))
}

// Mailbox returns the bytes of messages that may be queued for the node's loop: a quarter of their share, while the loop
// handles as much again.
func (s Shares) Mailbox() int64 { return s.of[Messages] / 4 }

// Queues returns the bytes of messages for all peers' connections, queued or being written.
func (s Shares) Queues() int64 { return s.of[Messages] / 2 }

// PlanBytes returns about the size of n prepared statements and plans.
func PlanBytes(n int) int64 { return int64(n) * preparedBytes }

// Bytes formats a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/float64(gib))
	case n >= mib:
		return fmt.Sprintf("%.0f MiB", float64(n)/float64(mib))
	case n >= kib:
		return fmt.Sprintf("%.0f KiB", float64(n)/float64(kib))
	}
	return fmt.Sprintf("%d bytes", n)
}
