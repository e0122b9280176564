package dialect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The parser's own writer puts names of functions, collations, character sets and others into its
// text as they are, and a name may stand within quotes: then it can be any text. So each kind of
// node that has such a name is written here, and only kinds that are known go to a source at all.

// formatted is the tree as MySQL's text, with the places of its values.
func (w *mysqlWriter) formatted() (text string, args, places []int) {
	switch w.stmt.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
	default:
		refuse("a statement of this kind", "it is for the gateway, and no source is sent it", "")
	}
	buf := sqlparser.NewTrackedBuffer(w.node)
	buf.Myprintf("%v", w.stmt)
	return buf.String(), w.args, w.places
}

// node writes a node.
func (w *mysqlWriter) node(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
	switch n := n.(type) {
	case *sqlparser.SQLVal:
		w.value(buf, n)
	case sqlparser.ColIdent:
		myName(buf, n.String(), n)
	case sqlparser.TableIdent:
		myName(buf, n.String(), n)
	case sqlparser.TableName:
		w.tableName(n).Format(buf)
	case *sqlparser.ColName:
		w.column(buf, n)
	case *sqlparser.StarExpr:
		if !n.TableName.IsEmpty() {
			buf.Myprintf("%v.", w.qualifier(n.TableName).Name)
		}
		buf.WriteString("*")
	case *sqlparser.AliasedExpr:
		buf.Myprintf("%v", n.Expr)
		if !n.As.IsEmpty() {
			buf.Myprintf(" as %v", n.As)
		}
	case *sqlparser.AssignmentExpr:
		buf.Myprintf("%v = %v", n.Name, n.Expr)
	case *sqlparser.Default:
		buf.WriteString("default")
		if n.ColName != "" {
			buf.Myprintf("(%v)", sqlparser.NewColIdent(n.ColName))
		}
	case *sqlparser.CommonTableExpr:
		buf.Myprintf("%v %vas %v", n.As, n.Columns, n.Expr)
	case sqlparser.Comments: // a hint may be one, and means more to a server than its text
	case *sqlparser.Select:
		w.selected(buf, n)
	case *sqlparser.BinaryExpr:
		w.binary(buf, n)
	default:
		if !w.called(buf, n) {
			known(n)
			n.Format(buf)
		}
	}
}

// called writes nodes that have the form of a function, or a name of the server's own; false: it is
// no such node.
func (w *mysqlWriter) called(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) bool {
	switch n := n.(type) {
	case *sqlparser.FuncExpr:
		w.function(buf, n)
		return true
	case *sqlparser.GroupConcatExpr:
		buf.Myprintf("group_concat(%s%v%v", n.Distinct, n.Exprs, n.OrderBy)
		if !n.Separator.DefaultSeparator {
			buf.Myprintf(" separator %v", sqlparser.NewStrVal([]byte(n.Separator.SeparatorString)))
		}
		buf.WriteString(")")
		return true
	case *sqlparser.CollateExpr:
		word(n.Collation)
	case *sqlparser.ConvertUsingExpr:
		word(n.Type)
	case *sqlparser.CharExpr:
		word(n.Type)
	case *sqlparser.ConvertType:
		word(n.Type)
		word(n.Charset)
	case *sqlparser.ConvertExpr:
		word(n.Name)
	case *sqlparser.IntervalExpr:
		word(n.Unit)
	case *sqlparser.ExtractFuncExpr:
		word(n.Name)
		word(n.Unit)
	case *sqlparser.TimestampFuncExpr:
		word(n.Name)
		word(n.Unit)
	case *sqlparser.UnaryExpr:
		word(strings.Trim(n.Operator, "+-~! "))
	default:
		return false
	}
	n.Format(buf)
	return true
}

// wordPattern matches names of the server's own.
var wordPattern = regexp.MustCompile(`^[A-Za-z0-9_ ]*$`)

func word(name string) {
	if !wordPattern.MatchString(name) {
		refuse("the name "+brief(name), "a server has none of that kind", "")
	}
}

// known refuses kinds of nodes that are not known to have no other meaning than their text.
func known(n sqlparser.SQLNode) {
	switch n := n.(type) {
	case *sqlparser.ParenSelect, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.With, sqlparser.SelectExprs, *sqlparser.QueryOpts,
		*sqlparser.Over, *sqlparser.WindowDef, sqlparser.Window, *sqlparser.Frame, *sqlparser.FrameExtent, *sqlparser.FrameBound,
		sqlparser.Columns, sqlparser.Partitions, sqlparser.TableExprs, *sqlparser.AliasedTableExpr, sqlparser.TableNames, *sqlparser.ParenTableExpr,
		sqlparser.JoinCondition, *sqlparser.JoinTableExpr, *sqlparser.IndexHints, *sqlparser.Where, sqlparser.Exprs, *sqlparser.AndExpr, *sqlparser.OrExpr,
		*sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.ParenExpr, *sqlparser.ComparisonExpr, *sqlparser.RangeCond, *sqlparser.IsExpr,
		*sqlparser.ExistsExpr, *sqlparser.NullVal, sqlparser.BoolVal, sqlparser.ValTuple, *sqlparser.Subquery, *sqlparser.ValuesFuncExpr,
		*sqlparser.SubstrExpr, *sqlparser.TrimExpr, *sqlparser.MatchExpr, *sqlparser.CaseExpr, *sqlparser.When, sqlparser.GroupBy, sqlparser.OrderBy,
		*sqlparser.Order, *sqlparser.Limit, sqlparser.Values, *sqlparser.AliasedValues, sqlparser.AliasedValues, sqlparser.AssignmentExprs, sqlparser.OnDup:
		return
	case *sqlparser.SetOp:
		if n.Into == nil {
			return
		}
	case *sqlparser.Into:
		if n == nil {
			return
		}
	}
	refuse(fmt.Sprintf("a statement of this kind (%T)", n), "not all sources understand it, or alike", "")
}

// value writes a literal or the sign of a placeholder.
func (w *mysqlWriter) value(buf *sqlparser.TrackedBuffer, n *sqlparser.SQLVal) {
	if n.Type != sqlparser.ValArg {
		n.Format(buf)
		return
	}
	place, err := strconv.Atoi(strings.TrimPrefix(string(n.Val), ":v"))
	if err != nil {
		refuse("the placeholder "+string(n.Val), "only ? stands for a value", "")
	}
	w.args, w.places = append(w.args, place-1), append(w.places, buf.Len())
	buf.WriteString("?")
}

// column writes a column's name.
func (w *mysqlWriter) column(buf *sqlparser.TrackedBuffer, n *sqlparser.ColName) {
	if n.StoredProcVal != nil {
		refuse("a variable of a procedure", "procedures do not run at a source", "")
	}
	if isVariable(n) {
		refuse("the variable "+sqlparser.String(n), "a variable is the session's, which the source does not have", "Give its value")
	}
	if name := fold(n.Name.String()); slices.Contains(ofMariaDB, name) && !w.has[name] {
		noColumn(name)
	}
	if !n.Qualifier.IsEmpty() {
		buf.Myprintf("%v.", w.qualifier(n.Qualifier).Name)
	}
	buf.Myprintf("%v", n.Name)
}

// ofMariaDB are columns that a table with versions has without listing them, and one that
// represents a key.
var ofMariaDB = []string{"row_start", "row_end", "_rowid"}

// isVariable reports whether a name is a variable's: of the session, or of the server.
func isVariable(n *sqlparser.ColName) bool {
	return strings.HasPrefix(n.Name.String(), "@") || strings.HasPrefix(n.Qualifier.Name.String(), "@")
}

// selected writes a query. MariaDB does not know FOR SHARE; LOCK IN SHARE MODE exists in both.
func (w *mysqlWriter) selected(buf *sqlparser.TrackedBuffer, n *sqlparser.Select) {
	if n.Into != nil {
		refuse("INTO", "a source's files and variables are not the client's", "")
	}
	if !w.share || n.Lock == nil || n.Lock.Type == "" {
		n.Format(buf)
		return
	}
	if n.Lock.Type != sqlparser.ForUpdateStr {
		refuse("FOR SHARE with OF, NOWAIT or SKIP LOCKED", "MySQL and MariaDB do not share a way to say it", "Use FOR UPDATE, or leave the word out")
	}
	c := *n
	c.Lock = &sqlparser.Lock{Type: sqlparser.ShareModeStr}
	c.Format(buf)
}

// binary writes an operator. MariaDB has no signs for a path of a document.
func (w *mysqlWriter) binary(buf *sqlparser.TrackedBuffer, n *sqlparser.BinaryExpr) {
	switch n.Operator {
	case sqlparser.JSONExtractOp:
		buf.Myprintf("json_extract(%v, %v)", n.Left, n.Right)
	case sqlparser.JSONUnquoteExtractOp:
		buf.Myprintf("json_unquote(json_extract(%v, %v))", n.Left, n.Right)
	default:
		n.Format(buf)
	}
}

// function writes the call of a function that is built in, and LAST_INSERT_ID() as its value. With
// an argument it returns that, which the source then reports as the new number.
func (w *mysqlWriter) function(buf *sqlparser.TrackedBuffer, n *sqlparser.FuncExpr) {
	name := n.Name.Lowered()
	switch {
	case !n.Qualifier.IsEmpty():
		refuse("the function "+n.Name.String()+"() of a database", "functions that a source has stored run with its agent's rights", "")
	case name == "last_insert_id" && len(n.Exprs) == 0 && w.opt.LastInsertID != nil:
		buf.WriteString(strconv.FormatUint(*w.opt.LastInsertID, 10))
		return
	case !w.opt.Server.has(MySQL, name) && !(name == "last_insert_id" && len(n.Exprs) == 1):
		refuse(strings.ToUpper(name)+"()", "it is no function that this source's version has built in, and functions that a source has stored run with its agent's rights", "Ask for its value before, and write it out")
	}
	n.Format(buf)
}

// reserved are words that MariaDB takes for more than a name, and the parser does not.
var reserved = []string{"current_role", "delete_domain_id", "do_domain_ids", "ignore_domain_ids", "master_demote_to_replica", "master_demote_to_slave",
	"parse_vcol_expr", "portion", "ref_system_id", "sql_buffer_result", "rownum", "sysdate"}

// myName writes a name, within quotes if it may be anything else.
func myName(buf *sqlparser.TrackedBuffer, name string, n sqlparser.SQLNode) {
	if name == "" {
		return
	}
	if strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		refuse("a name that is not UTF-8", "no server has one", "")
	}
	plain := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) || name[0] >= '0' && name[0] <= '9' || slices.Contains(reserved, strings.ToLower(name)) {
		buf.WriteString("`" + strings.ReplaceAll(name, "`", "``") + "`")
		return
	}
	n.Format(buf)
}
