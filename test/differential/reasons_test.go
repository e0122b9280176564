package main

import (
	"strings"
	"testing"
)

const good = "value,type\t^SELECT CEIL\tmariadb: time\tisochron\t12.6.2\tCEIL gives a number\n"

func TestReasonsMatch(t *testing.T) {
	list, err := readReasons("# a comment\n\n" + good)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for name, c := range map[string]struct {
		statement string
		d         Difference
		hit       bool
	}{
		"hit":               {"SELECT CEIL(x)", Difference{Kind: KindType, Detail: "isochron: integer, mariadb: time(0)"}, true},
		"another kind":      {"SELECT CEIL(x)", Difference{Kind: KindName, Detail: "isochron: integer, mariadb: time(0)"}, false},
		"another statement": {"SELECT 1", Difference{Kind: KindType, Detail: "isochron: integer, mariadb: time(0)"}, false},
		"another answer":    {"SELECT CEIL(x)", Difference{Kind: KindType, Detail: "isochron: time, mariadb: integer"}, false},
	} {
		if hit := reasonFor(list, c.statement, c.d) != nil; hit != c.hit {
			t.Errorf("%s: %v", name, hit)
		}
	}
}

func TestReasonsAreRefused(t *testing.T) {
	for name, line := range map[string]string{
		"fields":     "value\tx\n",
		"a kind":     strings.Replace(good, "value,type", "wrong", 1),
		"a pattern":  strings.Replace(good, "CEIL", "(", 1),
		"a side":     strings.Replace(good, "isochron\t", "mariadb\t", 1),
		"no section": strings.Replace(good, "12.6.2", "", 1),
		"too many":   strings.Repeat(good, reasonLinesMax+1),
	} {
		if _, err := readReasons(line); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTheListIsRead(t *testing.T) {
	if _, err := readReasons(reasonsText); err != nil {
		t.Error(err)
	}
}
