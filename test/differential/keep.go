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
	if s.Table != nil {
		if iso.missing[s.Table.Name] != "" {
			return false, nil
		}
		t, err := w.fewer(iso, s, prepared, f.Kind)
		if err != nil {
			return false, err
		}
		least := *s
		least.Table = t
		s = &least
		if err := w.swap(iso, t); err != nil {
			return false, err
		}
	}
	k := &keptCase{comment: fmt.Sprintf("%s %d", f.Form, f.Index), s: s, prepared: prepared, run: s.Tree.Text()}
	if prepared && s.Index%2 == 0 {
		k.run, k.args = s.Tree.Prepared()
	}
	if s.Table != nil {
		k.setup = []string{s.Table.create()}
		if len(s.Table.Rows) > 0 {
			k.setup = append(k.setup, s.Table.insert(s.Table.Rows))
		}
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

// fewer removes rows and columns from the table of a statement as long as a difference of the kind remains.
func (w *worker) fewer(iso *Session, s *Statement, prepared bool, kind Kind) (*Table, error) {
	var failed error
	keeps := func(t *Table) bool {
		if failed = w.swap(iso, t); failed != nil {
			return false
		}
		smaller := *s
		smaller.Table = t
		var d *Difference
		d, failed = w.still(iso, &smaller, prepared, kind)
		return d != nil && failed == nil
	}
	best := s.Table
	if t := best.without(s.Tree.Text()); len(t.Columns) < len(best.Columns) && keeps(t) {
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
