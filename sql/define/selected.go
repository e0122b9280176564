package define

import (
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// Selected is a column of the query that fills a new table.
type Selected struct {
	Name string
	Type expr.Type
	// Table and Column: it is a column of a table as it is; Table nil: it is computed.
	Table  *catalog.Descriptor
	Column int
	// Literal: it is a constant, of so many characters if it is a text.
	Literal bool
	Length  int
}

// Select takes in the columns of the query that fills the table. They stand behind those that it does not name, in its order.
func (s *CreateTable) Select(list []Selected) error {
	var out []Column
	for _, f := range list {
		if slices.ContainsFunc(out, func(c Column) bool { return strings.EqualFold(c.Name, f.Name) }) {
			return expr.NewError(1060, "42S21", "Duplicate column name '%s'", f.Name)
		}
		if at := slices.IndexFunc(s.Columns, func(c Column) bool { return strings.EqualFold(c.Name, f.Name) }); at >= 0 {
			out = append(out, s.Columns[at])
			s.Columns = slices.Delete(s.Columns, at, at+1)
			continue
		}
		made := f.definition()
		out = append(out, Column{Name: f.Name, Null: NullUnsaid, made: &made})
	}
	s.Columns = append(s.Columns, out...)
	return nil
}

// definition is the column that holds such values.
func (f *Selected) definition() catalog.ColumnDefinition {
	if f.Table != nil {
		return f.copied()
	}
	t := &f.Type
	out := catalog.ColumnDefinition{Name: f.Name, Nullable: t.Nullable()}
	text := func(characters int) {
		out.Type, out.Collation = textType(characters), uint16(t.Collation())
		if id, err := supported(out.Collation, ""); err != nil || id == binaryCollation {
			out.Collation = 255
		}
		out.Type = withCollation(out.Type, out.Collation)
	}
	switch k := t.Type(); {
	case k == sqltypes.Null:
		out.Type, out.Collation, out.Nullable = "binary(1)", binaryCollation, true
	case f.Literal && k == sqltypes.Int64:
		out.Type, out.Declared = "int", true
	case sqltypes.IsIntegral(k) && k != sqltypes.Year:
		out.Type, out.Declared = integerType(k), true
	case k == sqltypes.Year:
		out.Type = "year"
	case k == sqltypes.Float32:
		out.Type, out.Declared = "float", true
	case sqltypes.IsFloat(k):
		out.Type, out.Declared = "double", true
	case sqltypes.IsDecimal(k):
		scale := min(max(int(t.Scale()), 0), 30)
		out.Type = fmt.Sprintf("decimal(%d,%d)", min(max(int(t.Size()), scale, 1), 65), scale)
	case k == sqltypes.Date:
		out.Type = "date"
	case k == sqltypes.Time, k == sqltypes.Datetime, k == sqltypes.Timestamp:
		out.Type = strings.ToLower(k.String())
		if digits := int(t.Size()); digits > 0 && digits <= 6 {
			out.Type += fmt.Sprintf("(%d)", digits)
		}
		out.Declared = k == sqltypes.Time
	case k == sqltypes.TypeJSON:
		out.Type = "json"
	case k == sqltypes.Bit:
		out.Type = fmt.Sprintf("bit(%d)", min(max(int(t.Size()), 1), 64))
	case f.Literal && f.Length > 0 && sqltypes.IsText(k):
		text(f.Length)
	case sqltypes.IsBinary(k):
		out.Type, out.Collation = bytesType(int(t.Size())), binaryCollation
	default:
		text(int(t.Size()))
	}
	if !out.Nullable && out.Default == nil {
		out.Default = zeroOf(&out)
	}
	return out
}

// copied is a column of a table without its number, its keys and what computes it.
func (f *Selected) copied() catalog.ColumnDefinition {
	of := f.Table.Record.Definition().Columns[f.Column]
	of.Name, of.PrimaryKey, of.Generated, of.Virtual, of.OnUpdate = f.Name, false, nil, false, nil
	of.Nullable = of.Nullable || f.Type.Nullable()
	if of.AutoInc {
		of.AutoInc, of.Extra = false, ""
		zero := "0"
		of.Default = &zero
	}
	return of
}

func integerType(k sqltypes.Type) string {
	name := map[sqltypes.Type]string{
		sqltypes.Int8: "tinyint", sqltypes.Int16: "smallint", sqltypes.Int24: "mediumint", sqltypes.Int32: "int", sqltypes.Uint8: "tinyint unsigned",
		sqltypes.Uint16: "smallint unsigned", sqltypes.Uint24: "mediumint unsigned", sqltypes.Uint32: "int unsigned", sqltypes.Uint64: "bigint unsigned",
	}[k]
	if name == "" {
		return "bigint"
	}
	return name
}

// textType is a type of texts that have so many characters at most; 0: their number is not known.
func textType(characters int) string {
	switch {
	case characters > 0 && characters <= 16383:
		return fmt.Sprintf("varchar(%d)", characters)
	case characters > 0 && characters < 1<<22:
		return "mediumtext"
	}
	return "longtext"
}

func bytesType(size int) string {
	switch {
	case size > 0 && size <= 65535:
		return fmt.Sprintf("varbinary(%d)", size)
	case size > 0 && size < 1<<24:
		return "mediumblob"
	}
	return "longblob"
}

// zeroOf is the default of a column without NULL that a query has made, where MySQL gives it one.
func zeroOf(c *catalog.ColumnDefinition) *string {
	base, _, _ := strings.Cut(c.Type, "(")
	zero := "''"
	switch base, _, _ = strings.Cut(base, " "); base {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "float", "double", "bit":
		zero = "0"
	case "decimal":
		_, digits, _ := strings.Cut(c.Type, ",")
		n := 0
		if _, err := fmt.Sscanf(digits, "%d)", &n); err == nil && n > 0 {
			zero = "0." + strings.Repeat("0", n)
		} else {
			zero = "0"
		}
	case "varchar":
	default:
		return nil
	}
	return &zero
}
