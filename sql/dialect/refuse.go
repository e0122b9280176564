package dialect

import (
	"errors"
	"fmt"
)

// codeNotSupported is MySQL's ER_NOT_SUPPORTED_YET; codeSyntax is its ER_PARSE_ERROR.
const (
	codeNotSupported = 1235
	codeSyntax       = 1064
	codeNoColumn     = 1054 // ER_BAD_FIELD_ERROR
	codeTruncated    = 1292 // ER_TRUNCATED_WRONG_VALUE
)

// ErrNotTranslated is the refusal of a statement that has no right translation, or none yet.
type ErrNotTranslated struct {
	What    string  // the construct in the statement, such as "REPLACE into accounts"
	Reason  string  // a clause, such as "it has two unique keys"
	Instead string  // what may be written instead; may be empty
	To      Dialect // empty: it holds for a source of any kind, or the kind is not known yet
	// Unknown is a column that no table has. Nothing else but To is set then.
	Unknown string
	// Truncated: What is a text, beside a number in a change, that is no number.
	Truncated bool
}

func (e *ErrNotTranslated) Error() string {
	if e.Unknown != "" {
		return "Unknown column '" + e.Unknown + "' in the statement"
	}
	if e.Truncated {
		if e.What == "" {
			return "Truncated incorrect DOUBLE value"
		}
		return "Truncated incorrect DOUBLE value: '" + e.What + "'"
	}
	to := "a source"
	switch e.To {
	case MySQL:
		to = "a MySQL or MariaDB source"
	case Postgres:
		to = "a PostgreSQL source"
	}
	text := fmt.Sprintf("%s cannot be translated for %s: %s", e.What, to, e.Reason)
	if e.Instead != "" {
		text += ". " + e.Instead
	}
	return text
}

// Code is MySQL's number for it.
func (e *ErrNotTranslated) Code() uint16 {
	if e.Unknown != "" {
		return codeNoColumn
	}
	if e.Truncated {
		return codeTruncated
	}
	return codeNotSupported
}

// State is its SQLSTATE.
func (e *ErrNotTranslated) State() string {
	if e.Unknown != "" {
		return "42S22"
	}
	if e.Truncated {
		return "22007"
	}
	return "42000"
}

// ErrSyntax is the refusal of a text that is no statement, or one beyond the bounds.
type ErrSyntax struct{ Text string }

func (e *ErrSyntax) Error() string { return e.Text }

// Code is MySQL's number for it.
func (e *ErrSyntax) Code() uint16 { return codeSyntax }

// State is its SQLSTATE.
func (e *ErrSyntax) State() string { return "42000" }

func syntax(format string, args ...any) error {
	return &ErrSyntax{fmt.Sprintf("You have an error in your SQL syntax; "+format, args...)}
}

// refuse leaves the writer. It is caught at the package's doors (caught): a refusal may come
// from the depth of an expression, and nothing in between has anything to add to it.
func refuse(what, why, instead string) {
	panic(&ErrNotTranslated{What: what, Reason: why, Instead: instead})
}

// noColumn is refuse of a column that no table has.
func noColumn(name string) { panic(&ErrNotTranslated{Unknown: name}) }

// addressed is an error that names the kind of source for which a statement was refused.
func addressed(err error, to Dialect) error {
	var refusal *ErrNotTranslated
	if errors.As(err, &refusal) {
		refusal.To = to
	}
	return err
}

// caught puts a refusal that was thrown into err; any other panic continues.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case *ErrNotTranslated:
		*err = r
	default:
		panic(r)
	}
}
