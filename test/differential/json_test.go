package main

import "testing"

func TestNormalFormOfDocuments(t *testing.T) {
	for doc, want := range map[string]bool{
		`{}`: true, `[]`: true, `{"a": 1}`: true, `[1, {"b": [], "aa": "x, y:z \" {"}]`: true, `{"a": {"c": 1}, "b": 2}`: true,
		`{"a":1}`: false, `[1,2]`: false, `[1,  2]`: false, `[ 1]`: false, `{"b": 1, "a": 2}`: false, `{"aa": 1, "b": 2}`: false, `{"a" : 1}`: false, `{"a": 1, "a": 2}`: false,
	} {
		if got := normalJSON([]byte(doc)); got != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{`{"a": 1, "b": 2}`, `{"b":2,"a":1}`, true}, {`{"b":2,"a":1}`, `{"a": 1, "b": 2}`, false}, {`[1]`, `[2]`, false}, {`x`, `[1]`, false}, {`[`, `[`, false},
	} {
		if got := sameJSON(Cell(c.got), Cell(c.want)); got != c.same {
			t.Errorf("%s, %s: %v", c.got, c.want, got)
		}
	}
}
