package main

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A file of a kept case, line by line, in this order:
//
//	# where it is from
//	setup STATEMENT          under an empty sql_mode
//	table NAME KEY           a table that is compared after the statement, and its primary key; there may be two
//	mode SQL_MODE
//	way text                 or prepared
//	tags TAG, TAG            how rows are compared (compare.go)
//	run STATEMENT            with ? for each arg
//	arg TYPE VALUE           a parameter: the number of its type and its quoted value
//	column TYPE CHARSET FLAGS DECIMALS NAME
//	row VALUE VALUE          quoted values, or NULL, separated by tabs
//	after VALUE VALUE        a row of the table after the statement
//	counts AFFECTED LASTID
//	warnings N N
//	error NUMBER SQLSTATE
//	want VALUE               MySQL's value, for a function that MariaDB does not have
//	known KIND: DETAIL       the answer still differs in this way; the test fails once it does not
type keptCase struct {
	comment  string
	setup    []string
	prepared bool
	s        *Statement
	args     []*Literal
	run      string
	answer   *Answer // MariaDB's
	known    []string
}

// format writes the case as its file has it.
func (k *keptCase) format() string {
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", key, fmt.Sprintf(format, args...))
	}
	line("#", "%s", k.comment)
	for _, s := range k.setup {
		line("setup", "%s", s)
	}
	for _, t := range k.s.changed() {
		line("table", "%s %s", t.Name, strings.Join(t.Primary, ", "))
	}
	line("mode", "%s", k.s.Mode)
	line("way", "%s", wayName(k.prepared))
	var tags []string
	for t := range k.s.Tree.tags() {
		tags = append(tags, t)
	}
	if sort.Strings(tags); len(tags) > 0 {
		line("tags", "%s", strings.Join(tags, ", "))
	}
	line("run", "%s", k.run)
	for _, a := range k.args {
		line("arg", "%d %s", a.Type, strconv.QuoteToASCII(a.Value))
	}
	k.formatAnswer(line)
	for _, d := range k.known {
		line("known", "%s", d)
	}
	return b.String()
}

func (k *keptCase) formatAnswer(line func(key, format string, args ...any)) {
	if k.s.Want != nil {
		line("want", "%s", *k.s.Want)
		return
	}
	a := k.answer
	if a.Err != nil {
		line("error", "%d %s", a.Err.Code, a.Err.State)
	} else {
		for _, c := range a.Result.Columns {
			line("column", "%d %d %d %d %s", c.Type, c.Charset, c.Flags, c.Decimals, strconv.QuoteToASCII(c.Name))
		}
		for _, r := range a.Result.Rows {
			line("row", "%s", quoteRow(r))
		}
		if len(a.Result.Columns) == 0 {
			line("counts", "%d %d", a.Result.Affected, a.Result.LastID)
		}
		if len(a.Warnings) > 0 {
			line("warnings", "%s", strings.Trim(fmt.Sprint(a.Warnings), "[]"))
		}
	}
	for _, r := range a.After {
		line("after", "%s", quoteRow(r))
	}
}

func quoteRow(row []Cell) string {
	var out []string
	for _, c := range row {
		if c == nil {
			out = append(out, "NULL")
		} else {
			out = append(out, strconv.QuoteToASCII(string(c)))
		}
	}
	return strings.Join(out, "\t")
}

func unquoteRow(s string) (row []Cell, err error) {
	for part := range strings.SplitSeq(s, "\t") {
		if part == "NULL" {
			row = append(row, nil)
			continue
		}
		v, err := strconv.Unquote(part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		row = append(row, Cell(v))
	}
	return row, nil
}

// readKept reads the file of a case.
func readKept(path string) (*keptCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	k := &keptCase{s: &Statement{}, answer: &Answer{Result: &Result{}}}
	var tags []string
	for line := range strings.Lines(string(text)) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if key == "tags" {
			tags = strings.Split(rest, ", ")
			continue
		}
		if err := k.take(key, rest); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", path, key, rest, err)
		}
	}
	parts := strings.SplitN(k.run, "?", len(k.args)+1)
	if len(parts) != len(k.args)+1 {
		return nil, fmt.Errorf("%s: %d values for %s", path, len(k.args), k.run)
	}
	k.s.Tree = tagged(&Node{Name: firstWord(k.run), Parts: parts}, tags...)
	for _, a := range k.args {
		k.s.Tree.Kids = append(k.s.Tree.Kids, &Node{Parts: []string{"?"}, Literal: a})
	}
	if len(k.args) == 0 {
		k.s.Index = 1 // it is prepared with its values in the text
	}
	return k, nil
}

// firstWord names a statement as the forms do.
func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

// take reads a line of a file.
func (k *keptCase) take(key, rest string) (err error) {
	a := k.answer
	switch key {
	case "#":
		k.comment = rest
	case "setup":
		k.setup = append(k.setup, rest)
	case "table":
		name, primary, _ := strings.Cut(rest, " ")
		t := &Table{Name: name, Primary: strings.Split(primary, ", ")}
		if k.s.Table == nil {
			k.s.Table = t
		} else {
			k.s.Also = t
		}
		k.s.Change = true
		a.After = [][]Cell{}
	case "mode":
		k.s.Mode = rest
	case "way":
		k.prepared = rest == "prepared"
	case "run":
		k.run = rest
	case "arg":
		l := &Literal{}
		if _, err = fmt.Sscanf(rest, "%d %q", &l.Type, &l.Value); err == nil {
			k.args = append(k.args, l)
		}
	case "column":
		var c Column
		if _, err = fmt.Sscanf(rest, "%d %d %d %d %q", &c.Type, &c.Charset, &c.Flags, &c.Decimals, &c.Name); err == nil {
			a.Result.Columns = append(a.Result.Columns, c)
		}
	case "row", "after":
		var row []Cell
		if row, err = unquoteRow(rest); err == nil && key == "row" {
			a.Result.Rows = append(a.Result.Rows, row)
		} else if err == nil {
			a.After = append(a.After, row)
		}
	case "counts":
		_, err = fmt.Sscan(rest, &a.Result.Affected, &a.Result.LastID)
	case "warnings":
		for f := range strings.FieldsSeq(rest) {
			n, _ := strconv.Atoi(f) // 0 differs from any warning
			a.Warnings = append(a.Warnings, n)
		}
	case "error":
		a.Err = &ServerError{}
		_, err = fmt.Sscan(rest, &a.Err.Code, &a.Err.State)
	case "want":
		k.s.Want = &rest
	case "known":
		k.known = append(k.known, rest)
	default:
		err = fmt.Errorf("no such line")
	}
	return err
}

// knownKinds are the kinds in which the case is known to differ.
func (k *keptCase) knownKinds() (out []Kind) {
	for _, d := range k.known {
		kind, _, _ := strings.Cut(d, ":")
		out = append(out, Kind(kind))
	}
	slices.Sort(out)
	return out
}
