package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// tally counts the statements of one form or of one source.
type tally struct {
	all     int
	refused [3]int // by candidate
	lost    [3]int // parts of the text are not in the tree
	unlike  [3]int // the text written from the tree has another answer
	bound   int    // statements for the binder
	unbound int    // refused by it
	sharded int    // bound, and the binder would not divide it over shards
	columns int    // bound to another number of columns
}

func (t *tally) add(o *tally) {
	t.all += o.all
	for i := range candidates {
		t.refused[i] += o.refused[i]
		t.lost[i] += o.lost[i]
		t.unlike[i] += o.unlike[i]
	}
	t.bound += o.bound
	t.unbound += o.unbound
	t.sharded += o.sharded
	t.columns += o.columns
}

// trial is the state of a run over statements.
type trial struct {
	y        *yardstick
	log      *bufio.Writer
	forms    map[string]*tally // of what must parse
	sources  map[string]*tally
	reasons  map[string]int // the binder's refusals by their text
	seen     map[string]bool
	nonsense int // texts that no one takes: fragments, errors on purpose
	ours     int // texts that only one parser takes and MariaDB does not
	falsely  int // names that MariaDB refuses and the binder takes
	names    int // statements with such names
	classes  map[string]int
	fault    []string // the generator's: MariaDB refuses what should parse
}

func newTrial(y *yardstick, log *bufio.Writer) *trial {
	return &trial{y: y, log: log, forms: map[string]*tally{}, sources: map[string]*tally{}, reasons: map[string]int{}, seen: map[string]bool{}, classes: map[string]int{}}
}

var (
	defines = regexp.MustCompile(`(?is)^\W*(create (or replace )?(temporary |unique )?(table|view|index|algorithm|definer)|alter table|rename table|drop (table|view|index|temporary)|truncate)\b`)
	changes = regexp.MustCompile(`(?is)^\W*(insert|replace|update|delete)\b`)
	queries = regexp.MustCompile(`(?is)^\W*(select|with|table|values)\b`)
	// varying answers are not compared; the last are never run.
	varying   = regexp.MustCompile(`(?i)\b(now|rand|uuid|sysdate|cur(rent_)?(date|time)|connection_id|sleep|benchmark|get_lock|current_timestamp|utc_\w+|localtime|localtimestamp|user|found_rows|row_count|last_insert_id|information_schema|performance_schema)\b|@`)
	dangerous = regexp.MustCompile(`(?i)\b(sleep|benchmark|get_lock|outfile|dumpfile|load_file)\b|[0-9]{6,}\)|\{[0-9]{3,}\}`)
	routine   = regexp.MustCompile(`(?i)\b(procedure|function|trigger|event)\b`)
)

// script runs the statements of a script in a database of their own.
func (t *trial) script(n int, s script) {
	database := fmt.Sprintf("d%d", n)
	t.y.exec("CREATE DATABASE " + database)
	t.y.exec("USE " + database)
	if s.source == "generated" {
		for _, text := range generatedTables {
			if c := t.y.exec(text); c != 0 {
				t.fault = append(t.fault, fmt.Sprint(c, " ", text))
			}
		}
	}
	var sch *schema
	for _, st := range s.statements {
		if len(st.text) > 1<<16 {
			continue
		}
		if sch == nil {
			sch = t.y.catalogue(database)
		}
		t.statement(s.source, st, sch)
		if defines.MatchString(st.text) && !routine.MatchString(st.text) && !strings.Contains(strings.ToLower(st.text), " select ") || strings.Contains(strings.ToLower(st.text), "create table") && !routine.MatchString(st.text) {
			if s.source == "generated" && regexp.MustCompile(`(?i)^\W*(drop|alter|truncate|rename) (table )?(t|u|o)\b`).MatchString(st.text) {
				continue
			}
			t.y.exec(st.text)
			sch = nil
		} else if defines.MatchString(st.text) && !routine.MatchString(st.text) {
			t.y.exec(st.text)
			sch = nil
		} else if changes.MatchString(st.text) && !strings.Contains(st.text, "?") && s.source != "generated" {
			t.y.exec(st.text)
		}
		if n := t.y.query("SELECT DATABASE()"); len(n.rows) != 1 || string(n.rows[0][0]) != database {
			t.y.exec("USE " + database)
		}
	}
	t.y.exec("DROP DATABASE " + database)
}

// statement puts one text through the parsers and the binder.
func (t *trial) statement(source string, st statement, sch *schema) {
	prepared := t.y.prepare(st.text)
	if prepared == -1 {
		t.y.exec("USE " + sch.database)
	}
	var restored [3]string
	var outcomes [3]outcome
	takers := 0
	for i, c := range candidates {
		restored[i], outcomes[i] = c.parse(st.text)
		if outcomes[i] == taken {
			takers++
		}
	}
	must := prepared != 1064 || st.mysql8 || st.form != ""
	if st.form != "" && prepared == 1064 && !st.mysql8 {
		t.fault = append(t.fault, st.text)
		must = false
	}
	if !must && takers >= 2 {
		must = true
	}
	if t.seen[st.text] {
		return
	}
	t.seen[st.text] = true
	if !must {
		if takers == 0 {
			t.nonsense++
		} else {
			t.ours++
			fmt.Fprintf(t.log, "alone\t%s\t%v\t%s\n", source, outcomes, oneLine(st.text))
		}
		return
	}
	name := formOf(st)
	form := entry(t.forms, name)
	src := entry(t.sources, source)
	var add tally
	add.all = 1
	var original answer
	asked := queries.MatchString(st.text) && !strings.Contains(st.text, "?") && !dangerous.MatchString(st.text) && prepared == 0
	if asked {
		original = t.y.query(st.text)
	}
	t.trees(st.text, name, outcomes, restored, asked, original, &add)
	t.binding(st.text, name, prepared, asked, original, sch, &add)
	form.add(&add)
	src.add(&add)
}

// trees counts the refusals of the parsers and what is missing in their trees.
func (t *trial) trees(text, form string, outcomes [3]outcome, restored [3]string, asked bool, original answer, add *tally) {
	for i := range candidates {
		if outcomes[i] != taken {
			add.refused[i] = 1
			fmt.Fprintf(t.log, "refused\t%s\t%s\t%s\t%s\n", candidates[i].name, form, oneLine(text), oneLine(restored[i]))
			continue
		}
		if l := lost(text, restored[i]); l != "" {
			add.lost[i] = 1
			fmt.Fprintf(t.log, "lost\t%s\t%s\t%s\t%s\t%s\n", candidates[i].name, form, l, oneLine(text), oneLine(restored[i]))
		}
		if asked && original.code == 0 && !varying.MatchString(text) {
			again := t.y.query(restored[i])
			if again.code == 0 && !equal(original, again) || again.code != 0 && again.code != 1064 && again.code != 1305 {
				add.unlike[i] = 1
				fmt.Fprintf(t.log, "unlike\t%s\t%s\t%s\t%s\t%d\n", candidates[i].name, form, oneLine(text), oneLine(restored[i]), again.code)
			}
		}
	}
}

// binding counts what the binder makes of the statement.
func (t *trial) binding(text, form string, prepared int, asked bool, original answer, sch *schema, add *tally) {
	b := bind(text, sch)
	switch {
	case !b.applies:
	case prepared == 0 || prepared == 1064: // the names are right, or MariaDB lacks the form
		add.bound = 1
		if b.err != "" {
			if prepared == 1064 && notThere.MatchString(b.err) {
				add.bound = 0
				break
			}
			add.unbound = 1
			t.reasons[reason(b.err)]++
			fmt.Fprintf(t.log, "unbound\t%s\t%s\t%s\n", form, oneLine(text), b.err)
			break
		}
		if b.sharded != "" {
			add.sharded = 1
			fmt.Fprintf(t.log, "sharded\t%s\t%s\t%s\n", form, oneLine(text), b.sharded)
		}
		if asked && original.code == 0 && b.names >= 0 {
			if b.names != len(original.types) {
				add.columns = 1
				fmt.Fprintf(t.log, "columns\t%s\t%s\t%d %d\n", form, oneLine(text), b.names, len(original.types))
				break
			}
			for i, c := range b.classes {
				switch want := class(original.types[i]); {
				case c == "":
					t.classes["unknown"]++
				case c == want:
					t.classes["right"]++
				default:
					t.classes["wrong"]++
					fmt.Fprintf(t.log, "typed\t%s\t%s\t%s\t%s\n", original.names[i], oneLine(text), c, want)
				}
			}
		}
	case prepared == 1054 || prepared == 1052 || prepared == 1146 || prepared == 1109 || prepared == 1222 || prepared == 1241 || prepared == 1136:
		t.names++
		if b.err == "" && b.sharded == "" {
			t.falsely++
			fmt.Fprintf(t.log, "falsely\t%d\t%s\n", prepared, oneLine(text))
		}
	}
}

var notThere = regexp.MustCompile(`not found|doesn't exist`)

// reason is a refusal without its names.
func reason(err string) string {
	err = regexp.MustCompile("'[^']*'|`[^`]*`|\"[^\"]*\"").ReplaceAllString(err, "…")
	err = regexp.MustCompile(`\b(column|table|symbol) \S+`).ReplaceAllString(err, "$1 …")
	if len(err) > 90 {
		err = err[:90]
	}
	return err
}

func entry(m map[string]*tally, k string) *tally {
	if m[k] == nil {
		m[k] = &tally{}
	}
	return m[k]
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 400 {
		s = s[:400]
	}
	return s
}

// equal compares answers as bags: without ORDER BY the order is free.
func equal(a, b answer) bool {
	if len(a.rows) != len(b.rows) || len(a.types) != len(b.types) {
		return false
	}
	return slicesEqual(bag(a), bag(b))
}

func bag(a answer) []string {
	var out []string
	for _, r := range a.rows {
		var b bytes.Buffer
		for _, c := range r {
			if c == nil {
				b.WriteString("\x00N")
			}
			b.Write(c)
			b.WriteByte(1)
		}
		out = append(out, b.String())
	}
	sort.Strings(out)
	return out
}

func slicesEqual(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

func (t *trial) print(w io.Writer) {
	for _, table := range []struct {
		title string
		rows  map[string]*tally
	}{{"by source", t.sources}, {"by form", t.forms}} {
		fmt.Fprintf(w, "\nstatements %s: refusals of each parser; parts lost from its tree; other answers of the text written from its tree\n", table.title)
		fmt.Fprintf(w, "%-46s %6s | %6s %6s %6s | %5s %5s %5s | %5s %5s %5s\n", "", "all", "fork", "vitess", "tidb", "fork", "vit.", "tidb", "fork", "vit.", "tidb")
		var sum tally
		for _, k := range keys(table.rows) {
			row := table.rows[k]
			sum.add(row)
			t.row(w, k, row)
		}
		t.row(w, "all", &sum)
		fmt.Fprintf(w, "%-46s %6s | %6s %6s %6s\n", "", "", percent(sum.refused[0], sum.all), percent(sum.refused[1], sum.all), percent(sum.refused[2], sum.all))
	}
	fmt.Fprintf(w, "left out: %d texts that neither a parser nor MariaDB takes, %d that one parser takes\n", t.nonsense, t.ours)
	fmt.Fprintln(w, "\nbinder (semantics): statements that MariaDB prepares and vitess parses")
	fmt.Fprintf(w, "%-46s %6s %7s %7s | %8s %8s\n", "form", "all", "refused", "", "sharded", "columns")
	var sum tally
	var shares float64 // of the generator's forms, each with the same weight
	forms := 0
	drawn := map[string]bool{}
	for _, f := range generatedForms {
		drawn[f.name] = true
	}
	for _, k := range keys(t.forms) {
		r := t.forms[k]
		sum.add(r)
		if drawn[k] && r.bound > 0 {
			forms++
			shares += float64(r.unbound) / float64(r.bound)
		}
		if r.unbound+r.sharded+r.columns > 0 {
			fmt.Fprintf(w, "%-46s %6d %7d %7s | %8d %8d\n", k, r.bound, r.unbound, percent(r.unbound, r.bound), r.sharded, r.columns)
		}
	}
	fmt.Fprintf(w, "%-46s %6d %7d %7s | %8d %8d\n", "all (forms without a refusal included)", sum.bound, sum.unbound, percent(sum.unbound, sum.bound), sum.sharded, sum.columns)
	fmt.Fprintf(w, "each of the %d generated forms with the same weight: refused %.1f%%\n", forms, 100*shares/float64(max(1, forms)))
	fmt.Fprintf(w, "names that MariaDB refuses: %d statements, of which the binder takes %d\n", t.names, t.falsely)
	fmt.Fprintf(w, "types of result columns: right %d, another class %d, unknown %d\n", t.classes["right"], t.classes["wrong"], t.classes["unknown"])
	fmt.Fprintln(w, "reasons of refusals:")
	for _, k := range keys(t.reasons) {
		fmt.Fprintf(w, "  %5d %s\n", t.reasons[k], k)
	}
	if len(t.fault) > 0 {
		fmt.Fprintf(w, "generated and refused by MariaDB (left out): %d\n", len(t.fault))
		for _, f := range t.fault {
			fmt.Fprintf(t.log, "fault\t%s\n", f)
		}
	}
}

func (t *trial) row(w io.Writer, name string, r *tally) {
	fmt.Fprintf(w, "%-46s %6d | %6d %6d %6d | %5d %5d %5d | %5d %5d %5d\n", name, r.all, r.refused[0], r.refused[1], r.refused[2], r.lost[0], r.lost[1], r.lost[2], r.unlike[0], r.unlike[1], r.unlike[2])
}
