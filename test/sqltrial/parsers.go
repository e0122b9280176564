package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	fork "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // TiDB's parser makes no literal without a driver
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
)

// outcome is what a parser made of a statement.
type outcome int

const (
	taken   outcome = iota
	refused         // a syntax error
	empty           // taken without an error, and the tree has nothing of the text
	panicked
)

// candidate is one of the parsers that are compared.
type candidate struct {
	name string
	// parse returns the statement written from its tree as well.
	parse func(text string) (restored string, o outcome)
}

// environment is vitess.io's: MySQL's version decides on the collations and on /*! comments.
var environment = func() *vtenv.Environment {
	e, err := vtenv.New(vtenv.Options{MySQLServerVersion: "8.4.6"})
	if err != nil {
		panic(err)
	}
	return e
}()

func guarded(parse func(string) (string, outcome)) func(string) (string, outcome) {
	return func(text string) (restored string, o outcome) {
		defer func() {
			if r := recover(); r != nil {
				restored, o = fmt.Sprint(r), panicked
			}
		}()
		return parse(text)
	}
}

var candidates = []candidate{
	{"fork", guarded(parseFork)},
	{"vitess", guarded(parseVitess)},
	{"tidb", guarded(parseTiDB)},
}

func parseFork(text string) (string, outcome) {
	stmt, err := fork.Parse(text)
	if err != nil {
		return err.Error(), refused
	}
	switch s := stmt.(type) {
	case *fork.OtherAdmin, *fork.OtherRead:
		return "", empty
	case *fork.DDL:
		if s.TableSpec == nil && s.Action == "create" && strings.HasPrefix(fork.String(s), "create table") && s.OptLike == nil && s.OptSelect == nil {
			return "", empty
		}
	}
	return fork.String(stmt), taken
}

func parseVitess(text string) (string, outcome) {
	stmt, err := environment.Parser().ParseStrictDDL(text)
	if err != nil {
		return err.Error(), refused
	}
	switch stmt.(type) {
	case *sqlparser.OtherAdmin, *sqlparser.Load:
		return "", empty
	}
	return sqlparser.String(stmt), taken
}

var tidbParser = func() *parser.Parser {
	p := parser.New()
	p.EnableWindowFunc(true)
	return p
}()

func parseTiDB(text string) (string, outcome) {
	stmt, err := tidbParser.ParseOneStmt(text, "", "")
	if err != nil {
		return err.Error(), refused
	}
	return restoreTiDB(stmt), taken
}

func restoreTiDB(stmt ast.StmtNode) string {
	var b bytes.Buffer
	flags := format.DefaultRestoreFlags | format.RestoreStringWithoutCharset
	if err := stmt.Restore(format.NewRestoreCtx(flags, &b)); err != nil {
		return "restore: " + err.Error()
	}
	return b.String()
}

var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/|--[ \t][^\n]*|#[^\n]*`)
	word    = regexp.MustCompile("`[^`]*`|'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.|\"\")*\"|[0-9]+(?:\\.[0-9]+)?|[A-Za-z_][A-Za-z_0-9]*")
)

// lost returns the first name or literal of the text that is not in what was written from its tree.
// Words that parsers rewrite (synonyms of types and functions, noise words) do not count.
func lost(text, restored string) string {
	have := map[string]bool{}
	for _, w := range word.FindAllString(restored, -1) {
		have[plain(w)] = true
	}
	for _, w := range word.FindAllString(comment.ReplaceAllString(text, " "), -1) {
		p := plain(w)
		if p == "" || have[p] || noise[p] {
			continue
		}
		return p
	}
	return ""
}

func plain(w string) string {
	switch w[0] {
	case '`', '\'', '"':
		w = w[1 : len(w)-1]
		if strings.ContainsAny(w, `\'"`) {
			return "" // escapes are written in several ways
		}
	}
	return strings.ToLower(w)
}

var noise = set(`as asc inner outer cross join int integer tinyint dec decimal numeric fixed char character bool boolean
	real double precision key index using true false null not and or is in between like by on to from into set values value
	columns fields schema schemas database databases table all distinct distinctrow with work start begin transaction
	if exists is unknown rows row current day mod div xor substring substr mid position locate trim both curdate curtime
	current_date current_time current_timestamp now localtime localtimestamp sysdate ceiling ceil lcase ucase lower upper
	collate charset encoding convert cast national varchar varying nchar nvarchar bigint regexp rlike session global local
	restrict cascade no action ignore default default_value constraint escape unique btree date_add date_sub adddate subdate
	interval add column sql_no_cache for of one some any option check algorithm temporary straight_join offset limit
	describe desc explain show full then else end case when write read isolation level repeatable committed lock unlock
	tables int1 int2 int3 int4 int8 middleint long float4 float8 binary byte std stddev std_pop var_pop variance stddev_pop n x b u rename
	only off within group savepoint nowait concurrent engine comment return call procedure function out inout in d t ts date time timestamp`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
