package source

import (
	"context"
	"strings"
	"sync"

	"isochron/txn"
)

// Versions. Under a row whose policy says so (yield.Policy.Versions) a source is no more than a
// store of single records, and concurrency control is the agent's (ScalarDB, PVLDB 16(12), 2023, as
// GeoTP section 7.1 compares itself with it). A branch is no transaction of the database then:
//
//   - what it reads it reads in statements that are transactions by themselves, with the records'
//     versions, and what it writes stays with the agent;
//   - its prepare is one short transaction of the database, which puts each new record in the place
//     of the one that was read, with a mark that says whose it is and with what stood there before;
//     it fails if another record stands there;
//   - when all of the transaction is prepared what was read and is not written is looked at again
//     (decide.Twice);
//   - its end is another short transaction, which takes the marks away, or puts back what stood there.
//
// Whoever meets a mark gives way. Then the order of transactions is that of the moments between
// their last prepare and their first look: all that one writes is marked there, and all that it has
// read is as it read it, for at the look it had the same version and nobody's mark.
//
// Statements are of the small language of workload.Sourced, which the laboratory's databases have;
// there too is SWAP, the conditional write. A row of a table of its own lists what a branch has
// prepared, so that another life of the agent finds it: ScalarDB finds it when somebody reads it.

// preparedTable has those rows, under the branches' names.
const preparedTable = "prepared/"

// versions is a Driver of such branches over one of a store.
type versions struct {
	Driver
	bugs txn.InjectedBugs

	mu      sync.Mutex
	pending map[string][]swap // what branches that this life has prepared have put there, by name
}

func newVersions(store Driver, bugs txn.InjectedBugs) *versions {
	return &versions{Driver: store, bugs: bugs, pending: map[string][]swap{}}
}

// Facts implements Driver. No lock outlives a transaction of the database, so none can be forgotten.
func (v *versions) Facts(ctx context.Context) (Facts, error) {
	f, err := v.Driver.Facts(ctx)
	f.ForgetsReads = false
	return f, err
}

// Begin implements Driver. Nothing is said to the database.
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
	if known && len(put) == 0 { // it has written nothing
		v.forget(n)
		return true, nil
	}
	ends := make([]swap, len(put))
	for i, s := range put {
		r, _ := parseRecord(s.new) // of the row that lists them: none, and nothing stood there before
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

// load finds what a branch has put there that another life has prepared; none: it has ended.
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
		if len(of) == 0 { // another has it end there now
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

// read runs a statement that reads, as a transaction by itself.
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

// swapAll does conditional writes in one transaction of the database; false: one of them has found
// something else there, and nothing was done.
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
			_ = b.Rollback(ctx) // an error: the source does it when it notices
		}
		return false, err
	}
	err = b.Commit(ctx)
	return err == nil, err
}
