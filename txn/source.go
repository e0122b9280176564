package txn

import (
	"context"
	"time"

	"isochron/geo"
)

// What a gateway knows of sources beside what transactions do there: which there are, what
// tables they have, and what is in doubt at them.

// SourceEntry is a source as the directory has it.
type SourceEntry struct {
	ID      ShardID
	Name    string // of those that the cluster knows; one of its own for each
	Dialect string // "mysql", MariaDB too, or "postgres"
	Node    NodeID // of its agent
	Region  geo.Region
}

// SourceSchema is what a source says of itself.
type SourceSchema struct {
	Dialect string `cbor:"1,keyasint,omitempty"`
	Version string `cbor:"2,keyasint,omitempty"` // as the server writes it
	// Identity tells one database from another, and from itself with other data.
	Identity string `cbor:"3,keyasint,omitempty"`
	// PreparedMax bounds its prepared transactions; 0: it refuses all, -1: no bound is known.
	PreparedMax int `cbor:"4,keyasint,omitempty"`
	// Warnings are what an operator should know, a line each.
	Warnings []string `cbor:"5,keyasint,omitempty"`
	// Tables are those that the agent's account can see, at most SourceTablesMax; More: there
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
	// Plain: its rows are stored in itself, not in partitions, and have system columns.
	Plain bool   `cbor:"7,keyasint,omitempty"`
	Unfit string `cbor:"6,keyasint,omitempty"` // why it can be in no transaction over sources; empty: it can
}

// Bounds of what a source tells in one answer.
const (
	SourceTablesMax = 10_000
	SourceDoubtMax  = 1_000
	sourceBytesMax  = 16 << 20
)

// InDoubtBranch is a prepared branch at a source that has not ended.
type InDoubtBranch struct {
	Source      string  `cbor:"-"`                    // the source's name
	ID          ShardID `cbor:"1,keyasint,omitempty"` // the source
	Name        string  `cbor:"2,keyasint,omitempty"` // of the branch, as the source lists it
	AgeNanos    int64   `cbor:"3,keyasint,omitempty"` // since its agent learnt of it
	Reason      string  `cbor:"4,keyasint,omitempty"` // why it has not ended, for people
	Gateway     NodeID  `cbor:"5,keyasint,omitempty"` // whose transaction it is
	RecordShard ShardID `cbor:"6,keyasint,omitempty"` // in whose log its decision stands, if there is one
	Txn         ID      `cbor:"7,keyasint,omitempty"` // zero if the agent found it prepared
}

// Age is for how long its agent has known of it.
func (b *InDoubtBranch) Age() time.Duration { return time.Duration(b.AgeNanos) }

// SourceCatalogue is implemented by gateways (DB) that know sources. Every error is an
// *Error; KindUnavailable says that an agent or its source does not answer now.
type SourceCatalogue interface {
	// Sources lists the sources that this gateway's directory has, rising by ID. It asks
	// nobody.
	Sources() []SourceEntry
	// DescribeSource asks a source for what it is and which tables it has, through its agent:
	// a trip there and some queries. ctx bounds it, and SourceQueryWait.
	DescribeSource(ctx context.Context, source ShardID) (SourceSchema, error)
	// InDoubt asks all agents at once for what is prepared at their sources and undecided, the
	// oldest of each source first. With an error, the first, it gives what the others have said.
	InDoubt(ctx context.Context) ([]InDoubtBranch, error)
	// ResolveInDoubt has a branch that InDoubt has listed ended now, as the log of decisions
	// says; if nothing stands there an abort is logged, which no commit can follow. It
	// refuses while the branch's own gateway answers, and never guesses: where the log cannot
	// be asked it is an error, and the branch stays. nil: the branch has ended.
	ResolveInDoubt(ctx context.Context, name string) error
}

// SourceForcer is implemented by gateways that end what is in doubt by an operator's word.
type SourceForcer interface {
	// ForceInDoubt commits or rolls back a branch that InDoubt has listed, whatever the log of
	// decisions says or will say: the transaction may end otherwise at its other participants.
	// It refuses while the branch's own gateway answers.
	ForceInDoubt(ctx context.Context, name string, commit bool) error
}

// SourceQueryWait bounds how long a gateway waits for an agent's answer.
const SourceQueryWait = 20 * time.Second

// SourceQueryKind is what an agent is asked beside transactions.
type SourceQueryKind uint8

// The questions. An agent that does not know one refuses it.
const (
	SourceDescribe SourceQueryKind = iota + 1
	SourceInDoubt
	SourceResolve // Name
	SourceCommit  // Name, whatever the log of decisions says
	SourceUndo    // Name, likewise
)

// SourceQuery asks an agent.
type SourceQuery struct {
	Shard   ShardID         `cbor:"1,keyasint,omitempty"`
	Request uint64          `cbor:"2,keyasint,omitempty"` // echoed in the reply
	Kind    SourceQueryKind `cbor:"3,keyasint,omitempty"`
	Name    string          `cbor:"4,keyasint,omitempty"` // of a branch
}

// SourceReply answers SourceQuery. If Refused is set, nothing else but Reason is.
type SourceReply struct {
	Shard   ShardID         `cbor:"1,keyasint,omitempty"`
	Request uint64          `cbor:"2,keyasint,omitempty"`
	Refused Kind            `cbor:"3,keyasint,omitempty"`
	Reason  string          `cbor:"4,keyasint,omitempty"`
	Schema  *SourceSchema   `cbor:"5,keyasint,omitempty"`
	InDoubt []InDoubtBranch `cbor:"6,keyasint,omitempty"`
}

// Fit leaves out tables that are beyond the bounds of one answer.
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

// bytes is about how much a table takes on its way.
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
