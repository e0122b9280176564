package source

import (
	"context"
	"strings"
	"sync"

	"isochron/txn"
)

// Versions. Under a protocol whose yield.Policy.Versions is set a source is only a store of single
// records, and the agent does concurrency control (ScalarDB, PVLDB 16(12), 2023, as GeoTP section 7.1
// compares itself with it). A branch is then not a transaction of the database:
//
//   - each read is a statement that is a transaction by itself and returns the record's version; writes
//     stay in the agent;
//   - its prepare is one short transaction that replaces each record read by the new one, marked with
//     the branch's name and holding the replaced text; it fails if the stored record is another;
//   - once all of the transaction is prepared, records read and not written are read again and compared
//     (decide.PrepareThenValidate);
//   - its end is another short transaction, which removes the marks or restores the replaced texts.
//
// A transaction that reads or replaces a marked record aborts. Transactions are serializable in the order
// of any time between their last prepare and their first validation: then all writes of one are marked,
// and all its reads are current, for the validation finds the same version and no other branch's mark.
//
// Statements are of workload.Sourced's small language, which the laboratory's databases have, and SWAP,
// the conditional write. A row of a separate table lists a branch's prepared keys, so that the agent's
// next incarnation finds them; ScalarDB finds them when another transaction reads the record.

// preparedTable is the prefix of those rows; the rest of the key is the branch's name.
const preparedTable = "prepared/"

// versions is a Driver of such branches over a store's Driver. It is safe for concurrent use.
type versions struct {
	Driver
	bugs txn.InjectedBugs

	mu      sync.Mutex
	pending map[string][]swap // swaps of the branches this incarnation has prepared, by name
}

func newVersions(store Driver, bugs txn.InjectedBugs) *versions {
	return &versions{Driver: store, bugs: bugs, pending: map[string][]swap{}}
}

// Facts implements Driver. No lock outlives a transaction of the database, so a restart loses none.
func (v *versions) Facts(ctx context.Context) (Facts, error) {
	f, err := v.Driver.Facts(ctx)
	f.ForgetsReads = false
	return f, err
}

// Begin implements Driver. Nothing is sent to the database.
func (v *versions) Begin(_ context.Context, n Name, o BranchOptions) (Branch, error) {
	return &versioned{v: v, name: n, options: o, seen: map[string]record{}, writes: map[string]string{}}, nil
}

// Prepared implements Driver.
func (v *versions) Prepared(ctx context.Context, cluster uint64) (out []Name, err error) {
	rows, err := v.read(ctx, Name{}, BranchOptions{}, "SCAN "+preparedTable)
	for _, row := range rows {
		if n, ok := ParseName(strings.TrimPrefix(row.key, preparedTable)); ok && n.Cluster == cluster {
			out = append(out, n)
		}
	}
	return out, err
}

// Finish implements Driver.
func (v *versions) Finish(ctx context.Context, n Name, commit bool) (found bool, err error) {
	put, known := v.recall(n)
	if !known {
		if put, err = v.load(ctx, n); err != nil {
			return false, err
		}
	}
	if known && len(put) == 0 { // a branch without writes
		v.forget(n)
		return true, nil
	}
	ends := make([]swap, len(put))
	for i, s := range put {
		r, _ := parseRecord(s.new) // the listing row parses as no record; it replaced nothing
		ends[i] = swap{key: s.key, old: s.new, new: r.ended(commit || v.bugs.RollForward)}
		if strings.HasPrefix(s.key, preparedTable) {
			ends[i].new = ""
		}
	}
	if len(ends) > 0 {
		if found, err = v.swapAll(ctx, Name{}, BranchOptions{}, ends); err != nil {
			return false, err
		}
	}
	v.forget(n)
	return found, nil
}

// load reads the swaps of a branch that another incarnation has prepared; none: the branch has ended.
func (v *versions) load(ctx context.Context, n Name) (put []swap, err error) {
	list := preparedTable + n.String()
	rows, err := v.read(ctx, Name{}, BranchOptions{}, "GET "+list)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	for key := range strings.SplitSeq(rows[0].text, " ") {
		of, err := v.read(ctx, Name{}, BranchOptions{}, "GET "+key)
		if err != nil {
			return nil, err
		}
		if len(of) == 0 { // its end is under way elsewhere
			return nil, nil
		}
		put = append(put, swap{key: key, new: of[0].text})
	}
	return append(put, swap{key: list, new: rows[0].text}), nil
}

func (v *versions) recall(n Name) (put []swap, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	put, known = v.pending[n.String()]
	return put, known
}

func (v *versions) note(n Name, put []swap) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pending[n.String()] = put
}

func (v *versions) forget(n Name) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.pending, n.String())
}

// storedRow is a row of the store.
type storedRow struct{ key, text string }

// read runs a read statement as a transaction by itself.
func (v *versions) read(ctx context.Context, n Name, o BranchOptions, text string) ([]storedRow, error) {
	r, err := v.alone(ctx, n, o, Statement{Text: text})
	out := make([]storedRow, len(r.Rows))
	for i, row := range r.Rows {
		out[i] = storedRow{string(row[0]), string(row[1])}
	}
	return out, err
}

// alone runs a statement as a transaction by itself.
func (v *versions) alone(ctx context.Context, n Name, o BranchOptions, s Statement) (Result, error) {
	b, err := v.Driver.Begin(ctx, n, BranchOptions{LockWait: o.LockWait, Silence: o.Silence, Autocommit: true})
	if err != nil {
		return Result{}, err
	}
	return b.Execute(ctx, s)
}

// swapAll does the swaps in one transaction of the database. It returns false, with nothing done, if a
// stored text was not as expected.
func (v *versions) swapAll(ctx context.Context, n Name, o BranchOptions, all []swap) (bool, error) {
	b, err := v.Driver.Begin(ctx, n, BranchOptions{LockWait: o.LockWait, Silence: o.Silence, Plain: true})
	if err != nil {
		return false, err
	}
	for _, s := range all {
		r, err := b.Execute(ctx, s.statement())
		if err == nil && r.Affected == 1 {
			continue
		}
		if e := asError(err); e == nil || !e.Ends {
			_ = b.Rollback(ctx) // on an error the source rolls back when it notices the lost connection
		}
		return false, err
	}
	err = b.Commit(ctx)
	return err == nil, err
}
