package main

import (
	"slices"
	"strings"
	"testing"
)

// answerOf makes an answer of one column.
func answerOf(kind byte, values ...string) *Answer {
	r := &Result{Columns: []Column{{Name: "x", Type: kind, Charset: utf8mb4General, Decimals: notFixed}}}
	for _, v := range values {
		c := Cell(v)
		if v == "NULL" {
			c = nil
		}
		r.Rows = append(r.Rows, []Cell{c})
	}
	return &Answer{Result: r}
}

func failed(code int, state string) *Answer {
	return &Answer{Err: &ServerError{Code: code, State: state}}
}

// statementOf makes a statement with tags.
func statementOf(tags ...string) *Statement {
	return &Statement{Tree: tagged(text("SELECT"), tags...)}
}

func TestDifferencesByKind(t *testing.T) {
	const integer, double, varchar = 8, 5, 253
	plain := answerOf(integer, "1")
	other := func(change func(*Answer)) *Answer {
		a := answerOf(integer, "1")
		change(a)
		return a
	}
	for name, c := range map[string]struct {
		s         *Statement
		got, want *Answer
		kinds     []Kind
	}{
		"equal":                          {statementOf(), plain, plain, nil},
		"another value":                  {statementOf(), answerOf(integer, "2"), plain, []Kind{KindValue}},
		"NULL is not the empty text":     {statementOf(), answerOf(varchar, "NULL"), answerOf(varchar, ""), []Kind{KindValue}},
		"fewer rows":                     {statementOf(), answerOf(integer), plain, []Kind{KindValue}},
		"another class of type":          {statementOf(), answerOf(varchar, "1"), plain, []Kind{KindType}},
		"unsigned":                       {statementOf(), other(func(a *Answer) { a.Result.Columns[0].Flags = flagUnsigned }), plain, []Kind{KindType}},
		"the width of an integer":        {statementOf(), answerOf(3, "1"), plain, nil},
		"decimals":                       {statementOf(), other(func(a *Answer) { a.Result.Columns[0].Type, a.Result.Columns[0].Decimals = 246, 2 }), answerOf(246, "1"), []Kind{KindType}},
		"a name":                         {statementOf(), other(func(a *Answer) { a.Result.Columns[0].Name = "y" }), plain, []Kind{KindName}},
		"a warning":                      {statementOf(), other(func(a *Answer) { a.Warnings = []int{1292} }), plain, []Kind{KindWarning}},
		"a warning as often as rows":     {statementOf(), other(func(a *Answer) { a.Warnings = []int{1292, 1292} }), other(func(a *Answer) { a.Warnings = []int{1292} }), nil},
		"affected rows":                  {statementOf(), other(func(a *Answer) { a.Result.Affected = 2 }), plain, []Kind{KindCount}},
		"the last id":                    {statementOf(), other(func(a *Answer) { a.Result.LastID = 2 }), plain, []Kind{KindCount}},
		"refused":                        {statementOf(), failed(1064, "42000"), plain, []Kind{KindRefused}},
		"accepted":                       {statementOf(), plain, failed(1690, "22003"), []Kind{KindAccepted}},
		"another number":                 {statementOf(), failed(1105, "HY000"), failed(1690, "22003"), []Kind{KindCode}},
		"another SQLSTATE":               {statementOf(), failed(1690, "HY000"), failed(1690, "22003"), []Kind{KindCode}},
		"lost":                           {statementOf(), &Answer{Lost: "EOF"}, plain, []Kind{KindCrash}},
		"no answer":                      {statementOf(), &Answer{TimedOut: true}, plain, []Kind{KindTimeout}},
		"no yardstick":                   {statementOf(), plain, &Answer{TimedOut: true}, nil},
		"any order":                      {statementOf(), answerOf(integer, "1", "2"), answerOf(integer, "2", "1"), nil},
		"an order that is decided":       {statementOf(tagTotal), answerOf(integer, "1", "2"), answerOf(integer, "2", "1"), []Kind{KindValue}},
		"an order decided by a column":   {statementOf(tagKey + "x"), answerOf(integer, "1", "2"), answerOf(integer, "2", "1"), []Kind{KindValue}},
		"rows that a limit chose":        {statementOf(tagLimit), answerOf(integer, "1"), answerOf(integer, "2"), nil},
		"the number of limited rows":     {statementOf(tagLimit), answerOf(integer, "1", "2"), answerOf(integer, "2"), []Kind{KindValue}},
		"rows that a decided limit gave": {statementOf(tagLimit, tagTotal), answerOf(integer, "1"), answerOf(integer, "2"), []Kind{KindValue}},
		"case":                           {statementOf(), answerOf(varchar, "a"), answerOf(varchar, "A"), []Kind{KindValue}},
		"case of a group":                {statementOf(tagFold), answerOf(varchar, "a "), answerOf(varchar, "Ä"), nil},
		"the last digit":                 {statementOf(), answerOf(double, "0.1"), answerOf(double, "0.10000000000000001"), nil},
		"more than the last digit":       {statementOf(), answerOf(double, "0.1"), answerOf(double, "0.100001"), []Kind{KindValue}},
		"the form of a number":           {statementOf(), answerOf(double, "1e15"), answerOf(double, "1000000000000000"), []Kind{KindValue}},
		"the form of a document":         {statementOf(), answerOf(varchar, `{"a": 1}`), answerOf(varchar, `{"a":1}`), nil},
		"another document":               {statementOf(), answerOf(varchar, `{"a": 1}`), answerOf(varchar, `{"a": 2}`), []Kind{KindValue}},
	} {
		var got []Kind
		for _, d := range differ(c.s, c.got, c.want) {
			got = append(got, d.Kind)
		}
		if !slices.Equal(got, c.kinds) {
			t.Errorf("%s: %v, want %v", name, got, c.kinds)
		}
	}
}

func TestTheTableAfterAChange(t *testing.T) {
	s := &Statement{Tree: text("UPDATE"), Change: true, Table: &Table{Columns: []TableColumn{{Name: "x", Type: "INT"}}}}
	after := func(a *Answer, v string) *Answer {
		a.After = [][]Cell{{Cell(v)}}
		return a
	}
	done := func() *Answer { return &Answer{Result: &Result{Affected: 1}} }
	if d := differ(s, after(done(), "1"), after(done(), "2")); len(d) != 1 || d[0].Kind != KindStored {
		t.Error(d)
	}
	if d := differ(s, after(done(), "1"), after(done(), "1")); len(d) != 0 {
		t.Error(d)
	}
	if d := differ(s, after(failed(1, "x"), "1"), after(failed(1, "x"), "2")); len(d) != 1 || d[0].Kind != KindStored {
		t.Error("a change that failed has left something: ", d)
	}
}

// Every inserted row may have a warning of its own.
func TestWarningsOfRows(t *testing.T) {
	s := &Statement{Tree: &Node{Name: "INSERT IGNORE", Parts: []string{"INSERT"}}}
	one, two := &Answer{Result: &Result{}, Warnings: []int{1264}}, &Answer{Result: &Result{}, Warnings: []int{1264, 1264}}
	if d := differ(s, one, two); len(d) != 1 || d[0].Kind != KindWarning {
		t.Error(d)
	}
}

func TestClasses(t *testing.T) {
	n := fill("SELECT %", expr("ABS()", "ABS(%)", literal("1")))
	a := classify(n, Difference{Kind: KindValue, Detail: "isochron: NULL, mariadb: 17"})
	b := classify(n, Difference{Kind: KindValue, Detail: "isochron: NULL, mariadb: -3.5"})
	c := classify(n, Difference{Kind: KindValue, Detail: "isochron: 1, mariadb: 2"})
	if a != b || a == c || !strings.Contains(a, "ABS()") {
		t.Errorf("%q %q %q", a, b, c)
	}
}

// A statement that is shrunk keeps the error numbers of its difference, and not the values.
func TestWhatStaysOfADifference(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		a, b string
		same bool
	}{
		{KindCode, "isochron: 1105 (HY000), mariadb: 1690 (22003)", "isochron: 1105 (HY000), mariadb: 1064 (42000)", false},
		{KindRefused, "isochron: error 1105, mariadb: 2 rows", "isochron: error 1105, mariadb: NULL", true},
		{KindRefused, "isochron: error 1105, mariadb: NULL", "isochron: error 1064, mariadb: NULL", false},
		{KindAccepted, "isochron: 1, mariadb: error 1690", "isochron: NULL, mariadb: error 1690", true},
		{KindAccepted, "isochron: 1, mariadb: error 1690", "isochron: 1, mariadb: error 1292", false},
		{KindValue, "isochron: 1, mariadb: 2", "isochron: 2, mariadb: 3", true},
	} {
		a, b := Difference{Kind: c.kind, Detail: c.a}, Difference{Kind: c.kind, Detail: c.b}
		if same := a.stays() == b.stays(); same != c.same {
			t.Errorf("%s: %s and %s: %v", c.kind, c.a, c.b, same)
		}
	}
}
