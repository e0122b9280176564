package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The tags of nodes, from which follows how rows are compared.
const (
	tagTotal = "total" // in ORDER BY: no two rows are equal in it
	tagLimit = "limit" // not all rows are returned
	tagFold  = "fold"  // one of several texts that the collation does not distinguish is returned
	tagKey   = "key "  // in ORDER BY: the column of this name decides next
)

// flagUnsigned and charsetBinary are MySQL's.
const (
	flagUnsigned  = 32
	charsetBinary = 63
)

// floatTolerance is by how much of its value a floating-point number may differ: the last digits of sums and of
// functions depend on the order and on the library.
const floatTolerance = 1e-13

// Kind is a kind of difference, the gravest first.
type Kind string

// The kinds of differences.
const (
	KindCrash    Kind = "crash"    // the connection was lost
	KindTimeout  Kind = "timeout"  // no answer within the bound
	KindRefused  Kind = "refused"  // an error where MariaDB has none
	KindAccepted Kind = "accepted" // no error where MariaDB has one
	KindCode     Kind = "code"     // another error number or SQLSTATE
	KindStored   Kind = "stored"   // the table differs after a change
	KindValue    Kind = "value"    // other rows, or in another order
	KindCount    Kind = "count"    // affected rows, the last inserted id, the number of columns
	KindType     Kind = "type"
	KindWarning  Kind = "warning"
	KindName     Kind = "name"
)

var kinds = []Kind{KindCrash, KindTimeout, KindRefused, KindAccepted, KindCode, KindStored, KindValue, KindCount, KindType, KindWarning, KindName}

// Difference is one way in which an answer is not MariaDB's.
type Difference struct {
	Kind    Kind
	Detail  string // "isochron: X, mariadb: Y", after where it is
	Message string // of Isochron's error
}

// stays is what of a difference remains when its statement is shrunk: error numbers and types. A statement that becomes wrong in
// another way shows another difference.
func (d *Difference) stays() string {
	switch d.Kind {
	case KindRefused:
		code, _, _ := strings.Cut(d.Detail, ", ")
		return code
	case KindAccepted:
		_, code, _ := strings.Cut(d.Detail, "mariadb: ")
		return code
	case KindCode, KindType:
		return d.Detail
	}
	return ""
}

// Answer is what a server did with a statement.
type Answer struct {
	Result   *Result
	Err      *ServerError
	Lost     string // how the connection was lost
	TimedOut bool
	Warnings []int    // their numbers, sorted
	After    [][]Cell // the rows of the table after a change
}

// differ compares an answer with MariaDB's; at most one difference of each kind is returned, the gravest first.
func differ(s *Statement, got, want *Answer) []Difference {
	if s.Table != nil && len(s.Table.Members) > 0 {
		want = want.byMySQL()
	}
	tags := s.Tree.tags()
	switch {
	case want.Lost != "" || want.TimedOut:
		return nil // there is no yardstick
	case got.Lost != "":
		return []Difference{{Kind: KindCrash, Detail: got.Lost}}
	case got.TimedOut:
		return []Difference{{Kind: KindTimeout, Detail: "no answer within the bound"}}
	case got.Err != nil && want.Err == nil:
		return []Difference{{KindRefused, fmt.Sprintf("isochron: error %d, mariadb: %s", got.Err.Code, short(want)), got.Err.Message}}
	case got.Err == nil && want.Err != nil:
		return []Difference{{KindAccepted, fmt.Sprintf("isochron: %s, mariadb: error %d", short(got), want.Err.Code), ""}} // what is stored follows
	case got.Err != nil:
		if got.Err.Code != want.Err.Code || got.Err.State != want.Err.State {
			return append([]Difference{{KindCode, fmt.Sprintf("isochron: %d (%s), mariadb: %d (%s)", got.Err.Code, got.Err.State, want.Err.Code, want.Err.State), got.Err.Message}}, differStored(s, got, want)...)
		}
		return differStored(s, got, want)
	}
	out := differStored(s, got, want)
	if d := differCounts(got.Result, want.Result); d != "" {
		return append(out, Difference{Kind: KindCount, Detail: d})
	}
	if !s.Free {
		if d := differRows(tags, got.Result, want.Result); d != "" {
			out = append(out, Difference{Kind: KindValue, Detail: d})
		}
	}
	out = append(out, differColumns(got.Result, want.Result)...)
	if s.Quiet {
		return out
	}
	if d := differWarnings(s, got, want); d != "" {
		out = append(out, Difference{Kind: KindWarning, Detail: d})
	}
	return out
}

// short is an answer in a few words.
func short(a *Answer) string {
	switch {
	case a.Err != nil:
		return fmt.Sprintf("error %d", a.Err.Code)
	case a.Result == nil:
		return "nothing"
	case len(a.Result.Columns) == 0:
		return fmt.Sprintf("%d changed", a.Result.Affected)
	case len(a.Result.Rows) == 1 && len(a.Result.Rows[0]) == 1:
		return show(a.Result.Rows[0][0])
	}
	return fmt.Sprintf("%d rows", len(a.Result.Rows))
}

// mysqlErrors are MySQL's errors in the place of MariaDB's own: a check that fails, and a value for a generated column.
var mysqlErrors = map[int]ServerError{4025: {Code: 3819, State: "HY000"}, 1906: {Code: 3105, State: "HY000"}}

// byMySQL is an answer of MariaDB with MySQL's numbers of errors.
func (a *Answer) byMySQL() *Answer {
	out := *a
	if a.Err != nil {
		if e, ok := mysqlErrors[int(a.Err.Code)]; ok {
			out.Err = &e
		}
	}
	out.Warnings = slices.Clone(a.Warnings)
	for i, n := range out.Warnings {
		if e, ok := mysqlErrors[n]; ok {
			out.Warnings[i] = int(e.Code)
		}
	}
	slices.Sort(out.Warnings)
	return &out
}

func differStored(s *Statement, got, want *Answer) []Difference {
	if !s.Change || got.After == nil || want.After == nil {
		return nil
	}
	if len(got.After) != len(want.After) {
		return []Difference{{KindStored, fmt.Sprintf("isochron: %d rows, mariadb: %d rows", len(got.After), len(want.After)), ""}}
	}
	for i := range want.After {
		for j := range want.After[i] {
			if !bytes.Equal(got.After[i][j], want.After[i][j]) || (got.After[i][j] == nil) != (want.After[i][j] == nil) {
				kind := ""
				if s.Also == nil && j < len(s.Table.Columns) { // a kept case has no definitions
					kind = s.Table.Columns[j].Type + " "
				}
				return []Difference{{KindStored, fmt.Sprintf("%sisochron: %s, mariadb: %s", kind, show(got.After[i][j]), show(want.After[i][j])), ""}}
			}
		}
	}
	return nil
}

func differCounts(got, want *Result) string {
	switch {
	case len(got.Columns) != len(want.Columns):
		return fmt.Sprintf("isochron: %d columns, mariadb: %d", len(got.Columns), len(want.Columns))
	case got.Affected != want.Affected:
		return fmt.Sprintf("affected isochron: %d, mariadb: %d", got.Affected, want.Affected)
	case got.LastID != want.LastID:
		return fmt.Sprintf("last id isochron: %d, mariadb: %d", got.LastID, want.LastID)
	}
	return ""
}

// differRows compares rows: as sequences where the order is decided, as multisets where it is not, and by their
// number alone where an undecided order and a limit choose them.
func differRows(tags map[string]bool, got, want *Result) string {
	if len(got.Rows) != len(want.Rows) {
		return fmt.Sprintf("isochron: %d rows, mariadb: %d rows", len(got.Rows), len(want.Rows))
	}
	folded := tags[tagFold]
	if !tags[tagTotal] {
		if d := differKeys(tags, got, want); d != "" {
			return d
		}
		if tags[tagLimit] {
			return ""
		}
		got, want = sorted(got), sorted(want)
	}
	for i := range got.Rows {
		for j, c := range want.Columns {
			if !sameValue(got.Rows[i][j], want.Rows[i][j], c, folded) {
				if tags[tagTotal] && sameRows(sorted(got), sorted(want), folded) {
					return "isochron: the same rows in another order"
				}
				return fmt.Sprintf("isochron: %s, mariadb: %s", show(got.Rows[i][j]), show(want.Rows[i][j]))
			}
		}
	}
	return ""
}

// sameRows reports whether two results have equal rows.
func sameRows(got, want *Result, folded bool) bool {
	for i := range got.Rows {
		for j, c := range want.Columns {
			if !sameValue(got.Rows[i][j], want.Rows[i][j], c, folded) {
				return false
			}
		}
	}
	return true
}

// differKeys compares the sequences of the columns by which the rows are ordered.
func differKeys(tags map[string]bool, got, want *Result) string {
	for j, c := range want.Columns {
		if !tags[tagKey+c.Name] {
			continue
		}
		for i := range want.Rows {
			if !sameValue(got.Rows[i][j], want.Rows[i][j], c, true) {
				return fmt.Sprintf("order isochron: %s, mariadb: %s", show(got.Rows[i][j]), show(want.Rows[i][j]))
			}
		}
		return "" // the next key is decided only among equal values of this one
	}
	return ""
}

func sorted(r *Result) *Result {
	c := *r
	c.Rows = slices.Clone(r.Rows)
	sort.SliceStable(c.Rows, func(i, j int) bool { return rowText(c.Rows[i]) < rowText(c.Rows[j]) })
	return &c
}

// rowText is a text by which rows are sorted: equal values of both servers have equal texts.
func rowText(row []Cell) string {
	var b strings.Builder
	for _, c := range row {
		f, err := strconv.ParseFloat(string(c), 64)
		switch {
		case c == nil:
			b.WriteString("\x01")
		case err == nil: // a column may be of a number on one server and of a text on the other
			b.WriteString("\x02" + strconv.FormatFloat(f+0, 'g', sortedDigits, 64))
		default:
			b.WriteString("\x02" + fold(string(c)))
		}
	}
	for _, c := range row { // texts that fold alike
		b.WriteString("\x00" + string(c))
	}
	return b.String()
}

// sortedDigits are those of a number by which rows are sorted: fewer than two rounded values differ in.
const sortedDigits = 3

// sameValue compares two values of a column as MariaDB describes it.
func sameValue(got, want Cell, c Column, folded bool) bool {
	if (got == nil) != (want == nil) {
		return false
	}
	if got == nil || bytes.Equal(got, want) {
		return true
	}
	if class := classOf(c); class == "double" || class == "float" {
		return sameFloat(string(got), string(want)) || c.Decimals < notFixed && sameRounded(string(got), string(want), int(c.Decimals))
	}
	if folded && fold(string(got)) == fold(string(want)) {
		return true
	}
	return sameJSON(got, want)
}

func sameFloat(got, want string) bool {
	if strings.Contains(got, "e") != strings.Contains(want, "e") {
		return false // 1e15 is not written 1000000000000000
	}
	a, err := strconv.ParseFloat(got, 64)
	b, err2 := strconv.ParseFloat(want, 64)
	if err != nil || err2 != nil {
		return false
	}
	return a == b || math.Abs(a-b) <= floatTolerance*math.Max(math.Abs(a), math.Abs(b))
}

// notFixed is the number of decimals of a double with no fixed number of them.
const notFixed = 31

// sameRounded compares a double with one that is rounded to some decimals: that types differ is a difference of its own.
func sameRounded(got, want string, decimals int) bool {
	a, err := strconv.ParseFloat(got, 64)
	b, err2 := strconv.ParseFloat(want, 64)
	return err == nil && err2 == nil && math.Abs(a-b) <= 0.5000001*math.Pow10(-decimals)+floatTolerance*math.Abs(b)
}

var folding = strings.NewReplacer("ä", "a", "Ä", "a", " ,", ",", " |", "|")

// fold makes texts, and lists of them, equal that utf8mb4_general_ci does not distinguish, as far as they occur here.
func fold(s string) string { return strings.TrimRight(strings.ToLower(folding.Replace(s)), " ") }

func show(c Cell) string {
	if c == nil {
		return "NULL"
	}
	s := string(c)
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			s = strconv.QuoteToASCII(s)
			break
		}
	}
	if len(s) > 80 {
		s = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(s[:80], ""), len(c))
	}
	return s
}

// typeClasses are the classes of the wire's types: integers of all widths are one, and texts of all lengths.
var typeClasses = map[byte]string{
	0: "decimal", 246: "decimal", 1: "integer", 2: "integer", 3: "integer", 8: "integer", 9: "integer", 4: "float", 5: "double",
	6: "null", 7: "datetime", 12: "datetime", 10: "date", 14: "date", 11: "time", 13: "year", 16: "bit", 245: "json", 255: "geometry",
}

func classOf(c Column) string {
	class, ok := typeClasses[c.Type]
	switch {
	case ok && class == "integer" && c.Flags&flagUnsigned != 0:
		return "unsigned"
	case ok:
		return class
	case c.Charset == charsetBinary:
		return "bytes"
	}
	return "text"
}

// typeText is a column's type as it is compared: class, unsigned, decimals.
func typeText(c Column) string {
	class := classOf(c)
	switch class {
	case "decimal", "datetime", "time", "double", "float":
		return fmt.Sprintf("%s(%d)", class, c.Decimals)
	}
	return class
}

func differColumns(got, want *Result) (out []Difference) {
	for i, w := range want.Columns {
		if g := typeText(got.Columns[i]); g != typeText(w) {
			out = append(out, Difference{Kind: KindType, Detail: fmt.Sprintf("isochron: %s, mariadb: %s", g, typeText(w))})
			break
		}
	}
	for i, w := range want.Columns {
		g, w := hexName.ReplaceAllString(got.Columns[i].Name, "0x"), hexName.ReplaceAllString(strings.ReplaceAll(w.Name, unindexed, ""), "0x")
		if g != w && !strings.Contains(w, "NULLIF(REGEXP_SUBSTR(") && (len(w) == len(want.Columns[i].Name) || !strings.HasPrefix(g, w[:min(len(w), nameShown)])) {
			out = append(out, Difference{Kind: KindName, Detail: fmt.Sprintf("isochron: %s, mariadb: %s", g, w)})
			break
		}
	}
	return out
}

// hexName is a hexadecimal or bit literal in a name: MariaDB is sent it in another form.
var hexName = regexp.MustCompile(`x'[0-9a-f]+'|b'[01]+'|0x[0-9a-f]+`)

// nameShown is how much of a name is compared that MariaDB cut off: its own text has words that ours has not.
const nameShown = 150

// differWarnings compares the numbers of warnings: each once for a query, since how often an expression is computed
// depends on the plan; all for rows that are inserted.
func differWarnings(s *Statement, got, want *Answer) string {
	g, w := got.Warnings, want.Warnings
	if !strings.HasPrefix(s.Tree.Name, "INSERT") && s.Tree.Name != "REPLACE" {
		g, w = slices.Compact(slices.Clone(g)), slices.Compact(slices.Clone(w))
	}
	if slices.Equal(g, w) {
		return ""
	}
	return fmt.Sprintf("isochron: %v, mariadb: %v", g, w)
}
