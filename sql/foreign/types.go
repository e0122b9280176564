package foreign

import (
	"strconv"
	"strings"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/dialect"
	"isochron/txn"
)

// word is a source's word for a type, taken apart: "character varying(20)" is its base and 20.
type word struct {
	base           string
	first, second  int // the numbers in brackets; -1: none
	unsigned, zone bool
	array          bool
}

// words are the words that were read: sources have few, and each answer has some.
var words struct {
	sync.RWMutex
	read map[string]word
}

// wordsMax bounds them; beyond it all are dropped.
const wordsMax = 4096

func read(text string) word {
	words.RLock()
	w, ok := words.read[text]
	words.RUnlock()
	if ok {
		return w
	}
	w = readAgain(text)
	words.Lock()
	defer words.Unlock()
	if words.read == nil || len(words.read) >= wordsMax {
		words.read = map[string]word{}
	}
	words.read[strings.Clone(text)] = w
	return w
}

func readAgain(text string) word {
	w := word{first: -1, second: -1}
	text = strings.ToLower(strings.TrimSpace(text))
	w.array = strings.HasSuffix(text, "[]")
	w.unsigned = strings.Contains(text, " unsigned")
	w.zone = strings.HasSuffix(text, " with time zone")
	base, rest, found := strings.Cut(text, "(")
	if found {
		inner, after, _ := strings.Cut(rest, ")")
		one, two, _ := strings.Cut(inner, ",")
		w.first, w.second = number(one), number(two)
		base += after
	}
	for _, more := range []string{" unsigned", " zerofill", " with time zone", " without time zone"} {
		base = strings.ReplaceAll(base, more, "")
	}
	w.base = strings.TrimSpace(base)
	return w
}

func number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return -1
	}
	return n
}

// Bounds of MySQL's types.
const (
	digitsMax   = 65
	scaleMax    = 30
	varcharMax  = 16383
	fractionMax = 6
)

// SQLType returns MySQL's type for a source's word, as it is written in a CREATE TABLE. Types that
// MySQL does not have are text.
func SQLType(of dialect.Dialect, text string) string {
	if of == dialect.MySQL {
		return mysqlType(text)
	}
	w := read(text)
	if w.array {
		return "longtext"
	}
	switch w.base {
	case "boolean":
		return "tinyint(1)"
	case "smallint", "bigint", "double precision", "date":
		return strings.TrimSuffix(w.base, " precision")
	case "integer":
		return "int"
	case "real":
		return "float"
	case "numeric", "decimal":
		if w.first < 0 || w.first > digitsMax || w.second > scaleMax || w.second > w.first {
			return "decimal(65,30)"
		}
		return "decimal(" + strconv.Itoa(w.first) + "," + strconv.Itoa(max(w.second, 0)) + ")"
	case "timestamp":
		return "datetime" + fraction(w)
	case "time":
		if w.zone {
			return "varchar(32)"
		}
		return "time" + fraction(w)
	case "character varying", "varchar":
		if w.first > 0 && w.first <= varcharMax {
			return "varchar(" + strconv.Itoa(w.first) + ")"
		}
	case "character", "char":
		if n := max(w.first, 1); n <= 255 {
			return "char(" + strconv.Itoa(n) + ")"
		}
	case "uuid":
		return "char(36)"
	case "bytea":
		return "longblob"
	case "json", "jsonb":
		return "json"
	}
	return "longtext"
}

func fraction(w word) string {
	if w.first < 0 || w.first > fractionMax {
		return "(6)"
	}
	if w.first == 0 {
		return ""
	}
	return "(" + strconv.Itoa(w.first) + ")"
}

// mysqlType is a MySQL source's own type, where this server has it.
func mysqlType(text string) string {
	switch w := read(text); w.base {
	case "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection", "vector":
		return "longblob"
	case "inet4", "inet6", "uuid":
		return "varchar(64)"
	case "year":
		return "year" // MariaDB reports year(4)
	}
	return text
}

// The numbers of collations that stand for character sets on the wire.
const (
	charsetUTF8   = 33
	charsetBinary = 63
)

// wireTypes are the types of the wire protocol for the bases of both dialects' words.
var wireTypes = map[string]querypb.Type{
	"boolean": sqltypes.Int8, "smallint": sqltypes.Int16, "integer": sqltypes.Int32, "bigint": sqltypes.Int64, "numeric": sqltypes.Decimal,
	"real": sqltypes.Float32, "double precision": sqltypes.Float64, "bytea": sqltypes.Blob, "date": sqltypes.Date, "json": sqltypes.TypeJSON, "jsonb": sqltypes.TypeJSON,
	"tinyint": sqltypes.Int8, "mediumint": sqltypes.Int24, "int": sqltypes.Int32, "float": sqltypes.Float32, "double": sqltypes.Float64, "decimal": sqltypes.Decimal,
	"datetime": sqltypes.Datetime, "timestamp": sqltypes.Timestamp, "time": sqltypes.Time, "year": sqltypes.Year, "bit": sqltypes.Bit,
	"blob": sqltypes.Blob, "tinyblob": sqltypes.Blob, "mediumblob": sqltypes.Blob, "longblob": sqltypes.Blob, "binary": sqltypes.Binary, "varbinary": sqltypes.VarBinary,
	"text": sqltypes.Text, "tinytext": sqltypes.Text, "mediumtext": sqltypes.Text, "longtext": sqltypes.Text, "char": sqltypes.Char, "null": sqltypes.Null,
	"geometry": sqltypes.Blob,
}

var unsignedTypes = map[querypb.Type]querypb.Type{
	sqltypes.Int8: sqltypes.Uint8, sqltypes.Int16: sqltypes.Uint16, sqltypes.Int24: sqltypes.Uint24, sqltypes.Int32: sqltypes.Uint32, sqltypes.Int64: sqltypes.Uint64,
}

// lengths are the lengths that MySQL reports for columns of these types.
var lengths = map[querypb.Type]uint32{
	sqltypes.Int8: 4, sqltypes.Int16: 6, sqltypes.Int24: 9, sqltypes.Int32: 11, sqltypes.Int64: 20, sqltypes.Uint8: 3, sqltypes.Uint16: 5, sqltypes.Uint24: 8,
	sqltypes.Uint32: 10, sqltypes.Uint64: 20, sqltypes.Float32: 12, sqltypes.Float64: 22, sqltypes.Date: 10, sqltypes.Datetime: 26, sqltypes.Timestamp: 26,
	sqltypes.Time: 17, sqltypes.Year: 4, sqltypes.Decimal: 67,
}

// Field describes a column of an answer as a MySQL client needs it.
func Field(of dialect.Dialect, c txn.Column) *querypb.Field {
	w := read(c.Type)
	t, ok := wireTypes[w.base]
	if of == dialect.Postgres && w.base == "timestamp" {
		t = sqltypes.Datetime
	}
	if !ok || w.array || w.base == "time" && w.zone {
		t = sqltypes.VarChar
	}
	f := &querypb.Field{Name: c.Name, OrgName: c.Name, Type: t, Charset: charsetUTF8, ColumnLength: 1 << 16}
	if u, ok := unsignedTypes[t]; ok && w.unsigned {
		f.Type = u
	}
	switch {
	case sqltypes.IsIntegral(f.Type), sqltypes.IsFloat(f.Type), f.Type == sqltypes.Decimal, f.Type == sqltypes.Date, f.Type == sqltypes.Datetime, f.Type == sqltypes.Timestamp, f.Type == sqltypes.Time, f.Type == sqltypes.Bit, sqltypes.IsBinary(f.Type):
		f.Charset = charsetBinary
		f.Flags |= uint32(querypb.MySqlFlag_BINARY_FLAG)
	}
	if n, ok := lengths[f.Type]; ok {
		f.ColumnLength = n
	}
	if f.Type == sqltypes.Decimal && w.first > 0 {
		f.ColumnLength, f.Decimals = uint32(w.first)+2, uint32(max(w.second, 0))
	}
	if sqltypes.IsFloat(f.Type) && f.Type != sqltypes.Decimal {
		f.Decimals = 31
	}
	if sqltypes.IsUnsigned(f.Type) {
		f.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
	}
	if !c.Null {
		f.Flags |= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
	}
	return f
}
