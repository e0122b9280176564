package sourcedb

import (
	"bytes"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// A bytea value is sent as its bytes. In text form PostgreSQL would interpret \x41 and other backslash sequences, and
// refuse bytes that are not text. Only the server knows which values are for a bytea. So a statement with a value
// that differs in text form is described by the server first, at the cost of a trip.

// byteaOID is the server's number of the type.
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

// formats returns for each value whether it is sent as bytes.
func formats(d *pgconn.StatementDescription) []int16 {
	out := make([]int16, len(d.ParamOIDs))
	for i, oid := range d.ParamOIDs {
		if oid == byteaOID {
			out[i] = 1
		}
	}
	return out
}

// queue adds a statement to a pipeline: as described, unless as is nil.
func queue(p *pgconn.Pipeline, s source.Statement, as []int16) {
	if as == nil {
		p.SendQueryParams(s.Text, s.Args, nil, nil, nil)
		return
	}
	p.SendQueryPrepared("", s.Args, as, nil)
}

// described sends the preceding text and has the server describe the statement. It waits for the reply; an error is
// the statement's.
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
