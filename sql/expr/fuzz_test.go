package expr

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

// FuzzEvaluate computes hostile expressions: they neither panic, nor have results over the packet. What panics in the
// engine is an error of the statement; only a panic of a function of this package fails.
func FuzzEvaluate(f *testing.F) {
	for _, path := range caseFiles(f) {
		for _, c := range readCases(f, path) {
			if c.text != "" {
				f.Add(c.text)
			}
		}
	}
	for _, text := range []string{
		"REPEAT(REPEAT('a', 60000), 60000)", "LPAD('a', 2147483647, REPEAT('b', 60000))", "REPLACE(REPEAT('a', 60000), 'a', REPEAT('b', 60000))",
		"CONCAT(REPEAT('a', 60000), REPEAT('a', 60000))", "EXPORT_SET(-1, REPEAT('a', 60000), '', REPEAT('b', 60000))",
		"INSERT(REPEAT('a', 60000), 2, 1, REPEAT('a', 60000))", "UNCOMPRESS(COMPRESS(REPEAT('a', 60000)))", "CAST('a' AS BINARY(2000000000))",
		"WEIGHT_STRING('a' AS CHAR(2000000000))", "REGEXP_REPLACE(REPEAT('a', 60000), 'a', REPEAT('b', 60000))", "FORMAT(1e308, 30)",
		"HEX(HEX(HEX(REPEAT('a', 60000))))", "CAST('1e999999999' AS DECIMAL(65,30))", "ROUND(1e-320, -9223372036854775808)",
		"REGEXP_SUBSTR(REPEAT('a', 30), '(a+)+b')", "SUBSTRING_INDEX('aaa', 'a', -9223372036854775808)", "POW(2, 1e308) * RAND(k)",
	} {
		f.Add(text)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, text string) {
		e := parsedExpr(text)
		if e == nil {
			return
		}
		c := testContext()
		c.MaxPacket, c.Done, c.Session = 1<<16, done, &fakeSession{}
		p, err := Compile(c, Columns{Types: []Type{integerType(nil, c)}, Find: firstColumn}, e)
		if err != nil {
			checkFailure(t, text, err)
			return
		}
		p.Begin(c)
		for i := range 2 {
			out, err := p.Run([]Value{Int(int64(i))}, nil)
			if err != nil {
				checkFailure(t, text, err)
				return
			}
			if n := len(out[0].Raw()); n > 16*c.MaxPacket {
				t.Fatalf("%s: %d bytes", text, n)
			}
			Display(out[0], p.Type(0))
		}
	})
}

// parsedExpr is an expression; nil: the text is none. The parser panics at a lone asterisk.
func parsedExpr(text string) (e sqlparser.Expr) {
	defer func() { _ = recover() }()
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		return nil
	}
	return e
}

// checkFailure fails for a panic of a function of this package.
func checkFailure(t *testing.T, text string, err error) {
	t.Helper()
	var p *Panic
	if errors.As(err, &p) && ofThisPackage(p.Stack) {
		t.Fatalf("%s: %s\n%s", text, p.Reason, p.Stack)
	}
}

// ofThisPackage reports whether the panic of a stack was raised in this package.
func ofThisPackage(stack string) bool {
	i := strings.LastIndex(stack, "panic(")
	for line := range strings.Lines(stack[max(i, 0):]) {
		switch {
		case strings.HasPrefix(line, "isochron/sql/expr."):
			return true
		case strings.HasPrefix(line, "vitess.io/vitess/go/vt/vtgate/evalengine."), strings.HasPrefix(line, "vitess.io/vitess/go/vt/sqlparser."):
			return false
		}
	}
	return false
}

// fuzzedTextCalls are calls with columns a, b and c.
var fuzzedTextCalls = []string{
	"UPPER(a)", "LOWER(a)", "CONCAT(a, b, c)", "CONCAT_WS(a, b, c)", "REPLACE(a, b, c)", "QUOTE(a)", "SOUNDEX(a)", "TRIM(BOTH b FROM a)",
	"TRIM(LEADING b FROM a)", "LEFT(a, b)", "RIGHT(a, b)", "SUBSTRING(a, b)", "SUBSTRING(a, b, c)", "INSERT(a, b, c, 'xy')", "INSERT('xyz', b, c, a)",
	"LPAD(a, b, c)", "RPAD(a, b, c)", "REPEAT(a, b)", "SPACE(a)", "SUBSTRING_INDEX(a, b, c)", "FIND_IN_SET(a, b)", "FIELD(a, b, c)", "ELT(a, b, c)",
	"MAKE_SET(a, b, c)", "EXPORT_SET(a, b, c)", "EXPORT_SET(a, 'y', 'n', b, c)", "HEX(a)", "UNHEX(a)", "CONV(a, b, c)", "BIN(a)", "OCT(a)",
	"TO_BASE64(a)", "FROM_BASE64(a)", "WEIGHT_STRING(a)", "CRC32(a)", "a LIKE b ESCAPE c", "REGEXP_REPLACE(a, b, c)", "REGEXP_SUBSTR(a, b)",
	"REGEXP_SUBSTR(a, 'x*', b, c)", "LOG(a, b)", "POW(a, b)", "EXP(a)", "COT(a)", "ROUND(a, b)", "TRUNCATE(a, b)", "ROUND(a)", "ROUND(a, -2)",
	"RAND(a)", "FORMAT(a, b)", "FORMAT(a, b, c)", "a / b", "a DIV b", "a % b", "CAST(a AS SIGNED)", "CAST(a AS UNSIGNED)", "CAST(a AS DECIMAL(20,5))",
	"CAST(a AS DECIMAL(65,30))", "CAST(a AS DOUBLE)", "CAST(a AS FLOAT)", "CAST(a AS CHAR(3))", "CAST(a AS BINARY(5))", "AES_ENCRYPT(a, b)",
	"AES_DECRYPT(a, b)", "UNCOMPRESS(a)", "UNCOMPRESS(COMPRESS(a))", "UNCOMPRESSED_LENGTH(a)", "SHA2(a, b)", "BIT_COUNT(a)", "INET_ATON(a)",
	"LAST_INSERT_ID(a)", "COERCIBILITY(a)", "CHARSET(a)", "IF(a, LEFT(b, 2), UPPER(c))", "CASE a WHEN b THEN HEX(c) ELSE QUOTE(a) END",
	"COALESCE(NULLIF(a, b), EXP(c))", "a BETWEEN UPPER(b) AND c", "ANY_VALUE(a)", "NAME_CONST(a, b)",
	"ExtractValue(a, '//*')", "ExtractValue(a, 'count(//*[//@x = ../b]) + sum(//b) > 1')", "UpdateXML(a, '//b', b)",
}

// FuzzFunctions computes calls of hostile arguments of every type: none may panic, change its arguments, or return more
// than a packet, or what is not of its type.
func FuzzFunctions(f *testing.F) {
	for i := range fuzzedTextCalls {
		f.Add(uint16(i), uint16(0), "aäb'\\\x00", "2", "-1")
		f.Add(uint16(i), uint16(111), "-9223372036854775808", "9223372036854775807", "64")
		f.Add(uint16(i), uint16(432), "12.345", "1e308", "18446744073709551615")
		f.Add(uint16(i), uint16(989), "\x03\x00\x00\x00x\x9cKLJ\x06\x00\x02M\x01'", "[1, {\"a\": 2}]", "\xff\xfe")
		f.Add(uint16(i), uint16(0), "<a x='1'>t<b>2</b><!-- c --><![CDATA[d]]><?e?></a>", "<b/>", "</a>")
		f.Add(uint16(i), uint16(765), "2024-02-29", "2024-02-29 10:11:12.5", "-101112")
	}
	f.Fuzz(func(t *testing.T, which, kinds uint16, a, b, d string) {
		computeFuzzed(t, fuzzedTextCalls[int(which)%len(fuzzedTextCalls)], kinds, a, b, d)
	})
}
