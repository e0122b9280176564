package dialect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

// The parser's own writer puts collations and character sets into its text as they are, and they may
// have stood within quotes: then they can be any text. So each of them is checked, and only
// kinds of nodes that are known go to a source at all.

// check refuses a node that is not known to mean at a source what it means here.
func (w *mysqlWriter) check(n sqlparser.SQLNode) {
	switch n := n.(type) {
	case *sqlparser.Select, *sqlparser.Union, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.With, *sqlparser.CommonTableExpr, *sqlparser.SelectExprs,
		*sqlparser.AliasedExpr, *sqlparser.StarExpr, *sqlparser.OverClause, *sqlparser.WindowSpecification, sqlparser.NamedWindows, *sqlparser.NamedWindow,
		sqlparser.WindowDefinitions, *sqlparser.WindowDefinition, *sqlparser.FrameClause, *sqlparser.FramePoint, sqlparser.Columns, sqlparser.Partitions,
		*sqlparser.AliasedTableExpr, sqlparser.TableNames, sqlparser.TableName, *sqlparser.ParenTableExpr, sqlparser.TableExprs, *sqlparser.JoinCondition, *sqlparser.JoinTableExpr,
		sqlparser.IndexHints, *sqlparser.IndexHint, *sqlparser.Where, *sqlparser.GroupBy, sqlparser.OrderBy, *sqlparser.Order, *sqlparser.Limit, sqlparser.Values, *sqlparser.RowAlias,
		sqlparser.UpdateExprs, *sqlparser.UpdateExpr, sqlparser.OnDup, sqlparser.IdentifierCI, sqlparser.IdentifierCS, *sqlparser.DerivedTable, *sqlparser.When, *sqlparser.JSONObjectParam,
		*sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.ComparisonExpr, *sqlparser.BetweenExpr, *sqlparser.IsExpr, *sqlparser.ExistsExpr,
		*sqlparser.NullVal, sqlparser.BoolVal, sqlparser.ValTuple, *sqlparser.Subquery, *sqlparser.ValuesFuncExpr, *sqlparser.MatchExpr, *sqlparser.CaseExpr, *sqlparser.Literal,
		*sqlparser.Argument, *sqlparser.BinaryExpr, *sqlparser.UnaryExpr, *sqlparser.Default:
	case *sqlparser.CollateExpr:
		word(n.Collation)
	case *sqlparser.IntroducerExpr:
		word(n.CharacterSet)
	case *sqlparser.ConvertType:
		word(n.Type)
		word(n.Charset.Name)
	case *sqlparser.SelectInto:
		refuse("INTO", "a source's files and variables are not the client's", "")
	case *sqlparser.ColName:
		if name := fold(n.Name.String()); slices.Contains(ofMariaDB, name) && !w.has[name] {
			noColumn(name)
		}
	case *sqlparser.Variable:
		refuse("the variable "+textOf(n), "a variable is the session's, which the source does not have", "Give its value")
	case sqlparser.Expr:
		w.function(n)
	default:
		unknownNode(n)
	}
}

func unknownNode(n sqlparser.SQLNode) {
	refuse(fmt.Sprintf("a statement of this kind (%T)", n), "not all sources understand it, or alike", "")
}

// function refuses the call of a function that is not built in. LAST_INSERT_ID(x) returns x, which the
// source then reports as the new number.
func (w *mysqlWriter) function(x sqlparser.Expr) {
	switch x := x.(type) {
	case *sqlparser.ConvertUsingExpr:
		word(x.Type)
	case *sqlparser.CharExpr:
		word(x.Charset)
	}
	c, ok := callOf(x)
	switch {
	case !ok:
		unknownNode(x)
	case c.stored:
		refuse("the function "+c.name+"() of a database", "functions that a source has stored run with its agent's rights", "")
	case !w.opt.Server.has(MySQL, c.name) && !(c.name == "last_insert_id" && len(c.args) == 1):
		refuse(strings.ToUpper(c.name)+"()", "it is no function that this source's version has built in, and functions that a source has stored run with its agent's rights", "Ask for its value before, and write it out")
	}
}

// wordPattern matches names of the server's own.
var wordPattern = regexp.MustCompile(`^[A-Za-z0-9_ ]*$`)

func word(name string) {
	if !wordPattern.MatchString(name) {
		refuse("the name "+brief(name), "a server has none of that kind", "")
	}
}

// ofMariaDB are columns that a table with versions has without listing them, and one that
// represents a key.
var ofMariaDB = []string{"row_start", "row_end", "_rowid"}

// formatted is a tree as MySQL's text, with the client's values of its placeholders and their places.
func formatted(p parsed) (text string, args, places []int) {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		a, ok := n.(*sqlparser.Argument)
		if !ok {
			writeNode(buf, n)
			return
		}
		args, places = append(args, placeOf(a)), append(places, buf.Len())
		buf.WriteString("?")
	})
	buf.Myprintf("%v", p.stmt)
	if p.returning != nil {
		buf.Myprintf(" returning %v", p.returning.SelectExprs)
	}
	return buf.String(), args, places
}

// writeNode writes a node that the parser's writer would not write as it is read again.
func writeNode(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
	switch n := n.(type) {
	case sqlparser.IdentifierCI:
		myName(buf, n.String())
	case sqlparser.IdentifierCS:
		myName(buf, n.String())
	case sqlparser.TableName:
		if isDual(n) {
			buf.WriteString("dual")
			return
		}
		n.Format(buf)
	case *sqlparser.Default:
		buf.WriteString("default")
		if n.ColName != "" {
			buf.WriteByte('(')
			myName(buf, n.ColName)
			buf.WriteByte(')')
		}
	case *sqlparser.CollateExpr:
		buf.Myprintf("(%v) collate %s", n.Expr, n.Collation)
	case sqlparser.NamedWindows:
		buf.WriteString("window ")
		for i, w := range n {
			if i > 0 {
				buf.WriteString(", ")
			}
			buf.Myprintf("%v", w.Windows)
		}
	case *sqlparser.WindowSpecification:
		w := *n
		if len(w.PartitionClause) == 0 {
			w.PartitionClause = nil
		}
		w.Format(buf)
	case sqlparser.IndexHints:
		withoutLocks(n).Format(buf)
	case *sqlparser.Select:
		n.Format(buf)
		for _, l := range locksOf(n) {
			if l.of != nil {
				writeLock(buf, l)
			}
		}
	case *sqlparser.Union:
		writeUnion(buf, n)
	case *sqlparser.Delete:
		writeDelete(buf, n)
	default:
		n.Format(buf)
	}
}

// writeLock writes FOR UPDATE OF.
func writeLock(buf *sqlparser.TrackedBuffer, l tableLock) {
	before := " for update of "
	for _, name := range l.of {
		buf.WriteString(before)
		myName(buf, name)
		before = ", "
	}
	switch {
	case l.nowait:
		buf.WriteString(" nowait")
	case l.skips:
		buf.WriteString(" skip locked")
	}
}

// writeUnion writes a set operation.
func writeUnion(buf *sqlparser.TrackedBuffer, n *sqlparser.Union) {
	arm := func(s sqlparser.TableStatement) {
		if bare(n, s) {
			buf.Myprintf("%v", s)
		} else {
			buf.Myprintf("(%v)", s)
		}
	}
	if n.With != nil {
		buf.Myprintf("%v", n.With)
	}
	arm(n.Left)
	if n.Right != nil {
		buf.WriteString(" " + strings.ToLower(setWord(n)) + " ")
		arm(n.Right)
	}
	buf.Myprintf("%v%v", n.OrderBy, n.Limit)
	if n.Lock > sqlparser.NoLock {
		buf.WriteString(n.Lock.ToString())
	}
}

// writeDelete writes DELETE, with its targets wherever it has them.
func writeDelete(buf *sqlparser.TrackedBuffer, n *sqlparser.Delete) {
	if n.With != nil {
		buf.Myprintf("%v", n.With)
	}
	buf.WriteString("delete " + n.Ignore.ToString())
	if len(n.Targets) > 0 {
		buf.Myprintf("%v ", n.Targets)
	}
	buf.Myprintf("from %v%v%v%v%v", sqlparser.TableExprs(n.TableExprs), n.Partitions, n.Where, n.OrderBy, n.Limit)
}

// myName writes a name within quotes: which names are words of a server, only its version knows.
func myName(buf *sqlparser.TrackedBuffer, name string) {
	if name == "" {
		return
	}
	if strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		refuse("a name that is not UTF-8", "no server has one", "")
	}
	buf.WriteString("`" + strings.ReplaceAll(name, "`", "``") + "`")
}
