package sql

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"google.golang.org/protobuf/proto"
	vtsqltypes "vitess.io/vitess/go/sqltypes"
	vtquery "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/expr"
	"isochron/sql/rounds"
	"isochron/sql/wire"
)

// takenParameters are values that were taken out of a text, by the names of their places.
func takenParameters(taken []sqlparser.Expr) (values map[string]*vtquery.BindVariable, key string, ok bool) {
	values = make(map[string]*vtquery.BindVariable, len(taken))
	for i, e := range taken {
		lit, ok := e.(*sqlparser.SQLVal)
		if !ok {
			return nil, "", false
		}
		v := &vtquery.BindVariable{Value: lit.Val}
		switch lit.Type {
		case sqlparser.IntVal:
			v.Type = vtquery.Type_INT64
			if _, err := strconv.ParseInt(string(lit.Val), 10, 64); err != nil {
				v.Type = vtquery.Type_UINT64
				if _, err := strconv.ParseUint(string(lit.Val), 10, 64); err != nil {
					v.Type = vtquery.Type_DECIMAL
				}
			}
		case sqlparser.FloatVal:
			v.Type = vtquery.Type_DECIMAL
			for _, c := range lit.Val {
				if c == 'e' || c == 'E' {
					v.Type = vtquery.Type_FLOAT64
				}
			}
		case sqlparser.StrVal:
			v.Type = vtquery.Type_VARCHAR
		default:
			return nil, "", false
		}
		values[paramName(i)] = v
		key += parameterKey(v)
	}
	return values, key, true
}

// sentParameters are the values of an execution that was read from its bytes.
func sentParameters(sent []wire.Parameter) (values map[string]*vtquery.BindVariable, key string) {
	values = make(map[string]*vtquery.BindVariable, len(sent))
	var types strings.Builder
	for i := range sent {
		p := &sent[i]
		v := &vtquery.BindVariable{Value: p.Text()}
		switch _, whole := p.Integer(); {
		case p.Null:
			v.Type = vtsqltypes.Null
		case p.Float():
			v.Type = vtsqltypes.Float64
		case p.Decimal() && isDecimal(v.Value):
			v.Type = vtsqltypes.Decimal
		case p.Bytes():
			v.Type = vtsqltypes.VarBinary
		case !whole:
			v.Type = parameterType(vtsqltypes.VarBinary, v.Value)
		case p.Unsigned:
			v.Type = vtsqltypes.Uint64
		default:
			v.Type = vtsqltypes.Int64
		}
		values[paramName(i)] = v
		types.WriteString(parameterKey(v))
	}
	return values, types.String()
}

// parameterKey distinguishes the types of values: decimals also by their scale, on which those of results depend.
func parameterKey(v *vtquery.BindVariable) string {
	if v.Type != vtquery.Type_DECIMAL {
		return v.Type.String() + ","
	}
	_, scale := digitsOf(v)
	return v.Type.String() + strconv.Itoa(int(scale)) + ","
}

// isDecimal reports whether a text is a number without an exponent, of at most the digits that a decimal can have.
func isDecimal(b []byte) bool {
	const most = 65
	text := strings.TrimPrefix(string(b), "-")
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	return digits != "" && len(digits) <= most && len(fraction) <= 30 && strings.Trim(digits, "0123456789") == ""
}

// digitsOf are the digits of a decimal value, and those behind its point; none of others.
func digitsOf(v *vtquery.BindVariable) (size, scale int32) {
	if v.Type != vtquery.Type_DECIMAL {
		return 0, 0
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(string(v.Value), "-+"), ".")
	return int32(max(len(whole)+len(fraction), 1)), int32(len(fraction))
}

// parameterType is the type of a parameter: clients send text as bytes.
func parameterType(t vtsqltypes.Type, value []byte) vtsqltypes.Type {
	switch {
	case vtsqltypes.IsSigned(t):
		return vtsqltypes.Int64
	case vtsqltypes.IsUnsigned(t):
		return vtsqltypes.Uint64
	case vtsqltypes.IsFloat(t):
		return vtsqltypes.Float64
	case vtsqltypes.IsText(t) || vtsqltypes.IsBinary(t):
		if utf8.Valid(value) {
			return vtsqltypes.VarChar
		}
		return vtsqltypes.VarBinary
	}
	return t
}

// coreResult is a batch of rows as the wire library sends them.
func coreResult(fields []*querypb.Field, of []rounds.Field, rows [][]expr.Value, shown func(expr.Value, expr.Type) []byte) *sqltypes.Result {
	width := len(fields)
	memory := make([]sqltypes.Value, len(rows)*width)
	r := &sqltypes.Result{Fields: fields, Rows: make([][]sqltypes.Value, len(rows)), RowsAffected: uint64(len(rows))}
	for i, row := range rows {
		out := memory[i*width : (i+1)*width : (i+1)*width]
		for j := range out {
			if v := row[j]; !v.IsNull() {
				out[j] = sqltypes.MakeTrusted(fields[j].Type, shown(v, of[j].Type))
			}
		}
		r.Rows[i] = out
	}
	return r
}

// valueFields are the fields with the types of the values of the first row where they are of another family than
// declared: the engine's types of some functions are not those of their values, and clients read binary values by them.
func valueFields(fields []*querypb.Field, rows [][]expr.Value) []*querypb.Field {
	out := fields
	for i, f := range fields {
		v := firstValue(rows, i)
		same := v.IsNull() || familyOf(vtsqltypes.Type(f.Type)) == familyOf(v.Type())
		fraction := v.Type() == vtsqltypes.Time && f.Decimals == 0 && hasFraction(rows, i)
		if same && !fraction {
			continue
		}
		if &out[0] == &fields[0] {
			out = slices.Clone(fields)
		}
		changed := proto.Clone(f).(*querypb.Field)
		if !same {
			changed.Type = wireType(v.Type())
		}
		if fraction {
			changed.Decimals = fractionDigits
		}
		out[i] = changed
	}
	return out
}

// hasFraction reports whether a time of a column has a fraction: clients of the binary protocol write as many digits as the
// field says.
func hasFraction(rows [][]expr.Value, column int) bool {
	return slices.ContainsFunc(rows, func(row []expr.Value) bool { return bytes.IndexByte(row[column].Raw(), '.') >= 0 })
}

func firstValue(rows [][]expr.Value, column int) expr.Value {
	for _, row := range rows {
		if !row[column].IsNull() {
			return row[column]
		}
	}
	return expr.Null
}

// familyOf are the types that the binary protocol writes alike.
func familyOf(t vtsqltypes.Type) int {
	switch {
	case vtsqltypes.IsUnsigned(t):
		return 1
	case vtsqltypes.IsSigned(t):
		return 2
	case vtsqltypes.IsFloat(t):
		return 3
	case t == vtsqltypes.Time:
		return 4
	case t == vtsqltypes.Date || t == vtsqltypes.Datetime || t == vtsqltypes.Timestamp:
		return 5
	}
	return 0 // as text
}

// coreFields describes the result to a client.
func coreFields(s *Session, p *rounds.Plan) []*querypb.Field { return fieldsOf(s, p.Fields()) }

// fieldsOf describes columns of an answer.
func fieldsOf(s *Session, fields []rounds.Field) []*querypb.Field {
	out := make([]*querypb.Field, len(fields))
	for i, f := range fields {
		if f.Source != nil {
			out[i] = columnField(s, f)
		} else {
			out[i] = exprField(s, f)
		}
	}
	return out
}

// columnField describes a column of a table.
func columnField(s *Session, f rounds.Field) *querypb.Field {
	d := f.Source.Table
	c := d.Schema.Schema[f.Column]
	out := exprField(s, f)
	out.OrgName, out.Table, out.OrgTable, out.Database = c.Name, f.Source.Alias, d.Record.Name, d.Record.Database
	out.Type = c.Type.Type()
	out.ColumnLength = c.Type.MaxTextResponseByteLength(s.quiet)
	if c.AutoIncrement {
		out.Flags |= uint32(querypb.MySqlFlag_AUTO_INCREMENT_FLAG)
	}
	if c.PrimaryKey {
		out.Flags |= uint32(querypb.MySqlFlag_PRI_KEY_FLAG)
	}
	if t, ok := c.Type.(gms.DatetimeType); ok {
		out.Decimals = uint32(t.Precision())
	}
	if types.IsTimespan(c.Type) && !d.Shown(f.Column).Declared {
		out.Decimals = 0 // its digits are those of the values
	}
	return out
}

// exprField describes an expression.
func exprField(s *Session, f rounds.Field) *querypb.Field {
	t := f.Type
	out := &querypb.Field{Name: f.Name, Type: wireType(t.Type()), Charset: uint32(mysql.CharacterSetBinary)}
	if !t.Nullable() {
		out.Flags |= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
	}
	switch k := t.Type(); {
	case vtsqltypes.IsText(k) || k == vtsqltypes.Enum || k == vtsqltypes.Set:
		out.Charset = uint32(s.coreSettings().collation)
		out.ColumnLength = textLength(t.Size())
	case k == vtsqltypes.TypeJSON:
		out.ColumnLength = 1<<32 - 1
	case vtsqltypes.IsBinary(k):
		out.ColumnLength = max(uint32(t.Size()), 1<<16-1)
		out.Flags |= uint32(querypb.MySqlFlag_BINARY_FLAG)
	case vtsqltypes.IsDecimal(k):
		out.Decimals = uint32(t.Scale())
		out.ColumnLength = uint32(max(t.Size(), t.Scale())) + 2
	case vtsqltypes.IsFloat(k):
		out.Decimals, out.ColumnLength = uint32(expr.Decimals(t)), 23
	case k == vtsqltypes.Datetime || k == vtsqltypes.Timestamp || k == vtsqltypes.Time:
		out.Decimals, out.ColumnLength = uint32(t.Size()), 26
	default:
		out.ColumnLength = 21
	}
	if set := s.coreSettings().results; set.of != nil && isCharacters(t.Type()) {
		out.Charset = set.collation
	}
	if vtsqltypes.IsUnsigned(t.Type()) {
		out.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
	}
	return out
}

// textLength is the longest text of so many characters, in bytes; 0: it is not known.
func textLength(characters int32) uint32 {
	if characters <= 0 || characters > 1<<28 {
		return 1<<16 - 1
	}
	return uint32(characters) * 4
}

// wireType is a type as clients know it.
func wireType(t vtsqltypes.Type) querypb.Type {
	switch t {
	case vtsqltypes.HexNum, vtsqltypes.HexVal, vtsqltypes.BitNum:
		return sqltypes.VarBinary
	case vtsqltypes.Unknown, vtsqltypes.Expression, vtsqltypes.Tuple:
		return sqltypes.VarChar
	}
	return querypb.Type(t)
}
