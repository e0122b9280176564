package expr

import (
	"context"
	"strings"
	"testing"
	"time"
)

// An expression without columns has the same value for all rows, and leaves what others compute with as it is.
func TestRowsHaveTheSameValue(t *testing.T) {
	var list []string
	for _, path := range caseFiles(t) {
		for _, c := range readCases(t, path) {
			list = append(list, c.text)
		}
	}
	for _, f := range catalogue(t) {
		list = append(list, f.calls...)
	}
	done, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	for _, text := range list {
		if text == "" || strings.Contains(text, "REPEAT") || strings.Contains(text, "SPACE") {
			continue
		}
		checkRows(t, text, done)
	}
	if got := answered("CONCAT(1 = 1, 1 = 2, TRUE, FALSE)", testContext()); got != "1010" {
		t.Errorf("true and false are %s", got)
	}
}

// checkRows computes an expression for three rows.
func checkRows(t *testing.T, text string, done context.Context) {
	t.Helper()
	e := parsedExpr(text)
	if e == nil {
		return
	}
	c := testContext()
	c.Done, c.Session = done, &fakeSession{}
	p, err := Compile(c, Columns{}, e)
	if err != nil || !p.Constant(0) {
		return
	}
	p.Begin(c)
	first := ""
	for i := range 3 {
		out, err := p.Run(nil, nil)
		if err != nil {
			return
		}
		if v := out[0].String(); i == 0 {
			first = v
		} else if v != first {
			t.Errorf("%s: row %d is %s, the first was %s", text, i, v, first)
		}
	}
}
