package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// keepers is the number of the worker that makes cases smaller: it has databases of its own.
const keepers = 1000

// writeKept writes one case of each class of differences without a reason into a directory, those of the largest classes
// of each form and kind first, with as few rows and columns as show the difference.
func (r *Report) writeKept(run *runner, dir string, most int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	w, err := run.newWorker(keepers)
	if err != nil {
		return err
	}
	defer w.close()
	smallest := map[string]*Finding{}
	for _, f := range r.findings {
		if f.Reason > 0 || f.Kind == KindTimeout || f.least.Free || f.Path == exprPath {
			continue
		}
		if s := smallest[f.class()]; s == nil || cmp.Or(cmp.Compare(len(f.Shrunk), len(s.Shrunk)), cmp.Compare(f.Shrunk, s.Shrunk)) < 0 {
			smallest[f.class()] = f
		}
	}
	written := 0
	for _, f := range inTurns(r.Classes, smallest) {
		if written >= most {
			break
		}
		ok, err := w.keep(f, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Shrunk, err)
		}
		if ok {
			written++
		}
	}
	return nil
}

// inTurns orders the findings of classes so that each form and kind has its largest class first, then each its second.
func inTurns(classes []*Class, of map[string]*Finding) (out []*Finding) {
	rank := map[*Finding]int{}
	seen := map[string]int{}
	for _, c := range classes {
		if f := of[c.Name]; f != nil {
			group := f.Form + " " + string(f.Kind)
			rank[f] = seen[group]
			seen[group]++
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *Finding) int { return rank[a] - rank[b] })
	return out
}

// keep writes the case of a finding; ok is false for one that differs only after other statements, or because the whole
// table is missing.
func (w *worker) keep(f *Finding, dir string) (ok bool, err error) {
	i := slices.IndexFunc(w.isos, func(s *Session) bool { return s.path == f.Path })
	iso, s, prepared := w.isos[i], f.least, f.Way == "prepared"
	views := viewsOf(iso.views, s.Tree.Text())
	tables := w.tablesOf(s, views)
	for _, t := range tables {
		if iso.missing[t.Name] != "" {
			return false, nil
		}
		if err := w.swap(iso, t); err != nil { // the case before has left few rows
			return false, err
		}
	}
	k := &keptCase{comment: fmt.Sprintf("%s %d", f.Form, f.Index), prepared: prepared, run: s.Tree.Text()}
	if s.Table != nil && len(s.Table.Members) > 0 {
		k.setup, tables = s.Table.setup(), nil
	}
	for _, t := range tables {
		if t, err = w.fewer(iso, s, t, views, prepared, f.Kind); err != nil {
			return false, err
		}
		if err := w.swap(iso, t); err != nil {
			return false, err
		}
		s = s.with(t)
		if k.setup = append(k.setup, t.create()); len(t.Rows) > 0 {
			k.setup = append(k.setup, t.insert(t.Rows))
		}
	}
	for _, v := range views {
		k.setup = append(k.setup, v.create())
	}
	k.s = s
	if prepared && s.Index%2 == 0 {
		k.run, k.args = s.Tree.Prepared()
	}
	iso.shown = map[string]string{} // a case has its table alone
	if k.answer, err = w.yardstick(s, prepared); err != nil {
		return false, err
	}
	got, err := w.on(iso, s, prepared)
	if err != nil {
		return false, err
	}
	for _, d := range compare(s, got, k.answer) {
		k.known = append(k.known, fmt.Sprintf("%s: %s", d.Kind, clip(d.Detail, 200)))
	}
	if len(k.known) == 0 {
		return false, nil
	}
	h := fnv.New32a()
	fmt.Fprint(h, f.Class)
	return true, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%08x.txt", f.Form, f.Kind, h.Sum32())), []byte(k.format()), 0o644)
}

// viewsOf are the views that a text names, and those that they name.
func viewsOf(all []*View, text string) (out []*View) {
	for _, v := range all {
		if names(text, v.Name) || slices.ContainsFunc(all, func(o *View) bool { return names(text, o.Name) && names(o.Query, v.Name) }) {
			out = append(out, v)
		}
	}
	return out
}

// names reports whether a text has a name.
func names(text, name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(text) }

// tablesOf are the tables that a statement reads or changes, with those of its views.
func (w *worker) tablesOf(s *Statement, views []*View) (out []*Table) {
	text := s.Tree.Text()
	for _, v := range views {
		text += " " + v.Query
	}
	for _, t := range w.maria.tables {
		if names(text, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// swap gives both servers another table of the name.
func (w *worker) swap(iso *Session, t *Table) error {
	clear(w.compared)
	for _, s := range []*Session{w.maria, iso} {
		if err := s.conn.deadline(6 * s.bound); err != nil {
			return err
		}
		if err := s.make(t); err != nil {
			return err
		}
	}
	return w.checkFilled(t, iso)
}

// fewer removes rows and columns from a table of a statement as long as a difference of the kind remains.
func (w *worker) fewer(iso *Session, s *Statement, best *Table, views []*View, prepared bool, kind Kind) (*Table, error) {
	var failed error
	text := s.Tree.Text()
	for _, v := range views {
		text += " " + v.Query
	}
	keeps := func(t *Table) bool {
		if failed = w.swap(iso, t); failed != nil {
			return false
		}
		var d *Difference
		d, failed = w.still(iso, s.with(t), prepared, kind)
		return d != nil && failed == nil
	}
	if t := best.without(text); len(t.Columns) < len(best.Columns) && keeps(t) {
		best = t
	}
	for size := (len(best.Rows) + 1) / 2; size > 0 && failed == nil; size /= 2 {
		for at := 0; at < len(best.Rows) && failed == nil; {
			t := *best
			t.Rows = slices.Concat(best.Rows[:at], best.Rows[min(at+size, len(best.Rows)):])
			if keeps(&t) {
				best = &t
			} else {
				at += size
			}
		}
	}
	return best, failed
}

// without is the table without the columns that a statement does not name, and without their keys.
func (t *Table) without(statement string) *Table {
	out := *t
	out.Columns, out.Keys, out.Rows = nil, nil, make([][]string, len(t.Rows))
	kept := func(name string) bool {
		return slices.Contains(t.Primary, name) || regexp.MustCompile(`\b`+name+`\b`).MatchString(statement)
	}
	for i, c := range t.Columns {
		if !kept(c.Name) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, r := range t.Rows {
			out.Rows[j] = append(out.Rows[j], r[i])
		}
	}
	for _, k := range t.Keys {
		names := regexp.MustCompile(`\w+`).FindAllString(k[strings.Index(k, "(")+1:], -1)
		if !slices.ContainsFunc(names, func(n string) bool { return !kept(n) && t.class(n) != "" }) {
			out.Keys = append(out.Keys, k)
		}
	}
	return &out
}
