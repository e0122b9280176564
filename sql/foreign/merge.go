package foreign

import (
	"strconv"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/dialect"
	"isochron/txn"
)

// Answer is the client's answer.
type Answer struct {
	Fields   []*querypb.Field
	Rows     [][]sqltypes.Value
	Affected uint64
	InsertID uint64
}

// Merge makes one answer of what the sources said, in the order of the plan's statements.
func (p *Plan) Merge(results []txn.SourceResult, zone *time.Location) (*Answer, error) {
	a := &Answer{}
	if p.Changes {
		for i := range results {
			if !p.alike || i == 0 {
				a.Affected += p.counting[i].of(&results[i].Result)
			}
			if id := p.newNumber(i, &results[i].Result); id != 0 && a.InsertID == 0 {
				a.InsertID = id
			}
		}
		if !p.returns {
			return a, nil
		}
	}
	for i := range results {
		p.strip(i, &results[i].Result)
		if p.alike && p.returns && i > 0 {
			break
		}
		if i == 0 {
			for _, c := range results[i].Columns {
				a.Fields = append(a.Fields, Field(p.dialects[i], c))
			}
		}
		if len(results[i].Columns) != len(a.Fields) {
			return nil, refused("the sources' answers have different columns")
		}
		a.Rows = append(a.Rows, cells(p.dialects[i], &results[i].Result, a.Fields, zone)...)
	}
	p.join(a)
	a.fractions()
	return a, nil
}

// of returns the number of rows that a source has changed, as MySQL counts them.
func (c counting) of(r *txn.Result) (n uint64) {
	at := len(r.Columns) - 1
	if !c.byRow || at < 0 || r.Columns[at].Name != dialect.CountColumn {
		return uint64(max(r.Affected, 0))
	}
	for _, row := range r.Rows {
		times, _ := strconv.ParseUint(string(row[at]), 10, 8) // 0: it is no number
		n += times
	}
	return n + uint64(max(c.given-len(r.Rows), 0))
}

// strip takes away the columns of an answer that are not the client's.
func (p *Plan) strip(i int, r *txn.Result) {
	if !p.returns {
		return
	}
	for n := len(r.Columns) - 1; n >= 0 && (p.counting[i].byRow && r.Columns[n].Name == dialect.CountColumn || p.insertID[i] != "" && r.Columns[n].Name == p.insertID[i]); n-- {
		r.Columns = r.Columns[:n]
		for j := range r.Rows {
			r.Rows[j] = r.Rows[j][:n]
		}
	}
}

// fractions has the columns of times say how many digits of a second they have, by which the
// binary protocol is read.
func (a *Answer) fractions() {
	for c, f := range a.Fields {
		if f.Type != sqltypes.Datetime && f.Type != sqltypes.Timestamp && f.Type != sqltypes.Time {
			continue
		}
		for _, row := range a.Rows {
			if row[c].IsNull() {
				continue
			}
			_, part, _ := strings.Cut(row[c].ToString(), ".")
			f.Decimals = uint32(len(part))
			break
		}
	}
}

// newNumber is LAST_INSERT_ID of one source.
func (p *Plan) newNumber(i int, r *txn.Result) uint64 {
	if p.insertID[i] == "" || len(r.Rows) == 0 {
		return uint64(max(r.InsertID, 0))
	}
	for c, column := range r.Columns {
		if column.Name == p.insertID[i] && c < len(r.Rows[0]) {
			n, _ := strconv.ParseUint(string(r.Rows[0][c]), 10, 64) // 0: it is no number
			return n
		}
	}
	return 0
}

// cells are an answer's rows in MySQL's form.
func cells(of dialect.Dialect, r *txn.Result, fields []*querypb.Field, zone *time.Location) [][]sqltypes.Value {
	forms := make([]func([]byte) []byte, len(r.Columns))
	for c, column := range r.Columns {
		forms[c] = Form(of, column.Type, zone)
	}
	out := make([][]sqltypes.Value, len(r.Rows))
	all := make([]sqltypes.Value, len(r.Rows)*len(fields))
	for i, row := range r.Rows {
		out[i] = all[i*len(fields) : (i+1)*len(fields) : (i+1)*len(fields)]
		for c := range fields {
			v := row[c]
			if v == nil {
				continue
			}
			if forms[c] != nil {
				v = forms[c](v)
			}
			out[i][c] = sqltypes.MakeTrusted(fields[c].Type, v)
		}
	}
	return out
}

// Bytes is about what the answer holds.
func (a *Answer) Bytes() (n int64) {
	for _, row := range a.Rows {
		n += 48 * int64(len(row)+1)
		for _, v := range row {
			n += int64(v.Len())
		}
	}
	return n
}
