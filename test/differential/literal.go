package main

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The types of parameters in COM_STMT_EXECUTE.
const (
	typeDouble    = 5
	typeNull      = 6
	typeLongLong  = 8
	typeUnsigned  = typeLongLong | 0x8000
	typeDecimal   = 246
	typeBlob      = 252
	typeVarString = 253
)

// Literal is a value that can be sent as a parameter.
type Literal struct {
	Type  uint16
	Value string // the digits or the bytes
}

// literal makes a leaf of the text of a literal. Temporal literals stay in the text: no type of parameter is theirs in
// all clients.
func literal(s string) *Node {
	n := &Node{Parts: []string{s}, Expr: true}
	switch {
	case s == "NULL":
		n.Literal = &Literal{Type: typeNull}
	case strings.HasPrefix(s, "'"):
		n.Literal = &Literal{typeVarString, strings.ReplaceAll(strings.ReplaceAll(s[1:len(s)-1], "''", "'"), `\\`, `\`)}
	case strings.HasPrefix(s, "x'"):
		if b, err := hex.DecodeString(s[2 : len(s)-1]); err == nil {
			n.Literal = &Literal{typeBlob, string(b)}
			if len(b) > 0 { // a number where one is expected, as MariaDB has 0x61 alone
				n.Maria = []string{"0x" + s[2:len(s)-1]}
			}
		}
	case strings.HasPrefix(s, "b'"):
		if b, err := strconv.ParseUint(s[2:len(s)-1], 2, 64); err == nil {
			n.Maria = []string{fmt.Sprintf("0x%02x", b)}
		}
	case strings.ContainsAny(s, "eE") && isNumber(s):
		n.Literal = &Literal{typeDouble, s}
	case strings.Contains(s, ".") && isNumber(s):
		n.Literal = &Literal{typeDecimal, s}
	case isNumber(s):
		n.Literal = integer(s)
	}
	return n
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && !strings.HasPrefix(strings.TrimLeft(s, "-"), "0x")
}

func integer(s string) *Literal {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return &Literal{typeLongLong, s}
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return &Literal{typeUnsigned, s}
	}
	return &Literal{typeDecimal, s}
}

// anyLiterals are literals of every type, with the extremes of each.
var anyLiterals = []string{
	"NULL", "0", "1", "-1", "2", "-3", "7", "127", "128", "-129", "255", "32768", "65535", "2147483647", "-2147483649", "4294967295",
	"9223372036854775807", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
	"0.0", "0.5", "-0.5", "1.5", "2.5", "12.345", "-12.345", "99999999999999999999.5", "0.0000000001", "9999999999999999999999999999999.999999999",
	"0e0", "1e0", "-1.5e0", "1.5e3", "1e15", "1e-7", "1.7976931348623157e308", "-1e308", "2.5e-320",
	"''", "' '", "'a'", "'A'", "'abc'", "'ABC '", "'b'", "'ä'", "'ÄB c'", "'日本'", "'😀'", "'a%c'", "'_'", "'0'", "'1'", "'-1'", "' 7 '", "'12abc'", "'1.5'", "'1e3'", "'-'", "'.5'", "'a,b,c'",
	"'true'", "'a text that is longer than any column of these'", "'9223372036854775808'", "'it''s'",
	"x''", "x'00'", "x'61'", "x'ff'", "x'c3a4'", "0x6162", "b'101'", "TRUE", "FALSE",
	"DATE'2024-02-29'", "DATE'1000-01-01'", "DATE'9999-12-31'", "TIMESTAMP'2024-02-29 10:11:12'", "TIMESTAMP'2024-02-29 10:11:12.5'", "TIMESTAMP'1969-12-31 23:59:59.999999'",
	"TIME'10:11:12'", "TIME'-10:11:12.25'", "TIME'838:59:59'", "TIME'00:00:00'",
	"'2024-02-29'", "'2024-02-30'", "'2024-2-9 1:2:3.4'", "'0000-00-00'", "'2024-00-01'", "'10:11:12'", "'-838:59:59'", "'1 10:00'", "20240229", "20240229101112", "101112", "'20240229'",
	`'[1, {"a": 2}]'`, `'{"a": 1, "b": [null, true]}'`, "'null'", `'"x"'`, "'{'",
}

// literalsOf are literals that suit a class of types, with NULL and extremes.
var literalsOf = map[string][]string{
	"integer":  {"0", "1", "2", "3", "-1", "5", "7", "100", "127", "128", "-128", "255", "256", "32767", "2147483647", "-2147483648", "9223372036854775807", "NULL"},
	"decimal":  {"0.00", "1.10", "-1.10", "2.50", "12.34", "99999999.99", "-99999999.99", "0.005", "NULL"},
	"double":   {"0e0", "1.5e0", "-1.5e0", "1e15", "1e100", "0.1e0", "16777216e0", "NULL"},
	"text":     {"''", "'a'", "'A'", "'ab'", "'AB '", "'b'", "'ä'", "'a%'", "'x_y'", "'12'", "'1abc'", "'日本'", "NULL"},
	"bytes":    {"x''", "x'00'", "x'61'", "x'ff'", "'a'", "NULL"},
	"date":     {"'2024-01-31'", "'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "DATE'2024-01-31'", "'0000-00-00'", "20240131", "NULL"},
	"datetime": {"'2024-01-31 10:11:12'", "'2024-02-29'", "'2024-01-31 10:11:12.5'", "TIMESTAMP'2024-01-31 10:11:12'", "'0000-00-00 00:00:00'", "20240131101112", "NULL"},
	"time":     {"'10:11:12'", "'-10:11:12'", "'838:59:59'", "'00:00:00'", "TIME'10:11:12'", "101112", "NULL"},
	"year":     {"2024", "0", "1901", "2155", "'24'", "70", "NULL"},
	"bit":      {"b'101'", "5", "0", "255", "x'05'", "NULL"},
	"enum":     {"'x'", "'y'", "'Z'", "1", "2", "'nope'", "NULL"},
	"set":      {"'a'", "'a,b'", "'b,a'", "''", "3", "'nope'", "NULL"},
	"json":     {`'{"a": 1}'`, `'[1, 2]'`, "'1'", `'"x"'`, "'null'", "NULL"},
}

// gen draws parts of statements.
type gen struct{ *rand.Rand }

// newGen makes the generator of one statement: the same seed, form and index give the same statement.
func newGen(seed uint64, form string, index int) gen {
	for _, c := range form {
		seed = seed*1099511628211 + uint64(c)
	}
	return gen{rand.New(rand.NewPCG(seed, uint64(index)))}
}

func (g gen) pick(of ...string) string { return of[g.IntN(len(of))] }

// chance reports true n times of a hundred.
func (g gen) chance(n int) bool { return g.IntN(100) < n }

func (g gen) any() *Node { return literal(g.pick(anyLiterals...)) }

// like draws a literal for a column of a class: mostly one that suits it.
func (g gen) like(class string) *Node {
	if of := literalsOf[class]; of != nil && g.chance(75) {
		return literal(g.pick(of...))
	}
	return g.any()
}
