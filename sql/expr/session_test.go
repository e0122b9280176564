package expr

import (
	"context"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

// fakeSession is a session whose answers are constants.
type fakeSession struct{ last uint64 }

func (*fakeSession) User() string               { return "ann@host" }
func (*fakeSession) CurrentUser() string        { return "ann@%" }
func (*fakeSession) ConnectionID() uint32       { return 7 }
func (s *fakeSession) LastInsertID() uint64     { return s.last }
func (s *fakeSession) SetLastInsertID(n uint64) { s.last = n }
func (*fakeSession) RowCount() int64            { return -1 }
func (*fakeSession) FoundRows() int64           { return 3 }

func (*fakeSession) Variable(name string, global bool) (Value, Type, bool) {
	c := testContext()
	text := Call{Context: c, Out: textType(nil, c)}
	switch {
	case name == "version":
		return text.Text("8.0.99"), text.Out, true
	case name == "block_encryption_mode":
		return text.Text("aes-256-cbc"), text.Out, true
	case name == "sort_buffer_size" && global:
		return Int(1), integerType(nil, c), true
	case name == "sort_buffer_size":
		return Int(2), integerType(nil, c), true
	}
	return Null, Type{}, false
}

func (*fakeSession) UserVariable(name string) (Value, Type) {
	if name == "x" {
		return Int(5), integerType(nil, nil)
	}
	return Null, NullType()
}

func TestFunctionsOfTheSession(t *testing.T) {
	for text, want := range map[string]string{
		"USER()": "ann@host", "SESSION_USER()": "ann@host", "CURRENT_USER()": "ann@%", "CURRENT_USER": "ann@%", "CONNECTION_ID()": "7",
		"LAST_INSERT_ID()": "4", "LAST_INSERT_ID(9) + LAST_INSERT_ID()": "18", "ROW_COUNT()": "-1", "FOUND_ROWS()": "3",
		"VERSION()": "8.0.99", "@@version": "8.0.99", "@@session.sort_buffer_size": "2", "@@SORT_BUFFER_SIZE + 0": "2",
		"@@global.sort_buffer_size": "1", "@x + 1": "6", "@X": "5", "@y": "NULL", "@@nothing": "error 1193", "DATABASE()": "shop",
		"CONCAT(UPPER(DATABASE()), @x)": "SHOP5", "COERCIBILITY(@x)": "2", "COERCIBILITY(@@version)": "3",
		"PS_CURRENT_THREAD_ID()": "7",
	} {
		c := testContext()
		c.Session, c.Database = &fakeSession{last: 4}, "shop"
		if got := answered(text, c); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

func TestEndedStatementEndsItsFunctions(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for text, want := range map[string]string{"SLEEP(1e18)": "1", "BENCHMARK(1000000000000, MD5('a'))": "0"} {
		c := testContext()
		c.Done = done
		if got := answered(text, c); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

// A constant seed begins a sequence over the rows, one that is a column begins one at each row.
func TestRandomOfRows(t *testing.T) {
	for text, want := range map[string][2]string{
		"RAND(3)": {"0.9057697559760601", "0.37307905813034536"},
		"RAND(k)": {"0.9057697559760601", "0.9057697559760601"},
	} {
		p, c := programOfRow(t, text)
		for range 2 { // of the statement
			p.Begin(c)
			for i := range 2 {
				out, err := p.Run([]Value{Int(3)}, nil)
				if err != nil || out[0].ToString() != want[i] {
					t.Errorf("%s: row %d: %v, %v, expected %s", text, i, out, err, want[i])
				}
			}
		}
	}
}

func TestVolatileFunctionsDifferByRow(t *testing.T) {
	for _, text := range []string{"UUID()", "UPPER(UUID())", "RAND()", "RANDOM_BYTES(8)", "HEX(RANDOM_BYTES(8))", "UUID_SHORT()"} {
		p, c := programOfRow(t, text)
		p.Begin(c)
		var seen [2]string
		for i := range seen {
			out, err := p.Run([]Value{Int(3)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			seen[i] = out[0].ToString()
		}
		if seen[0] == seen[1] || p.Constant(0) {
			t.Errorf("%s: %q, constant %t", text, seen, p.Constant(0))
		}
	}
}

// programOfRow is an expression over a column k of integers.
func programOfRow(t *testing.T, text string) (*Program, *Context) {
	t.Helper()
	c := testContext()
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(c, Columns{Types: []Type{integerType(nil, c)}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}, e)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}
