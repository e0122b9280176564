package txn

import (
	"context"
	"time"

	"isochron/geo"
)

// A gateway's information about sources besides transactions: which exist, their tables, and
// their in-doubt branches.

// SourceEntry is a source in the directory.
type SourceEntry struct {
	ID      ShardID
	Name    string // unique among the sources the cluster knows
	Dialect string // "mysql", also for MariaDB, or "postgres"
	Node    NodeID // of its agent
	Region  geo.Region
}

// SourceSchema describes a source as its agent reports it.
type SourceSchema struct {
	Dialect string `cbor:"1,keyasint,omitempty"`
	Version string `cbor:"2,keyasint,omitempty"` // as the server writes it
	// Identity distinguishes one database from another, and from itself with other data.
	Identity string `cbor:"3,keyasint,omitempty"`
	// PreparedMax bounds its prepared transactions; 0: it refuses all, -1: no known bound.
	PreparedMax int `cbor:"4,keyasint,omitempty"`
	// Warnings are notes for the operator, a line each.
	Warnings []string `cbor:"5,keyasint,omitempty"`
	// Tables are the tables that the agent's account can see, at most SourceTablesMax; More: there
	// are others.
	Tables []SourceTable `cbor:"6,keyasint,omitempty"`
	More   bool          `cbor:"7,keyasint,omitempty"`
}

// SourceTable is a table of a source.
type SourceTable struct {
	Schema  string     `cbor:"1,keyasint,omitempty"`
	Name    string     `cbor:"2,keyasint,omitempty"`
	Columns []Column   `cbor:"3,keyasint,omitempty"`
	Key     []string   `cbor:"4,keyasint,omitempty"` // names of the primary key's columns, in order
	Unique  [][]string `cbor:"5,keyasint,omitempty"` // other unique keys
	// Plain: its rows are stored in the table itself, not in partitions, and have system columns.
	Plain bool   `cbor:"7,keyasint,omitempty"`
	Unfit string `cbor:"6,keyasint,omitempty"` // why no transaction over sources can use it; empty: it can be used
}

// Bounds of one answer of a source.
const (
	SourceTablesMax = 10_000
	SourceDoubtMax  = 1_000
	sourceBytesMax  = 16 << 20
)

// InDoubtBranch is a prepared branch at a source that has not ended.
type InDoubtBranch struct {
	Source      string  `cbor:"-"`                    // the source's name
	ID          ShardID `cbor:"1,keyasint,omitempty"` // the source
	Name        string  `cbor:"2,keyasint,omitempty"` // the branch's name, as the source lists it
	AgeNanos    int64   `cbor:"3,keyasint,omitempty"` // since its agent learned of it
	Reason      string  `cbor:"4,keyasint,omitempty"` // why it has not ended, for people
	Gateway     NodeID  `cbor:"5,keyasint,omitempty"` // the node of its transaction
	RecordShard ShardID `cbor:"6,keyasint,omitempty"` // the shard whose log has the decision, if there is one
	Txn         ID      `cbor:"7,keyasint,omitempty"` // zero if the agent found it prepared
}

// Age is the time for which its agent has known the branch.
func (b *InDoubtBranch) Age() time.Duration { return time.Duration(b.AgeNanos) }

// SourceCatalogue is implemented by gateways (DB) that know sources. Every error is an
// *Error; KindUnavailable: an agent or its source does not answer now.
type SourceCatalogue interface {
	// Sources lists the sources in this gateway's directory by rising ID, without a request.
	Sources() []SourceEntry
	// DescribeSource asks a source, through its agent, for its properties and tables: one round
	// trip and some queries. ctx and SourceQueryWait bound it.
	DescribeSource(ctx context.Context, source ShardID) (SourceSchema, error)
	// InDoubt asks all agents in parallel for branches that are prepared and undecided, the
	// oldest of each source first. With an error, the first, it returns the others' answers.
	InDoubt(ctx context.Context) ([]InDoubtBranch, error)
	// ResolveInDoubt ends a branch that InDoubt has listed, as the log of decisions
	// specifies; if the log has no decision an abort is logged, which no commit can follow. It
	// refuses while the branch's own gateway answers, and never guesses: if the log cannot
	// be asked it returns an error, and the branch remains. nil: the branch has ended.
	ResolveInDoubt(ctx context.Context, name string) error
}

// SourceForcer is implemented by gateways that end in-doubt branches on an operator's command.
type SourceForcer interface {
	// ForceInDoubt commits or rolls back a branch that InDoubt has listed, whatever the log of
	// decisions contains or will contain: the transaction may end otherwise at its other
	// participants. It refuses while the branch's own gateway answers.
	ForceInDoubt(ctx context.Context, name string, commit bool) error
}

// SourceQueryWait bounds how long a gateway waits for an agent's answer.
const SourceQueryWait = 20 * time.Second

// SourceQueryKind is a kind of request to an agent outside transactions.
type SourceQueryKind uint8

// The kinds. An agent that does not know one refuses it.
const (
	SourceDescribe SourceQueryKind = iota + 1
	SourceInDoubt
	SourceResolve // Name
	SourceCommit  // Name, whatever the log of decisions contains
	SourceUndo    // Name, as SourceCommit
)

// SourceQuery is a request to an agent.
type SourceQuery struct {
	Shard   ShardID         `cbor:"1,keyasint,omitempty"`
	Request uint64          `cbor:"2,keyasint,omitempty"` // echoed in the reply
	Kind    SourceQueryKind `cbor:"3,keyasint,omitempty"`
	Name    string          `cbor:"4,keyasint,omitempty"` // of a branch
}

// SourceReply answers SourceQuery. If Refused is set, only Reason is set besides.
type SourceReply struct {
	Shard   ShardID         `cbor:"1,keyasint,omitempty"`
	Request uint64          `cbor:"2,keyasint,omitempty"`
	Refused Kind            `cbor:"3,keyasint,omitempty"`
	Reason  string          `cbor:"4,keyasint,omitempty"`
	Schema  *SourceSchema   `cbor:"5,keyasint,omitempty"`
	InDoubt []InDoubtBranch `cbor:"6,keyasint,omitempty"`
}

// Fit removes tables beyond the bounds of one answer.
func (s *SourceSchema) Fit() {
	bytes := 0
	for i := range s.Tables {
		bytes += s.Tables[i].bytes()
		if i >= SourceTablesMax || bytes > sourceBytesMax {
			s.Tables, s.More = s.Tables[:i], true
			return
		}
	}
}

// bytes estimates the size of a table in a message.
func (t *SourceTable) bytes() int {
	n := len(t.Schema) + len(t.Name) + len(t.Unfit)
	for _, c := range t.Columns {
		n += len(c.Name) + len(c.Type) + 8
	}
	for _, u := range append(t.Unique, t.Key) {
		for _, c := range u {
			n += len(c) + 2
		}
	}
	return n
}
