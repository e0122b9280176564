package legacy

import (
	"fmt"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/coltype"
)

// The engine's types lack what some definitions say: the digits of a TIME, the decimals of a DOUBLE(8,2), the width of an
// INT(5) ZEROFILL. The text of such a type travels through the engine in the column's comment, behind a mark that no
// client can write, and is the type that the catalogue stores.
const (
	typeMark    = "\x00type:"
	typeMarkEnd = "\x00"
)

// DeclareType has a column's definition keep what the engine's type would lose.
func DeclareType(t *sqlparser.ColumnType) {
	name := strings.ToLower(t.Type)
	if t.Comment != nil && strings.HasPrefix(string(t.Comment.Val), typeMark) {
		return
	}
	text := ""
	switch name {
	case "time":
		if digits := literalNumber(t.Length, 0); digits < 0 || digits > 6 {
			return // the engine refuses it
		} else if text = name; digits > 0 {
			text = fmt.Sprintf("time(%d)", digits)
		}
		t.Length = nil
	case "tinyint", "smallint", "mediumint", "int", "integer", "bigint":
		if t.Zerofill {
			t.Unsigned = true
			if name == "integer" {
				name = "int"
			}
			text = fmt.Sprintf("%s(%d) unsigned zerofill", name, min(max(literalNumber(t.Length, widths[name]), 0), 255))
		}
	case "float", "double", "real", "double precision":
		if t.Scale != nil {
			if name != "float" {
				name = "double"
			}
			text = fmt.Sprintf("%s(%d,%d)", name, literalNumber(t.Length, 0), literalNumber(t.Scale, 0))
			t.Length, t.Scale = nil, nil
		}
	default:
		return
	}
	comment := ""
	if t.Comment != nil {
		comment = string(t.Comment.Val)
	}
	t.Comment = sqlparser.NewStrVal([]byte(typeMark + text + typeMarkEnd + comment))
}

// widths are those of whole numbers that are defined without one.
var widths = map[string]int{"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 20}

func literalNumber(v *sqlparser.SQLVal, absent int) int {
	if v == nil {
		return absent
	}
	n, err := strconv.Atoi(string(v.Val))
	if err != nil {
		return -1
	}
	return n
}

// declaredType is the type that a comment carries, and the comment itself. ok is false if it carries none: the column is
// one that the engine has copied.
func declaredType(comment string) (text, rest string, ok bool) {
	marked, ok := strings.CutPrefix(comment, typeMark)
	if !ok {
		return "", comment, false
	}
	text, rest, _ = strings.Cut(marked, typeMarkEnd)
	return text, rest, true
}

// Declare gives a column that the engine has copied from another table the type that the other has there, which may say more
// than the engine's: its text.
func Declare(c, other *gms.Column, text string) {
	if !strings.HasPrefix(c.Comment, typeMark) && other.Type.Equals(c.Type) {
		c.Comment = typeMark + text + typeMarkEnd + c.Comment
	}
}

// DeclareDigits gives a column of type TIME its digits.
func DeclareDigits(c *gms.Column, digits int) {
	if text := "time"; !strings.HasPrefix(c.Comment, typeMark) {
		if digits > 0 {
			text = fmt.Sprintf("time(%d)", digits)
		}
		c.Comment = typeMark + text + typeMarkEnd + c.Comment
	}
}

// shown is how values of a stored type are shown.
func shown(declared bool, t *sqlparser.ColumnType) coltype.Shown {
	if !declared {
		return coltype.Shown{}
	}
	switch strings.ToLower(t.Type) {
	case "time":
		return coltype.Shown{Digits: literalNumber(t.Length, 0), Declared: true}
	case "float", "double":
		if t.Scale != nil {
			return coltype.Shown{Digits: literalNumber(t.Scale, 0), Declared: true}
		}
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		if t.Zerofill {
			return coltype.Shown{Width: literalNumber(t.Length, 0)}
		}
	}
	return coltype.Shown{}
}
