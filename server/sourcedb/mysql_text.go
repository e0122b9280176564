package sourcedb

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"isochron/source"
	"isochron/txn"
)

// One trip to a MariaDB or MySQL, and why a statement cannot smuggle in another.
//
// A connection accepts several statements in one packet, since XA START must not cost a trip. A client's statement
// must then not bring a second one. One without a semicolon cannot. Every other goes as a string to the server's own
// PREPARE, which refuses all but a single statement, and is run by EXECUTE: in the same trip, with a result as text
// too. A statement whose placeholders the Go driver might find elsewhere than the server goes the same way.

// mysqlFormat is the format number in our XA names: the letters ISO1. It fits four bytes, as MariaDB's binary log
// requires.
const mysqlFormat = 0x49534f31

// xid returns a branch's name as XA statements have it.
func xid(n source.Name) string {
	return fmt.Sprintf("'%s','%s',%d", n.Global(), n.Qualifier(), mysqlFormat)
}

// handle is the name of the prepared statement, and of the variables for its values.
const handle = "isochron_s"

// clientText returns a client's statement, so that it may follow others in a packet, with its values.
func clientText(s source.Statement) (text string, args []driver.NamedValue) {
	values, plain := make([]driver.Value, len(s.Args)), !strings.Contains(s.Text, ";")
	for i, v := range s.Args {
		if v == nil {
			continue
		}
		values[i] = string(v)
		if s.Kind(i) == txn.ArgNumber {
			n, whole := number(string(v))
			plain = plain && whole
			values[i] = n
		}
	}
	if len(values) > 0 {
		// Backslashes and comments are where two parsers could differ about quoting.
		plain = plain && strings.Count(s.Text, "?") == len(values) && !strings.ContainsAny(s.Text, "\\#") &&
			!strings.Contains(s.Text, "--") && !strings.Contains(s.Text, "/*")
	}
	if plain {
		return s.Text, named(values)
	}
	text = "PREPARE " + handle + " FROM ?; "
	using := make([]string, len(values))
	own := []driver.Value{s.Text}
	for i, v := range values {
		using[i] = fmt.Sprintf("@%s%d", handle, i)
		if n, ok := v.(literal); ok {
			text += fmt.Sprintf("SET %s = %s; ", using[i], n)
			continue
		}
		text += fmt.Sprintf("SET %s = ?; ", using[i])
		own = append(own, v)
	}
	text += "EXECUTE " + handle
	if len(using) > 0 {
		text += " USING " + strings.Join(using, ", ")
	}
	return text, named(own)
}

// literal is a number that the Go driver cannot write exactly; it goes into our text.
type literal string

// numberPattern is SQL's form of a number.
var numberPattern = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?$`)

// number returns a number as a value; whole: the Go driver writes it unchanged and unquoted. It is a string if text
// is no number.
func number(text string) (v driver.Value, whole bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	if len(text) > 100 || !numberPattern.MatchString(text) {
		return text, true
	}
	return literal(text), false
}

func named(values []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(values))
	for i, v := range values {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

// onlyChanges reports whether a statement returns a count and never rows. For other statements without rows the
// count is queried.
func onlyChanges(text string) bool {
	if changes(text) {
		return !strings.Contains(strings.ToUpper(text), "RETURNING")
	}
	switch first, _ := firstWords(text); first {
	case "SAVEPOINT", "RELEASE", "ROLLBACK", "SET", "DO":
		return true
	}
	return false
}

// changes reports whether a statement changes rows, whether or not it returns them.
func changes(text string) bool {
	switch first, _ := firstWords(text); first {
	case "INSERT", "UPDATE", "DELETE", "REPLACE":
		return true
	}
	return false
}

// onlyReads reports whether a statement that returns rows has changed none.
func onlyReads(text string) bool {
	switch first, _ := firstWords(text); first {
	case "SELECT", "SHOW", "WITH", "VALUES", "TABLE", "EXPLAIN", "DESCRIBE", "DESC", "ANALYZE":
		return true
	}
	return false
}
