package sourcedb

import (
	"bytes"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// A value for a bytea goes as its bytes. As text PostgreSQL would read \x41 in it, and other
// sequences behind a backslash, as bytes, and refuse what is no text. Which values are for a bytea
// only the server can tell: so a statement with a value that says another thing as text is
// described by the server first, at the cost of a trip. Other values are the same in both forms.

// byteaOID is the server's number for the type.
const byteaOID = 17

// asksForTypes reports whether a statement has such a value.
func asksForTypes(s source.Statement) bool {
	for _, a := range s.Args {
		if bytes.ContainsAny(a, "\\\x00") || !utf8.Valid(a) {
			return true
		}
	}
	return false
}

// formats says of each value whether it goes as bytes.
func formats(d *pgconn.StatementDescription) []int16 {
	out := make([]int16, len(d.ParamOIDs))
	for i, oid := range d.ParamOIDs {
		if oid == byteaOID {
			out[i] = 1
		}
	}
	return out
}

// queue puts a statement into a pipeline: as it was described, unless as is nil.
func queue(p *pgconn.Pipeline, s source.Statement, as []int16) {
	if as == nil {
		p.SendQueryParams(s.Text, s.Args, nil, nil, nil)
		return
	}
	p.SendQueryPrepared("", s.Args, as, nil)
}

// described sends what stands before a statement, and has the server describe the statement. It
// waits for the answer: an error is the statement's own.
func described(p *pgconn.Pipeline, text string) ([]int16, error) {
	p.SendPrepare("", text, nil)
	if err := p.Sync(); err != nil {
		return nil, err
	}
	var out []int16
	for {
		got, err := p.GetResults()
		if err != nil {
			return nil, err
		}
		switch got := got.(type) {
		case *pgconn.ResultReader:
			if _, err := got.Close(); err != nil {
				return nil, err
			}
		case *pgconn.StatementDescription:
			out = formats(got)
		default: // the sync
			return out, nil
		}
	}
}
