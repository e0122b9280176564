package memory

import "fmt"

// Part is something of a node that takes memory.
type Part int

// The parts of a node, in the order in which they are shown.
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
	what  string // for a person
	milli int64  // of the setting without base
	most  int64  // bytes; 0: no bound
}

// base is what a node takes before it does anything: the program, its stacks, the
// engine's own tables. It is taken off first, and belongs to Rest.
const base = 64 * mib

// Least is the smallest setting with which a node runs.
const Least = 256 * mib

// table is who gets how much. What the shares leave is Rest's: connections, locks,
// open transactions, and what nobody counts.
var table = [parts]share{
	Statements: {"statements", "what statements sort, group, join and answer", 250, 0},
	Results:    {"results", "results that are held back until their statement has ended", 50, 512 * mib},
	Requests:   {"requests", "long requests of clients that are not read to their end", 50, 512 * mib},
	Prepared:   {"prepared", "statements that clients have prepared, and plans that they share", 40, 256 * mib},
	BlockCache: {"block_cache", "blocks of the files of the storage engine", 150, 0},
	MemTables:  {"memtables", "writes that the storage engine has not put into files yet", 80, 128 * mib},
	Rows:       {"rows", "newest versions of rows, for all shards", 80, 1 * gib},
	Logs:       {"logs", "log entries of all shards that followers may still ask for", 80, 1 * gib},
	Messages:   {"messages", "messages that wait for the loop, or for a peer's connection", 80, 512 * mib},
	Garbage:    {"garbage", "what is no longer used and not collected yet", 80, 256 * mib},
	Rest:       {"rest", "the program, connections, locks, open transactions", 0, 0},
}

// Shares are the bounds of the parts of one node, in bytes. The zero value is of
// nobody: Divide makes them.
type Shares struct {
	Total int64 // the setting
	of    [parts]int64
}

// Divide gives each part its share of a setting in bytes; together they are the
// setting. The error says that it is less than Least.
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

// Default are the shares of a setting of 2 GiB, for nodes of which nobody says more.
func Default() Shares {
	s, err := Divide(2 * gib)
	if err != nil {
		panic(err) // it is above Least
	}
	return s
}

// Of is the share of a part in bytes.
func (s Shares) Of(p Part) int64 { return s.of[p] }

// MemTablesMost is with how many memory tables the engine holds writes back.
const MemTablesMost = 4

// MemTable is the size of one memory table of the storage engine.
func (s Shares) MemTable() int64 { return max(mib, s.of[MemTables]/MemTablesMost) }

// preparedBytes is about what a prepared statement or a plan takes.
const preparedBytes = 8 * kib

// Plans is how many plans sessions share: an eighth of the share of both.
func (s Shares) Plans() int { return int(max(64, s.of[Prepared]/8/preparedBytes)) }

// preparedMost is how many MySQL keeps.
const preparedMost = 16382

// PreparedStatements is how many statements of clients a node keeps prepared.
func (s Shares) PreparedStatements() int {
	return int(min(preparedMost, max(256, s.of[Prepared]/8*7/preparedBytes)))
}

// Mailbox is what of the messages may wait for the node's loop, in bytes: a quarter,
// while it works on as much again.
func (s Shares) Mailbox() int64 { return s.of[Messages] / 4 }

// Queues is what of the messages is for the connections to all peers, in bytes: what
// waits, and what is being written.
func (s Shares) Queues() int64 { return s.of[Messages] / 2 }

// PlanBytes is about what so many prepared statements and plans take.
func PlanBytes(n int) int64 { return int64(n) * preparedBytes }

// Bytes is a number of bytes for a person.
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
