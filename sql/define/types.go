package define

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/collations"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/legacy"
)

// The collations that types have where nothing says another.
const (
	binaryCollation = 63
	// engineCollation is the collation that the stored text of a type does not write.
	engineCollation = "utf8mb4_0900_bin"
)

// collationOf is the collation that a definition says by its character set or collation; otherwise the given one.
func collationOf(charset, collation string, otherwise uint16) (uint16, error) {
	env := collations.MySQL8()
	if charset == "utf8" {
		charset = "utf8mb3"
	}
	collation = strings.Replace(collation, "utf8_", "utf8mb3_", 1)
	if charset != "" && charset != "default" {
		id := env.DefaultCollationForCharset(charset)
		if charset == "utf8mb4" {
			id = collations.CollationUtf8mb4ID
		}
		if id == collations.Unknown {
			return 0, expr.NewError(1115, "42000", "Unknown character set: '%s'", charset)
		}
		otherwise = uint16(id)
	}
	if collation == "" || collation == "default" {
		return supported(otherwise, charset)
	}
	id := env.LookupByName(collation)
	if id == collations.Unknown {
		return 0, expr.NewError(1273, "HY000", "Unknown collation: '%s'", collation)
	}
	if charset != "" && charset != "default" && env.LookupCharsetName(id) != charset {
		return 0, expr.NewError(1253, "42000", "COLLATION '%s' is not valid for CHARACTER SET '%s'", collation, charset)
	}
	return supported(uint16(id), collation)
}

// CollationOf is the collation of a database with such options; otherwise: where they say none.
func (o *Options) CollationOf(otherwise uint16) (uint16, error) {
	return collationOf(o.Charset, o.Collation, otherwise)
}

// supported is a collation whose order is known here.
func supported(id uint16, said string) (uint16, error) {
	if id == binaryCollation {
		return id, nil
	}
	name := collations.MySQL8().LookupName(collations.ID(id))
	if n, ok := legacy.CollationNamed(name); ok {
		return n, nil
	}
	if said == "" {
		said = name
	}
	return 0, expr.NewError(1273, "HY000", "Unknown collation: '%s'", said)
}

// into takes a type into the definition of a column of a table with a collation.
func (t *Type) into(out *catalog.ColumnDefinition, column string, table uint16) (err error) {
	if t.isText() {
		return t.textInto(out, column, table)
	}
	if t.Collation != "" {
		if _, err := collationOf("", t.Collation, table); err != nil {
			return err
		}
	}
	if _, whole := integers[t.Base]; whole {
		out.Type, out.Declared, err = t.whole(column)
		return err
	}
	switch t.Base {
	case "float", "double":
		out.Type, out.Declared, err = t.floating(column)
	case "decimal":
		out.Type, err = t.decimal(column)
	case "bit":
		if t.Length < 0 {
			t.Length = 1
		}
		if t.Length == 0 {
			return expr.NewError(3013, "HY000", "Invalid size for column '%s'.", column)
		}
		if t.Length > 64 {
			return expr.NewError(1439, "42000", "Display width out of range for column '%s' (max = 64)", column)
		}
		out.Type = fmt.Sprintf("bit(%d)", t.Length)
	case "time", "datetime", "timestamp":
		out.Type, err = t.digits(column)
		out.Declared = t.Base == "time"
	case "year":
		if out.Type = "year"; t.Length >= 0 && t.Length != 4 {
			return expr.NewError(1818, "HY000", "Supports only YEAR or YEAR(4) column.")
		}
	case "binary", "varbinary":
		out.Collation = binaryCollation
		out.Type, err = t.bytes(column)
	case "tinyblob", "blob", "mediumblob", "longblob":
		out.Collation = binaryCollation
		out.Type = t.large("blob", t.Length)
	default:
		out.Type = t.Base
	}
	return err
}

func (t *Type) whole(column string) (text string, declared bool, err error) {
	if t.Length > 255 {
		return "", false, expr.NewError(1439, "42000", "Display width out of range for column '%s' (max = 255)", column)
	}
	if t.Scale >= 0 {
		return "", false, expr.NewError(1064, "42000", "You have an error in your SQL syntax: %s takes no scale", t.Base)
	}
	switch text = t.Base; {
	case t.Zerofill:
		width := t.Length
		if width <= 0 {
			width = integers[t.Base]
		}
		return fmt.Sprintf("%s(%d) unsigned zerofill", t.Base, width), true, nil
	case t.Base == "tinyint" && t.Length == 1 && !t.Unsigned:
		text = "tinyint(1)"
	case t.Unsigned:
		text += " unsigned"
	}
	return text, !t.Boolean, nil
}

func (t *Type) floating(column string) (text string, declared bool, err error) {
	if t.Scale >= 0 {
		if t.Scale > 30 {
			return "", false, expr.NewError(1425, "42000", "Too big scale %d specified for column '%s'. Maximum is 30.", t.Scale, column)
		}
		if t.Length > 255 {
			return "", false, expr.NewError(1439, "42000", "Display width out of range for column '%s' (max = 255)", column)
		}
		if t.Scale > t.Length {
			return "", false, scaleBeyond(column)
		}
		return fmt.Sprintf("%s(%d,%d)", t.Base, t.Length, t.Scale), true, nil
	}
	if t.Length > 53 {
		return "", false, expr.NewError(1063, "42000", "Incorrect column specifier for column '%s'", column)
	}
	if t.Base == "float" && t.Length > 24 {
		return "double", true, nil
	}
	return t.Base, true, nil
}

func scaleBeyond(column string) error {
	return expr.NewError(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", column)
}

func (t *Type) decimal(column string) (string, error) {
	precision, scale := t.Length, max(t.Scale, 0)
	if precision <= 0 {
		precision = 10
	}
	switch {
	case scale > 30:
		return "", expr.NewError(1425, "42000", "Too big scale %d specified for column '%s'. Maximum is 30.", scale, column)
	case precision > 65:
		return "", expr.NewError(1426, "42000", "Too big precision %d specified for column '%s'. Maximum is 65.", precision, column)
	case scale > precision:
		return "", scaleBeyond(column)
	}
	return fmt.Sprintf("decimal(%d,%d)", precision, scale), nil
}

// digits is the type of a time with digits behind the second.
func (t *Type) digits(column string) (string, error) {
	if t.Length > 6 {
		return "", expr.NewError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 6.", t.Length, column)
	}
	if t.Length <= 0 {
		return t.Base, nil
	}
	return fmt.Sprintf("%s(%d)", t.Base, t.Length), nil
}

func (t *Type) bytes(column string) (string, error) {
	if t.Length < 0 {
		if t.Base == "varbinary" {
			return "", expr.NewError(1064, "42000", "You have an error in your SQL syntax: VARBINARY needs a length")
		}
		t.Length = 1
	}
	most := 255
	if t.Base == "varbinary" {
		most = 65535
	}
	if t.Length > most {
		return "", tooWide(column, most)
	}
	return fmt.Sprintf("%s(%d)", t.Base, t.Length), nil
}

func tooWide(column string, most int) error {
	return expr.NewError(1074, "42000", "Column length too big for column '%s' (max = %d); use BLOB or TEXT instead", column, most)
}

// large is the type of a TEXT or BLOB, which a length in bytes may choose.
func (t *Type) large(kind string, length int) string {
	if t.Base != kind || length < 0 {
		return t.Base
	}
	for _, size := range []struct {
		prefix string
		most   int
	}{{"tiny", 1<<8 - 1}, {"", 1<<16 - 1}, {"medium", 1<<24 - 1}} {
		if length <= size.most {
			return size.prefix + kind
		}
	}
	return "long" + kind
}

// textInto is into for types that have a character set.
func (t *Type) textInto(out *catalog.ColumnDefinition, column string, table uint16) error {
	charset := t.Charset
	if t.National {
		charset = "utf8mb3"
	}
	id, err := collationOf(charset, t.Collation, table)
	if err != nil {
		return err
	}
	env := collations.MySQL8()
	set := env.LookupCharsetName(collations.ID(id))
	if t.Binary && t.Collation == "" {
		if id, err = collationOf(set, set+"_bin", id); err != nil {
			return err
		}
	}
	if out.Collation = id; id == binaryCollation && len(t.Members) == 0 {
		return t.asBytes(out, column)
	}
	text, err := t.textual(column, charsetBytes(set))
	if err != nil {
		return err
	}
	out.Type = withCollation(text, id)
	return nil
}

// withCollation is a type with its character set and collation, as it is stored.
func withCollation(text string, id uint16) string {
	env := collations.MySQL8()
	set := env.LookupCharsetName(collations.ID(id))
	if set == "binary" {
		return text
	}
	if set != "utf8mb4" {
		text += " CHARACTER SET " + set
	}
	if name := env.LookupName(collations.ID(id)); name != engineCollation {
		text += " COLLATE " + name
	}
	return text
}

// asBytes makes a text of CHARACTER SET binary one of bytes.
func (t *Type) asBytes(out *catalog.ColumnDefinition, column string) error {
	plain := *t
	plain.Charset, plain.Collation = "", ""
	switch plain.Base = strings.Replace(t.Base, "text", "blob", 1); t.Base {
	case "char":
		plain.Base = "binary"
	case "varchar":
		plain.Base = "varbinary"
	}
	return plain.into(out, column, binaryCollation)
}

// charsetBytes are the most bytes that a character takes.
func charsetBytes(charset string) int {
	switch charset {
	case "utf8mb4", "utf16", "utf32", "utf16le", "gb18030":
		return 4
	case "utf8mb3", "ujis", "eucjpms":
		return 3
	case "ucs2", "sjis", "big5", "gbk", "gb2312", "euckr", "cp932":
		return 2
	}
	return 1
}

// textual is the type of a text without its character set.
func (t *Type) textual(column string, width int) (string, error) {
	switch t.Base {
	case "char":
		if t.Length > 255 {
			return "", tooWide(column, 255)
		}
		if t.Length < 0 {
			t.Length = 1
		}
		return fmt.Sprintf("char(%d)", t.Length), nil
	case "varchar":
		if t.Length < 0 {
			return "", expr.NewError(1064, "42000", "You have an error in your SQL syntax: VARCHAR needs a length")
		}
		if most := 65535 / width; t.Length > most {
			return "", tooWide(column, most)
		}
		return fmt.Sprintf("varchar(%d)", t.Length), nil
	case "enum", "set":
		return t.list(column)
	}
	if t.Length < 0 {
		return t.Base, nil
	}
	return t.large("text", t.Length*width), nil
}

// list is the type of an ENUM or SET.
func (t *Type) list(column string) (string, error) {
	if t.Base == "set" && len(t.Members) > 64 {
		return "", expr.NewError(1097, "HY000", "Too many strings for column %s and SET", column)
	}
	seen := map[string]bool{}
	var out strings.Builder
	for i, m := range t.Members {
		if t.Base == "set" && strings.Contains(m, ",") {
			return "", expr.NewError(1367, "22007", "Illegal set '%s' value found during parsing", m)
		}
		if len([]rune(m)) > 255 {
			return "", expr.NewError(3505, "HY000", "Too long enumeration/set value for column %s.", column)
		}
		key := strings.ToLower(m)
		if seen[key] && !t.Binary && !strings.HasSuffix(t.Collation, "_bin") {
			return "", expr.NewError(1291, "HY000", "Column '%s' has duplicated value '%s' in %s", column, m, strings.ToUpper(t.Base))
		}
		seen[key] = true
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(Quoted(m))
	}
	return t.Base + "(" + out.String() + ")", nil
}

// Quoted is a text as a literal.
func Quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}
