package expr

import (
	"errors"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/icuregex"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// Error is an error with MySQL's number and SQLSTATE.
type Error struct {
	Code    int
	State   string
	Message string
}

func (e *Error) Error() string { return e.Message }

func newError(code int, state, format string, args ...any) *Error {
	return &Error{code, state, fmt.Sprintf(format, args...)}
}

// NewError is an error with a number of MySQL.
func NewError(code int, state, format string, args ...any) *Error {
	return newError(code, state, format, args...)
}

// converted is an error of the engine with MySQL's number; errors of this package stay as they are.
func converted(err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return e
	}
	switch text := err.Error(); {
	case strings.HasPrefix(text, "COLLATION '"):
		return &Error{1253, "42000", text}
	case strings.HasPrefix(text, "Binary operands of"):
		return newError(3513, "HY000", "%s", text)
	case strings.HasPrefix(text, "Cannot convert string "):
		return newError(3854, "HY000", "%s", text)
	}
	var match *icuregex.MatchError
	if errors.As(err, &match) {
		return regexpError(err)
	}
	if e, ok := sqlerror.NewSQLErrorFromError(err).(*sqlerror.SQLError); ok {
		if e.Num == sqlerror.ERWrongValue && strings.Contains(e.Message, "for function") {
			return &Error{1411, "HY000", e.Message}
		}
		return &Error{int(e.Num), e.State, e.Message}
	}
	return &Error{1105, "HY000", err.Error()}
}

// Panic is the error of an expression at whose values the engine or a function panics. Its reason and stack are not for clients.
type Panic struct {
	Reason string
	Stack  string
}

func (*Panic) Error() string { return "an expression cannot be computed for its values" }

// Unsupported is the error of Compile for an expression that neither the engine nor this package computes.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return "not computed here: " + u.What }
