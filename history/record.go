package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Outcome is a transaction's outcome as the client learned it.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"      // committed
	Fail    Outcome = "fail"    // certainly not committed
	Unknown Outcome = "unknown" // indeterminate: it may have been committed, or may still be
)

// Kind is the kind of an operation.
type Kind string

// The operations of the workloads.
const (
	Append   Kind = "append"   // Value was appended to the list Key
	ReadList Kind = "read"     // List was read from Key
	Transfer Kind = "transfer" // Moves were made under the id Value
	Balances Kind = "balances" // Accounts were read, all of them
	Ledger   Kind = "ledger"   // List holds the transfer ids read, all of them
	Get      Kind = "get"      // Value was read from Key; 0 is the initial value
	Put      Kind = "put"      // Value was written to Key; no other Put of Key writes it
)

var (
	everyKind     = append(append([]Kind{Transfer, Balances, Ledger}, listKinds...), registerKinds...)
	listKinds     = []Kind{Append, ReadList}
	registerKinds = []Kind{Get, Put}
)

// Account is a balance as read, or an amount as moved.
type Account struct {
	Name   string `json:"name"`
	Amount int64  `json:"amount"`
}

// Op is one operation of a transaction.
type Op struct {
	Kind     Kind      `json:"kind"`
	Key      string    `json:"key,omitempty"`
	Value    int64     `json:"value,omitempty"`
	List     []int64   `json:"list,omitempty"`
	Accounts []Account `json:"accounts,omitempty"`
}

// Record is one try of a transaction.
type Record struct {
	Index         int     `json:"index"` // position in the history, from 0
	Process       int     `json:"process"`
	Txn           string  `json:"txn,omitempty"`
	Region        string  `json:"region,omitempty"`
	InvokeNanos   int64   `json:"invoke_ns"`
	CompleteNanos int64   `json:"complete_ns"` // of an Unknown: when it was given up, which implies nothing about its effect
	Ops           []Op    `json:"ops"`
	Outcome       Outcome `json:"outcome"`
	Reason        string  `json:"reason,omitempty"`
	Final         bool    `json:"final,omitempty"` // read when the cluster was quiet: must show every commit
	// At is the commit timestamp as reported by the database, which orders the
	// versions of a key; 0: unknown, or nothing was written. Of a ReadTS record: the read timestamp.
	At int64 `json:"at,omitempty"`
	// ReadTS: a snapshot read, as a backup makes it.
	ReadTS bool `json:"moment,omitempty"`
}

// Writes reports whether the transaction tried to write.
func (r *Record) Writes() bool {
	return slices.ContainsFunc(r.Ops, func(op Op) bool { return op.Kind == Append || op.Kind == Put || op.Kind == Transfer })
}

func (r *Record) String() string {
	name := r.Txn
	if name == "" {
		name = fmt.Sprintf("#%d", r.Index)
	}
	return fmt.Sprintf("%s (process %d, %s)", name, r.Process, r.Outcome)
}

// History is the record of the observations of one run's clients, in the order of completion.
type History struct{ Records []*Record }

// Add appends a record and sets its index.
func (h *History) Add(r *Record) {
	r.Index = len(h.Records)
	h.Records = append(h.Records, r)
}

// Write writes the history as JSON lines.
func (h *History) Write(w io.Writer) error {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	for _, r := range h.Records {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("record %d of the history cannot be written: %w", r.Index, err)
		}
	}
	return buf.Flush()
}

// Read reads JSON lines written by Write.
func Read(r io.Reader) (*History, error) {
	h := new(History)
	for dec := json.NewDecoder(r); ; {
		rec := new(Record)
		err := dec.Decode(rec)
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return nil, fmt.Errorf("record %d of the history cannot be read: %w", len(h.Records), err)
		}
		h.Add(rec)
	}
}

// Violation is a detected anomaly.
type Violation struct {
	Name string // the anomaly: G-single, lost-append, ...
	// StrictOnly: the history is still serializable, but no serial order agrees
	// with real time.
	StrictOnly bool
	Detail     string // for people: the observation and its place
}

func (v Violation) String() string { return v.Name + ": " + v.Detail }

// Report is a checker's verdict.
type Report struct {
	Violations []Violation
	Checked    int // records checked
}

// Serializable reports whether there are no violations other than of real-time order.
func (r *Report) Serializable() bool {
	for _, v := range r.Violations {
		if !v.StrictOnly {
			return false
		}
	}
	return true
}

// StrictSerializable reports whether there are no violations.
func (r *Report) StrictSerializable() bool { return len(r.Violations) == 0 }

func (r *Report) add(name, format string, args ...any) {
	r.Violations = append(r.Violations, Violation{Name: name, Detail: fmt.Sprintf(format, args...)})
}
