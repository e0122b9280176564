package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// functionsFile is the catalogue; the command is run in its own directory.
const functionsFile = "../differential/functions.txt"

// function is an entry of the catalogue.
type function struct {
	family, name string
	base         string // the call with its defaults
	free         bool   // its value is not compared
	expected     string // MySQL 8's value of base, where MariaDB has none
	calls        []string
}

// arguments replace each argument of a call in turn.
var arguments = []string{
	"0", "-3", "18446744073709551615", "-9223372036854775808", "12.345", "-0.5", "1.5e3", "'abc'", "'12abc'", "''", "' 7 '",
	"NULL", "DATE'2024-02-29'", "TIMESTAMP'2024-02-29 10:11:12.5'", "TIME'-10:11:12'", "0x6162", "TRUE", "'ÄB c'", "'2024-02-30'", "'0000-00-00'", "'[1, {\"a\": 2}]'", "99999999999999999999.5",
}

var hole = regexp.MustCompile(`\{((?:[^{}]|\{[^{}]*\})*)\}`)

// functions reads the catalogue.
func functions() []function {
	text, err := os.ReadFile(functionsFile)
	if err != nil {
		panic(err)
	}
	var out []function
	family := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "family "); ok {
			family = rest
			continue
		}
		name, call, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		f := function{family: family, name: strings.TrimSpace(name)}
		call, f.expected, _ = strings.Cut(call, " => ")
		call, f.free = strings.CutPrefix(call, "~")
		if f.expected != "" || f.free {
			f.base = call
			f.calls = []string{call}
			out = append(out, f)
			continue
		}
		marks := hole.FindAllStringSubmatchIndex(call, -1)
		fill := func(which int, with string) string {
			var b strings.Builder
			at := 0
			for i, m := range marks {
				b.WriteString(call[at:m[0]])
				if i == which {
					b.WriteString(with)
				} else {
					b.WriteString(call[m[2]:m[3]])
				}
				at = m[1]
			}
			return b.String() + call[at:]
		}
		f.base = fill(-1, "")
		f.calls = append(f.calls, f.base)
		for i := range marks {
			for _, a := range arguments {
				f.calls = append(f.calls, fill(i, a))
			}
		}
		out = append(out, f)
	}
	return out
}

// value is a result of an expression.
type value struct {
	untranslated bool // evalengine has no such expression
	failed       bool // an error for this call
	null         bool
	text         string
	class        string
	detail       string
}

func (v value) String() string {
	switch {
	case v.untranslated:
		return "not translated: " + v.detail
	case v.failed:
		return "error " + v.detail
	case v.null:
		return "NULL"
	}
	return v.text
}

// evaluate computes the expression by evalengine, compiled.
func evaluate(text string) (v value) {
	defer func() {
		if r := recover(); r != nil {
			v = value{failed: true, detail: fmt.Sprint("panic: ", r)}
		}
	}()
	expr, err := environment.Parser().ParseExpr(text)
	if err != nil {
		return value{untranslated: true, detail: "its parser refuses it"}
	}
	env := evalengine.NewExpressionEnv(context.Background(), nil, evalengine.NewEmptyVCursor(environment, time.UTC))
	cfg := &evalengine.Config{Collation: connCollation, Environment: environment, SQLMode: evalengine.ParseSQLMode(mysqlMode), NoConstantFolding: true,
		ResolveColumn: func(*sqlparser.ColName) (int, error) { return 0, fmt.Errorf("a column") }}
	tree, err := evalengine.Translate(expr, cfg)
	if err != nil {
		return value{untranslated: strings.Contains(err.Error(), "VT12001") || strings.Contains(err.Error(), "not supported") || err.Error() == "a column", failed: true, detail: err.Error()}
	}
	got, err := env.Evaluate(tree)
	if err != nil {
		return value{failed: true, detail: err.Error()}
	}
	raw := got.Value(connCollation)
	return value{null: raw.IsNull(), text: raw.ToString(), class: class(raw.Type().String())}
}

// measure computes the expression at the yardstick.
func (y *yardstick) measure(text string) value {
	a := y.query("SELECT " + text)
	if a.code != 0 {
		return value{failed: true, untranslated: a.code == 1305 || a.code == 1064 || a.code == 1128, detail: fmt.Sprint(a.code)}
	}
	if len(a.rows) != 1 || len(a.rows[0]) != 1 {
		return value{failed: true, detail: "no row"}
	}
	return value{null: a.rows[0][0] == nil, text: string(a.rows[0][0]), class: class(a.types[0])}
}

// verdict compares evalengine's value with the yardstick's.
type verdict int

const (
	right         verdict = iota
	wrong                 // another value, or an error for a value
	missing               // not translated
	differs               // another value, and MySQL's manual is with evalengine or the two differ by design
	withoutAnswer         // neither a yardstick's value nor MySQL's
)

func judge(f function, call string, got, want value) verdict {
	switch {
	case got.untranslated:
		return missing
	case f.free:
		if got.failed {
			return wrong
		}
		return right
	case f.expected == "*":
		return withoutAnswer
	case f.expected != "":
		if got.failed || got.text != f.expected {
			return wrong
		}
		return right
	case want.untranslated:
		return withoutAnswer
	case got.failed && want.failed:
		return right
	case !got.failed && !want.failed && got.null == want.null && same(got.text, want.text, want.class):
		return right
	}
	for _, d := range byDesign {
		if d.call.MatchString(call) && (d.got == nil || d.got.MatchString(got.String())) {
			return differs
		}
	}
	return wrong
}

// same allows the forms of JSON and the last digit of floating-point numbers.
func same(got, want, class string) bool {
	if got == want {
		return true
	}
	if class == "float" {
		var a, b float64
		if _, err := fmt.Sscan(got, &a); err != nil {
			return false
		}
		if _, err := fmt.Sscan(want, &b); err != nil {
			return false
		}
		d := a - b
		return d == 0 || d < 0 && -d <= 1e-14*abs(a) || d > 0 && d <= 1e-14*abs(a)
	}
	return false
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// byDesign are differences in which MariaDB is not MySQL 8.
var byDesign = []struct {
	call, got *regexp.Regexp
	reason    string
}{
	{regexp.MustCompile(`^(GREATEST|LEAST)\(.*('|TIME|DATE)`), nil, "a mix of strings and numbers is compared as strings in MySQL 8"},
	{regexp.MustCompile(`(?i)^(CEIL|CEILING|FLOOR)\((TIME|DATE)`), nil, "a temporal argument stays temporal in MariaDB"},
	{regexp.MustCompile(`%|MOD`), regexp.MustCompile(`^0\.0$`), "MariaDB has a negative zero"},
	{regexp.MustCompile(`(?i)regexp|rlike`), regexp.MustCompile(`cannot be used in conjunction|Illegal argument`), "ICU refuses binary strings and empty patterns"},
	{regexp.MustCompile(`^PERIOD_`), regexp.MustCompile(`Incorrect arguments`), "MySQL 8 refuses what is no period"},
	{regexp.MustCompile(`^REGEXP_SUBSTR`), regexp.MustCompile(`^NULL$`), "without a match MySQL 8 returns NULL, MariaDB an empty string"},
	{regexp.MustCompile(`^JSON_`), regexp.MustCompile(`^error Invalid JSON|^error Invalid data type`), "MySQL 8 refuses text that is no JSON, MariaDB returns NULL"},
}
