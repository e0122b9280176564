package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Options are what a run does.
type Options struct {
	Seed       uint64
	Statements int // of all forms together
	Forms      []string
	Ways       []bool // prepared
	Paths      []string
	Workers    int
	Trials     int   // of the shrinker, for a difference
	Memory     int64 // of a statement of Isochron, in bytes; 0: the server's own bound
	Spill      int64 // bytes from which on its operators spill; 0: the server's own
	Address    string
	MariaDB    string
	Sources    bool // Isochron's tables are in attached databases
}

// Finding is a difference of one statement, shrunk.
type Finding struct {
	Form      string `json:"form"`
	Index     int    `json:"index"`
	Path      string `json:"path,omitempty"`
	Way       string `json:"way"`
	Kind      Kind   `json:"kind"`
	Statement string `json:"statement"`
	Shrunk    string `json:"shrunk"`
	Detail    string `json:"detail"`
	Message   string `json:"message,omitempty"` // of Isochron's error
	Class     string `json:"class"`
	Reason    int    `json:"reason,omitempty"` // the line of the list

	least *Statement
}

// task is one statement to run.
type task struct {
	form  *Form
	index int
}

// result is what came of a task.
type result struct {
	form     string
	findings []*Finding
}

// runner runs the statements of a run.
type runner struct {
	opt     Options
	reasons []*Reason
	tables  []*Table
	maria   *Server
	iso     *Server
	bar     *bar

	mu      sync.Mutex
	results []result
	notes   []string
	err     error
}

// comparedMax bounds what a worker remembers of smaller statements.
const comparedMax = 200_000

// worker has a database of its own at both servers.
type worker struct {
	r     *runner
	maria *Session
	isos  []*Session // one a path
	// compared has how smaller statements differ: many statements shrink to the same. The tables do not change.
	compared map[string][]Difference
}

// start starts the servers.
func (r *runner) start(ctx context.Context) (stop func(), err error) {
	maria, stopMaria, err := startMariaDB(r.opt.MariaDB)
	if err != nil {
		return nil, err
	}
	r.maria = maria
	if r.opt.Address != "" {
		r.iso = &Server{Name: "isochron", address: r.opt.Address}
		return stopMaria, nil
	}
	var of sources
	if r.opt.Sources {
		if of, err = startSources(); err != nil {
			stopMaria()
			return nil, err
		}
	}
	if r.iso, err = startChild(ctx, r.opt.Spill, of); err != nil {
		of.close()
		stopMaria()
		return nil, err
	}
	return func() { r.iso.Close(); of.close(); stopMaria() }, nil
}

// tasks are the statements, form by form: an equal share for each.
func (r *runner) tasks() (out []task) {
	each := r.opt.Statements / len(r.opt.Forms)
	for i := range forms {
		if !slices.Contains(r.opt.Forms, forms[i].Name) {
			continue
		}
		for n := range each {
			out = append(out, task{&forms[i], n})
		}
	}
	return out
}

// run runs all statements on as many workers as the options say.
func (r *runner) run(ctx context.Context, words io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tasks := r.tasks()
	r.bar = newBar(words, len(tasks))
	defer r.bar.clear()
	feed := make(chan task)
	go func() {
		defer close(feed)
		for _, t := range tasks {
			select {
			case feed <- t:
			case <-ctx.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	for i := range r.opt.Workers {
		all.Go(func() {
			if err := r.work(ctx, i, feed); err != nil {
				r.fail(err)
				cancel()
			}
		})
	}
	all.Wait()
	if r.err != nil {
		return r.err
	}
	return context.Cause(ctx)
}

// note adds a line to the report, once.
func (r *runner) note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.notes, line) {
		r.notes = append(r.notes, line)
	}
}

func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// work runs statements until there are none.
func (r *runner) work(ctx context.Context, number int, feed <-chan task) error {
	w, err := r.newWorker(number)
	if err != nil {
		return err
	}
	defer w.close()
	for t := range feed {
		if ctx.Err() != nil {
			return nil
		}
		s := t.form.Draw(newGen(r.opt.Seed, t.form.Name, t.index), r.tables, t.index)
		s.Form, s.Index = t.form.Name, t.index
		findings, err := w.statement(s)
		if err != nil {
			return fmt.Errorf("%s %d: %s: %w", s.Form, s.Index, s.Tree.Text(), err)
		}
		r.mu.Lock()
		r.results = append(r.results, result{s.Form, findings})
		r.bar.step(t.form.Name, len(findings) > 0)
		r.mu.Unlock()
	}
	return nil
}

// all are the tables of the forms, with the families if one is for these.
func (r *runner) all() []*Table {
	if !slices.Contains(r.opt.Forms, constraintsForm) {
		return r.tables
	}
	return slices.Concat(r.tables, families())
}

func (r *runner) newWorker(number int) (*worker, error) {
	w := &worker{r: r, compared: map[string][]Difference{}}
	w.maria = &Session{server: r.maria, database: fmt.Sprintf("differ%d", number), tables: r.all(), views: newViews()}
	if err := w.maria.open(); err != nil {
		return nil, err
	}
	for i, p := range r.opt.Paths {
		s := &Session{server: r.iso, database: fmt.Sprintf("differ%d_%d", number, i), tables: r.all(), views: newViews(), path: p, memory: r.opt.Memory}
		w.isos = append(w.isos, s)
		if err := s.open(); err != nil {
			return nil, err
		}
	}
	for _, iso := range w.isos {
		for _, v := range iso.views {
			if reason := iso.missing[v.Name]; reason != "" {
				r.note("isochron does not create the view " + v.Name + ": " + reason)
			}
		}
	}
	for _, t := range r.all() {
		if err := w.checkFilled(t, w.isos...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// checkFilled notes which values of a table differ as soon as it is filled in the sessions given.
func (w *worker) checkFilled(t *Table, isos ...*Session) error {
	want, err := w.maria.conn.query(t.dump())
	if err != nil {
		return err
	}
	w.maria.before[t.Name] = want.Rows
	for _, iso := range isos {
		if iso.path == exprPath {
			continue
		}
		if reason := iso.missing[t.Name]; reason != "" {
			w.r.note("isochron does not create the table " + t.Name + ": " + reason)
			continue
		}
		got, err := iso.conn.query(t.dump())
		if err != nil {
			return err
		}
		for j, c := range t.Columns {
			one := func(r *Result) *Result {
				out := &Result{Columns: r.Columns[j : j+1]}
				for _, row := range r.Rows {
					out.Rows = append(out.Rows, row[j:j+1])
				}
				return out
			}
			if d := differRows(map[string]bool{tagTotal: true}, one(got), one(want)); d != "" {
				w.r.note(fmt.Sprintf("before any statement the values of %s.%s, %s, differ: %s", t.Name, c.Name, c.Type, d))
			}
		}
		iso.before[t.Name] = got.Rows
		iso.learnShown(t, got.Rows, want.Rows)
	}
	return nil
}

func (w *worker) close() {
	w.maria.close()
	for _, s := range w.isos {
		if s.remade > 0 {
			w.r.note(fmt.Sprintf("after a change DELETE and INSERT did not give a table its rows back %d times; it was created again", s.remade))
		}
		s.close()
	}
}

// statement runs a statement by every way and path, and returns how its answers differ.
func (w *worker) statement(s *Statement) (out []*Finding, err error) {
	seen := map[string]bool{}
	for _, prepared := range w.r.opt.Ways {
		want, err := w.yardstick(s, prepared)
		if err != nil {
			return nil, err
		}
		for _, iso := range w.isos {
			if iso.path == exprPath && prepared {
				continue
			}
			got, err := w.on(iso, s, prepared)
			if err != nil {
				return nil, err
			}
			for _, d := range compare(s, got, want) {
				if iso.path == exprPath && d.Kind == KindName {
					continue
				}
				id := iso.path + "/" + string(d.Kind) + "/" + d.Detail
				if seen[id] {
					continue // by text already
				}
				seen[id] = true
				f, err := w.finding(iso, s, prepared, d)
				if err != nil {
					return nil, err
				}
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// compare compares with MariaDB's answer, or with the catalogue's where MariaDB has no such function.
func compare(s *Statement, got, want *Answer) []Difference {
	if s.Want == nil {
		return differ(s, got, want)
	}
	if got.Lost != "" || got.TimedOut {
		return differ(s, got, &Answer{Result: &Result{}})
	}
	switch {
	case got.Err != nil:
		return []Difference{{KindRefused, fmt.Sprintf("isochron: error %d, manual: %s", got.Err.Code, *s.Want), got.Err.Message}}
	case len(got.Result.Rows) != 1 || show(got.Result.Rows[0][0]) != *s.Want:
		return []Difference{{KindValue, fmt.Sprintf("isochron: %s, manual: %s", short(got), *s.Want), ""}}
	}
	return nil
}

func (w *worker) yardstick(s *Statement, prepared bool) (*Answer, error) {
	if s.Want != nil {
		return nil, nil
	}
	return w.on(w.maria, s, prepared)
}

// on runs a statement in a session, and gives the table its rows back.
func (w *worker) on(in *Session, s *Statement, prepared bool) (*Answer, error) {
	a, err := in.run(s, prepared)
	if err != nil {
		return nil, err
	}
	if a.Lost != "" || a.TimedOut {
		return a, nil
	}
	var before [][]Cell
	for _, t := range s.changed() {
		before = append(before, in.before[t.Name]...)
	}
	same := sameCells(a.After, before)
	for _, t := range s.changed() {
		if in.missing[t.Name] == "" && err == nil && (t.Counter && s.counts() || !same) {
			err = in.restore(t)
		}
	}
	return a, err
}

// counts reports whether a change may have advanced the counter of its table.
func (s *Statement) counts() bool { return s.Tree.Name != "UPDATE" && s.Tree.Name != "DELETE" }

// finding shrinks a statement as long as a difference of the kind remains, and looks for its reason.
func (w *worker) finding(iso *Session, s *Statement, prepared bool, d Difference) (*Finding, error) {
	f := &Finding{Form: s.Form, Index: s.Index, Path: iso.path, Way: wayName(prepared), Kind: d.Kind, Statement: s.Tree.Text(), Detail: d.Detail}
	least := *s
	var failed error
	if trials := w.trials(d.Kind); s.Want == nil {
		least.Tree = shrink(s.Tree, trials, func(n *Node) bool {
			smaller := *s
			smaller.Tree = n
			found, err := w.still(iso, &smaller, prepared, d.Kind)
			if err != nil {
				failed = err
			}
			if found == nil || failed != nil || found.stays() != d.stays() {
				return false
			}
			d = *found
			return true
		})
	}
	f.Shrunk, f.Detail, f.Message = least.Tree.Text(), d.Detail, d.Message
	f.Class = classify(least.Tree, d)
	if reason := reasonFor(w.r.reasons, f.Shrunk, d); reason != nil {
		f.Reason = reason.Line
	}
	f.least = &least
	return f, failed
}

// crashTrials bounds the trials for a lost connection: each may be a server to start.
const crashTrials = 15

// trials are how many smaller statements are tried for a kind of difference.
func (w *worker) trials(kind Kind) int {
	switch kind {
	case KindTimeout:
		return 0 // each would take as long
	case KindCrash:
		return min(w.r.opt.Trials, crashTrials)
	}
	return w.r.opt.Trials
}

// still returns the difference of a kind that a statement has, nil for none.
func (w *worker) still(iso *Session, s *Statement, prepared bool, kind Kind) (*Difference, error) {
	key := fmt.Sprintf("%s %v %d %s %p %v %s", iso.path, prepared, s.Index%2, s.Mode, s.Table, s.Tree.tags(), s.Tree.Text())
	found, known := w.compared[key]
	if !known {
		want, err := w.yardstick(s, prepared)
		if err != nil {
			return nil, err
		}
		got, err := w.on(iso, s, prepared)
		if err != nil {
			return nil, err
		}
		if found = compare(s, got, want); len(w.compared) < comparedMax {
			w.compared[key] = found
		}
	}
	for _, d := range found {
		if d.Kind == kind {
			return &d, nil
		}
	}
	return nil, nil
}

func wayName(prepared bool) string {
	if prepared {
		return "prepared"
	}
	return "text"
}
