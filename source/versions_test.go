package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"isochron/txn"
)

// shelf is a store of single records: a Driver with what versions needs.
type shelf struct {
	Driver
	rows  map[string]string
	fails map[string]*Error // by the first word of a statement, or COMMIT
	calls []string
}

type shelfBranch struct {
	Branch
	s    *shelf
	o    BranchOptions
	undo map[string]string
}

func (s *shelf) Facts(context.Context) (Facts, error) { return Facts{ForgetsReads: true}, nil }

func (s *shelf) Begin(_ context.Context, _ Name, o BranchOptions) (Branch, error) {
	return &shelfBranch{s: s, o: o, undo: map[string]string{}}, nil
}

func (b *shelfBranch) Execute(_ context.Context, st Statement) (r Result, err error) {
	word, rest, _ := strings.Cut(st.Text, " ")
	key, arg, _ := strings.Cut(rest, " ")
	b.s.calls = append(b.s.calls, word+" "+key)
	if e := b.s.fails[word]; e != nil {
		return r, e
	}
	switch word {
	case "GET", "SCAN":
		for _, k := range slices.Sorted(maps.Keys(b.s.rows)) {
			if text := b.s.rows[k]; text != "" && (k == key || word == "SCAN" && strings.HasPrefix(k, key)) {
				r.Rows = append(r.Rows, [][]byte{[]byte(k), []byte(text)})
			}
		}
	case "SWAP":
		old, fresh, ok := ParseSwap(arg)
		if !ok || !b.o.Plain {
			return r, &Error{Text: "no swap", Ends: true}
		}
		if was := b.s.rows[key]; was == old {
			b.undo[key], b.s.rows[key], r.Affected = was, fresh, 1
		}
	}
	return r, nil
}

func (b *shelfBranch) Rollback(context.Context) error {
	for _, k := range slices.Sorted(maps.Keys(b.undo)) {
		b.s.rows[k] = b.undo[k]
	}
	return nil
}

func (b *shelfBranch) Commit(ctx context.Context) error {
	if e := b.s.fails["COMMIT"]; e != nil {
		_ = b.Rollback(ctx)
		return e
	}
	return nil
}

// shelved is a store and incarnations of agents over it.
type shelved struct {
	t *testing.T
	*shelf
	v *versions
}

func newShelf(t *testing.T) *shelved {
	s := &shelf{rows: map[string]string{}, fails: map[string]*Error{}}
	w := &shelved{t, s, newVersions(s, txn.InjectedBugs{})}
	w.commit(w.branch(1, "PUT a/1 10", "PUT a/2 20"))
	return w
}

// branch returns a branch that has executed statements.
func (w *shelved) branch(n int, texts ...string) *versioned {
	b, err := w.v.Begin(context.Background(), Name{Cluster: toyCluster, Attempt: attempt(n), Source: toySource}, BranchOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, text := range texts {
		w.does(b.(*versioned), text)
	}
	return b.(*versioned)
}

func (w *shelved) does(b *versioned, text string) string {
	w.t.Helper()
	r, err := b.Execute(context.Background(), Statement{Text: text})
	if err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	var out []string
	for _, row := range r.Rows {
		out = append(out, string(row[0])+"="+string(row[1]))
	}
	return strings.Join(out, " ")
}

func (w *shelved) commit(b *versioned) {
	w.t.Helper()
	if err := b.Prepare(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.ends(b, true, true)
}

// ends ends a prepared branch and checks whether it was found.
func (w *shelved) ends(b *versioned, commit, there bool) {
	w.t.Helper()
	if found, err := w.v.Finish(context.Background(), b.name, commit); err != nil || found != there {
		w.t.Fatalf("end of %v: found %v, %v", b.name.Attempt, found, err)
	}
}

// loses expects a conflict error.
func (w *shelved) loses(what string, err error) {
	w.t.Helper()
	if e := asError(err); e == nil || !e.Again || !e.Ends || e.cause() != txn.CauseConflict {
		w.t.Errorf("%s: %v", what, err)
	}
}

func (w *shelved) holds(what, want string) {
	w.t.Helper()
	b := w.branch(99)
	if got := w.does(b, "SCAN a/"); got != want {
		w.t.Errorf("%s: the store has %q, not %q", what, got, want)
	}
}

// A branch reads its own writes and repeats its reads; other branches do not see its writes.
func TestABranchOverVersions(t *testing.T) {
	w := newShelf(t)
	b := w.branch(2, "GET a/1", "ADD a/1 5", "PUT a/3 30")
	w.commit(w.branch(3, "PUT a/1 11"))
	if got := w.does(b, "GET a/1"); got != "a/1=15" {
		t.Errorf("its own write: %q", got)
	}
	if got := w.does(b, "GET a/4"); got != "" {
		t.Errorf("a missing row: %q", got)
	}
	_, err := b.Execute(context.Background(), Statement{Text: "SCAN a/"})
	w.loses("a scan that shows a/1 changed", err)
	w.holds("before it is prepared", "a/1=11 a/2=20")
	w.loses("a row read and written has changed", b.Prepare(context.Background()))
	w.holds("a prepare that failed", "a/1=11 a/2=20")
	c := w.branch(4, "PUT a/3 31")
	if got := w.does(c, "SCAN a/"); got != "a/1=11 a/2=20 a/3=31" {
		t.Errorf("a scan with its own write: %q", got)
	}
	if f, err := w.v.Facts(context.Background()); err != nil || f.ForgetsReads {
		t.Errorf("ForgetsReads is set without locks: %+v, %v", f, err)
	}
	if c.Commit(context.Background()) == nil {
		t.Error("a branch over versions commits without a prepare")
	}
}

// A reader or writer of a prepared record aborts. The end of the branch installs the record or restores the
// old one, also by another incarnation of the agent.
func TestPreparedRecordsOverVersions(t *testing.T) {
	for _, another := range []bool{false, true} {
		for _, commit := range []bool{true, false} {
			w, ctx := newShelf(t), context.Background()
			late := w.branch(5, "GET a/1", "PUT a/3 1")
			b := w.branch(2, "ADD a/1 5", "PUT a/3 30")
			if err := b.Prepare(ctx); err != nil {
				t.Fatal(err)
			}
			_, err := w.branch(3).Execute(ctx, Statement{Text: "GET a/1"})
			w.loses("a reader", err)
			_, err = w.branch(3).Execute(ctx, Statement{Text: "SCAN a/"})
			w.loses("a reader of a range", err)
			w.loses("a writer of a new key", late.Prepare(ctx))
			w.loses("a validation", late.validate(ctx))
			if another {
				w.v = newVersions(w.shelf, txn.InjectedBugs{})
			}
			if names, err := w.v.Prepared(ctx, toyCluster); err != nil || !slices.Equal(names, []Name{b.name}) {
				t.Errorf("prepared are %v, %v", names, err)
			}
			if names, _ := w.v.Prepared(ctx, toyCluster+1); len(names) > 0 {
				t.Errorf("of another cluster: %v", names)
			}
			w.ends(b, commit, true)
			w.holds(fmt.Sprintf("commit %v", commit), map[bool]string{true: "a/1=15 a/2=20 a/3=30", false: "a/1=10 a/2=20"}[commit])
			w.ends(b, commit, false) // repeated
			if names, _ := w.v.Prepared(ctx, toyCluster); len(names) > 0 {
				t.Errorf("still prepared: %v", names)
			}
		}
	}
}

// Rows, missing rows and ranges that were read and not written are validated, except for the branch's own
// writes.
func TestReadsAreValidated(t *testing.T) {
	ctx := context.Background()
	for _, x := range []struct {
		reads, other string
		valid        bool
	}{
		{"GET a/1", "PUT a/2 1", true},
		{"GET a/1", "PUT a/1 1", false},
		{"GET a/7", "PUT a/7 1", false},
		{"SCAN a/", "PUT b/1 1", true},
		{"SCAN a/", "PUT a/7 1", false},
		{"SCAN a/", "ADD a/2 0", false},
		{"SCAN c/", "PUT c/1 1", false},
	} {
		w := newShelf(t)
		b := w.branch(2, x.reads, "PUT a/5 1")
		if !b.unchecked() {
			t.Errorf("after %s there is nothing to validate", x.reads)
		}
		if err := b.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		w.commit(w.branch(3, x.other))
		if err := b.validate(ctx); (err == nil) != x.valid {
			t.Errorf("%s, and then %s: %v", x.reads, x.other, err)
		}
	}
	w := newShelf(t)
	if b := w.branch(2, "GET a/1", "ADD a/1 1"); b.unchecked() {
		t.Error("a written row is validated again")
	}
}

// A prepare with an unknown outcome is found in the store or not. A prepare without writes leaves nothing in
// the store.
func TestBrokenPreparesOverVersions(t *testing.T) {
	w, ctx := newShelf(t), context.Background()
	w.fails["COMMIT"] = &Error{Text: "lost", Ends: true, Gone: true, Unknown: true}
	b := w.branch(2, "PUT a/1 1")
	if e := asError(b.Prepare(ctx)); e == nil || !e.Unknown {
		t.Errorf("a commit that broke: %v", e)
	}
	delete(w.fails, "COMMIT")
	w.ends(b, false, false)
	c := w.branch(3, "PUT a/1 2")
	if err := c.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	w.fails["SWAP"] = &Error{Text: "lost", Ends: true, Gone: true}
	if found, err := w.v.Finish(ctx, c.name, true); found || err == nil {
		t.Errorf("an end that broke: %v, %v", found, err)
	}
	delete(w.fails, "SWAP")
	w.ends(c, true, true)
	r := w.branch(4, "GET a/1")
	if err := r.Prepare(ctx); err != nil || len(w.v.pending) != 1 {
		t.Errorf("%v, %v are pending", err, w.v.pending)
	}
	w.calls = nil
	if w.ends(r, true, true); len(w.calls) > 0 || len(w.v.pending) > 0 {
		t.Errorf("the end of a branch without writes: %q, %v", w.calls, w.v.pending)
	}
}

// A stored record is parsed as it was written, whatever its value; other texts are not parsed.
func TestRecordsAsTexts(t *testing.T) {
	old := record{version: 3, value: "5 6 7"}
	for _, r := range []record{old, {version: 1}, {version: 4, value: " x ", prepared: "isochron1.a/b", before: old.text()}, {version: 1, value: "y", prepared: "p"}} {
		if got, ok := parseRecord(r.text()); !ok || got != r {
			t.Errorf("%+v is %q, which is parsed as %+v, %v", r, r.text(), got, ok)
		}
		if s := (swap{"a/1", old.text(), r.text()}); !strings.HasPrefix(s.statement().Text, "SWAP a/1 ") {
			t.Errorf("%q", s.statement().Text)
		}
	}
	if got := (record{version: 4, value: "x", prepared: "p", before: old.text()}); got.ended(false) != old.text() || got.ended(true) != "4 1 x" {
		t.Errorf("committed %q, rolled back %q", got.ended(true), got.ended(false))
	}
	for _, text := range []string{"", "100", "0 1 x", "1 2 x", "1 -1 x", "1 1 xy", "1 1 x p", "1 1 x  ", "a 1 x"} {
		if r, ok := parseRecord(text); ok {
			t.Errorf("%q is parsed as %+v", text, r)
		}
	}
	for _, arg := range []string{"", "3", "3 ab", "-1 ab", "x ab"} {
		if _, _, ok := ParseSwap(arg); ok {
			t.Errorf("%q is parsed as a swap", arg)
		}
	}
}
