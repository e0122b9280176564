package main

import (
	"strings"
	"testing"
)

func wide() *Node {
	items := list(1, ", ", column("a"), expr("ABS()", "ABS(%)", expr("POW()", "POW(%, %)", expr("+", "% + %", column("b"), literal("7")), literal("2"))), column("c"))
	where := optional(fill(" WHERE %", expr("=", "% = %", column("d"), literal("'x'"))))
	return fill("SELECT % FROM t%%", items, where, optional(text(" ORDER BY a")))
}

func TestShrinkKeepsWhatIsSeen(t *testing.T) {
	for seen, want := range map[string]string{
		"POW":      "SELECT POW(b, 2) FROM t",
		"b +":      "SELECT b + 7 FROM t",
		"WHERE":    "SELECT c FROM t WHERE d",
		"ORDER BY": "SELECT c FROM t ORDER BY a",
	} {
		tree := wide()
		before := tree.Text()
		got := shrink(tree, 100, func(n *Node) bool { return strings.Contains(n.Text(), seen) })
		if got.Text() != want {
			t.Errorf("%s: %s, want %s", seen, got.Text(), want)
		}
		if tree.Text() != before {
			t.Errorf("the given tree was changed to %s", tree.Text())
		}
	}
}

func TestShrinkIsBounded(t *testing.T) {
	tried := 0
	shrink(wide(), 5, func(*Node) bool { tried++; return false })
	if tried != 5 {
		t.Errorf("%d trials, not 5", tried)
	}
}

// The columns and the values of an INSERT are removed together.
func TestShrinkRemovesLinkedParts(t *testing.T) {
	columns := &Node{List: true, Sep: ", ", Min: 1, Link: "columns", Kids: []*Node{text("a"), text("b"), text("c")}}
	values := &Node{List: true, Sep: ", ", Min: 1, Link: "columns", Kids: []*Node{literal("1"), literal("2"), literal("3")}}
	tree := fill("INSERT INTO t (%) VALUES (%)", columns, values)
	got := shrink(tree, 100, func(n *Node) bool { return strings.Contains(n.Text(), "2") }).Text()
	if got != "INSERT INTO t (b) VALUES (2)" {
		t.Error(got)
	}
	if tree.Text() != "INSERT INTO t (a, b, c) VALUES (1, 2, 3)" {
		t.Error("the given tree was changed to ", tree.Text())
	}
}

func TestParametersTakeThePlaceOfLiterals(t *testing.T) {
	s, args := wide().Prepared()
	if s != "SELECT a, ABS(POW(b + ?, ?)), c FROM t WHERE d = ? ORDER BY a" || len(args) != 3 || args[0].Value != "7" || args[2].Value != "x" {
		t.Error(s, args)
	}
}

func TestTypesOfLiterals(t *testing.T) {
	for text, want := range map[string]Literal{
		"1": {typeLongLong, "1"}, "-1": {typeLongLong, "-1"}, "18446744073709551615": {typeUnsigned, "18446744073709551615"},
		"18446744073709551616": {typeDecimal, "18446744073709551616"}, "1.50": {typeDecimal, "1.50"}, "1e3": {typeDouble, "1e3"},
		"'it''s'": {typeVarString, "it's"}, "x'00ff'": {typeBlob, "\x00\xff"}, "NULL": {typeNull, ""},
	} {
		if n := literal(text); n.Literal == nil || *n.Literal != want {
			t.Errorf("%s: %v, want %v", text, n.Literal, want)
		}
	}
	for _, text := range []string{"DATE'2024-01-01'", "TRUE", "0x61", "b'1'", "n"} {
		if n := literal(text); n.Literal != nil {
			t.Errorf("%s: %v, want none", text, n.Literal)
		}
	}
}
