package main

import (
	"slices"
	"testing"
)

func TestExpressionsWithoutAServer(t *testing.T) {
	a := evaluate(&Statement{Tree: text("SELECT 1.50 + 1, CONCAT('a', NULL), UPPER('b'), CAST(2 AS UNSIGNED)"), Mode: modeStrict})
	if a.Err != nil || len(a.Result.Rows) != 1 {
		t.Fatal(a)
	}
	if got := quoteRow(a.Result.Rows[0]); got != "\"2.50\"\tNULL\t\"B\"\t\"2\"" {
		t.Error(got)
	}
	var types []string
	for _, c := range a.Result.Columns {
		types = append(types, typeText(c))
	}
	if want := []string{"decimal(2)", "text", "text", "unsigned"}; !slices.Equal(types, want) {
		t.Errorf("%v, want %v", types, want)
	}
	if a := evaluate(&Statement{Tree: text("SELECT 1 +"), Mode: modeStrict}); a.Err == nil || a.Err.Code != 1064 {
		t.Error(a)
	}
	if a := evaluate(&Statement{Tree: text("SELECT 9223372036854775807 + 1"), Mode: modeStrict}); a.Err == nil || a.Err.Code != 1690 {
		t.Error(a)
	}
	if a := evaluate(&Statement{Tree: text("SELECT *"), Mode: modeStrict}); a.Lost == "" {
		t.Error("a panic is not caught: ", a)
	}
}
