package procedure

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// statement makes one of the body's; text is the procedure's.
func (p *Procedure) statement(stmt sqlparser.Statement, text string, options sqlparser.ParserOptions) (Statement, error) {
	out := Statement{}
	var err error
	if out.Yields, err = yields(stmt); err != nil {
		return out, err
	}
	e := &editor{p: p, text: text, of: map[*sqlparser.SQLVal]int{}}
	e.walk(reflect.ValueOf(&stmt).Elem())
	if e.err != nil {
		return out, e.err
	}
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		if v, ok := node.(*sqlparser.SQLVal); ok && v.Type == sqlparser.ValArg {
			out.Takes = append(out.Takes, e.of[v])
			v.Val = fmt.Appendf(nil, ":v%d", len(out.Takes)) // as the parser will call it
			buf.WriteString("?")
			return
		}
		node.Format(buf)
	})
	buf.Myprintf("%v", stmt)
	out.Text = buf.String()
	again, err := sqlparser.ParseWithOptions(context.Background(), out.Text, sqlparser.ParserOptions{PipesAsConcat: options.PipesAsConcat})
	if err != nil || len(out.Takes) != len(e.of) || !alike(reflect.ValueOf(&stmt).Elem(), reflect.ValueOf(&again).Elem()) {
		return out, refuse("this statement in a procedure: %.200s", out.Text)
	}
	return out, nil
}

// yields reports whether a statement of a body returns rows; the error: it is not allowed there.
func yields(stmt sqlparser.Statement) (bool, error) {
	switch n := stmt.(type) {
	case sqlparser.SelectStatement:
		into := n.GetInto()
		if into == nil {
			return true, nil
		}
		if into.Outfile != "" || into.Dumpfile != "" {
			return false, refuse("SELECT INTO a file")
		}
		for _, v := range into.Variables {
			if !strings.HasPrefix(strings.TrimLeft(sqlparser.String(v), "`"), "@") {
				return false, refuse("variables of a procedure: %s", sqlparser.String(v))
			}
		}
		return false, nil
	case *sqlparser.Insert:
		return len(n.Returning) > 0, nil
	case *sqlparser.Update:
		return len(n.Returning) > 0, nil
	case *sqlparser.Delete:
		return len(n.Returning) > 0, nil
	}
	return false, refuse("%s in a procedure: its statements are SELECT, INSERT, REPLACE, UPDATE and DELETE", called(stmt))
}

// called returns the first words of a statement that cannot be in a body.
func called(stmt sqlparser.Statement) string {
	switch stmt.(type) {
	case *sqlparser.BeginEndBlock:
		return "a block"
	case *sqlparser.IfStatement:
		return "IF"
	case *sqlparser.Declare:
		return "DECLARE"
	}
	word, _, _ := strings.Cut(strings.TrimSpace(sqlparser.String(stmt)), " ")
	return strings.ToUpper(word)
}

// editor puts values in the place of parameters, and names to what a SELECT shows: the name would be
// its text, which is written out in another way.
type editor struct {
	p    *Procedure
	text string
	of   map[*sqlparser.SQLVal]int // which parameter a value is of
	err  error
}

// walk visits all that hangs on v. The parser bounds how deep that is.
func (e *editor) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if i := e.parameterAt(v); i >= 0 {
			value := sqlparser.NewValArg([]byte(":v"))
			if e.of[value] = i; v.CanSet() && reflect.TypeOf(value).AssignableTo(v.Type()) {
				v.Set(reflect.ValueOf(value))
				return
			}
			e.err = refuse("the parameter %s at this place", e.p.Parameters[i].Name)
		}
		e.walk(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.CanInterface() {
			e.visit(v.Interface())
		}
		e.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				e.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			e.walk(v.Index(i))
		}
	}
}

// parameterAt is the parameter that an expression is, -1 if it is none.
func (e *editor) parameterAt(v reflect.Value) int {
	name, ok := v.Interface().(*sqlparser.ColName)
	if !ok || name == nil || !name.Qualifier.IsEmpty() {
		return -1
	}
	return e.p.parameter(name.Name.String())
}

func (e *editor) visit(node any) {
	switch n := node.(type) {
	case *sqlparser.Select:
		for _, shown := range n.SelectExprs {
			if one, ok := shown.(*sqlparser.AliasedExpr); ok {
				e.name(one)
			}
		}
	case *sqlparser.AliasedExpr: // of a SELECT, or an argument of a function
		n.InputExpression = ""
	case *sqlparser.SQLVal:
		if _, ours := e.of[n]; !ours && n.Type == sqlparser.ValArg {
			e.err = refuse("a ? in a procedure: name a parameter")
		}
	}
}

// aliasMaxBytes is the longest name that is given.
const aliasMaxBytes = 256

// name has a SELECT show an expression under the name that it would have had.
func (e *editor) name(n *sqlparser.AliasedExpr) {
	printed := ""
	if n.StartParsePos >= 0 && n.EndParsePos > n.StartParsePos && n.EndParsePos <= len(e.text) {
		printed = strings.Trim(e.text[n.StartParsePos:n.EndParsePos], " \r\n\t")
	}
	column, is := n.Expr.(*sqlparser.ColName)
	switch {
	case !n.As.IsEmpty() || is && !column.Qualifier.IsEmpty():
	case is && e.p.parameter(column.Name.String()) >= 0:
		n.As = sqlparser.NewColIdent(column.Name.String())
	case !is && printed != "" && len(printed) <= aliasMaxBytes && !strings.ContainsAny(printed, "`\x00"):
		n.As = sqlparser.NewColIdent(strings.Trim(printed, `'"`))
	}
}

// alike reports whether two trees of the parser are the same, but for the places of what they were
// parsed from.
func alike(a, b reflect.Value) bool {
	if a.Kind() != b.Kind() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			switch a.Type().Field(i).Name {
			case "InputExpression", "StartParsePos", "EndParsePos":
				continue
			}
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map, reflect.Func, reflect.Chan:
		return a.Len() == 0 && b.Len() == 0
	}
	return a.Equal(b)
}
