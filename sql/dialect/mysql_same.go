package dialect

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The written text is parsed once more, as a server parses it, and compared with the intended tree:
// no name or value may have become anything else.

// aside are fields of nodes in which both may differ: positions, the client's own words for a
// column, comments, and locking clauses, of which there are two forms.
var aside = map[string]bool{"Auth": true, "InputExpression": true, "StartParsePos": true, "EndParsePos": true, "Comments": true, "Lock": true}

// same reports whether a tree is the writer's intended image of another.
func (w *mysqlWriter) same(want, got sqlparser.SQLNode) bool {
	return w.alike(reflect.ValueOf(want), reflect.ValueOf(got))
}

func (w *mysqlWriter) alike(want, got reflect.Value) bool {
	want, got = w.plainly(want), w.plainly(got)
	switch {
	case want.IsValid() != got.IsValid():
		return false
	case !want.IsValid():
		return true
	case want.Type() != got.Type():
		return false
	}
	switch want.Kind() {
	case reflect.Struct:
		return w.alikeFields(want, got)
	case reflect.Slice:
		if want.Len() != got.Len() {
			return false
		}
		for i := range want.Len() {
			if !w.alike(want.Index(i), got.Index(i)) {
				return false
			}
		}
		return true
	case reflect.String:
		return strings.EqualFold(want.String(), got.String())
	case reflect.Bool:
		return want.Bool() == got.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return want.Int() == got.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return want.Uint() == got.Uint()
	}
	return false
}

// plainly follows pointers and interfaces, and puts what the writer writes otherwise in that form.
func (w *mysqlWriter) plainly(v reflect.Value) reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		if v.Kind() == reflect.Pointer && v.CanInterface() {
			if n, ok := v.Interface().(sqlparser.SQLNode); ok && !v.IsNil() {
				if form := w.form(n); form != n {
					return w.plainly(reflect.ValueOf(form))
				}
			}
		}
		v = v.Elem()
	}
	return v
}

// form is a node as it is read again.
func (w *mysqlWriter) form(n sqlparser.SQLNode) sqlparser.SQLNode {
	switch n := n.(type) {
	case *sqlparser.SubstrExpr:
		var of sqlparser.Expr = n.Name
		if n.Name == nil {
			of = n.StrVal
		}
		return called("substr", of, n.From, n.To)
	case *sqlparser.BinaryExpr:
		switch n.Operator {
		case sqlparser.JSONExtractOp:
			return called("json_extract", n.Left, n.Right)
		case sqlparser.JSONUnquoteExtractOp:
			return called("json_unquote", called("json_extract", n.Left, n.Right))
		}
	case *sqlparser.FuncExpr:
		if n.Name.Lowered() == "last_insert_id" && len(n.Exprs) == 0 && w.opt.LastInsertID != nil {
			return sqlparser.NewIntVal([]byte(u64(*w.opt.LastInsertID)))
		}
	}
	return n
}

// called is the call of a function.
func called(name string, args ...sqlparser.Expr) sqlparser.Expr {
	f := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, a := range args {
		if a != nil {
			f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: a})
		}
	}
	return f
}

func (w *mysqlWriter) alikeFields(want, got reflect.Value) bool {
	switch want.Type() {
	case reflect.TypeFor[sqlparser.ColIdent](), reflect.TypeFor[sqlparser.TableIdent]():
		return want.Field(fieldOf(want, "val", "v")).String() == got.Field(fieldOf(got, "val", "v")).String()
	case reflect.TypeFor[sqlparser.SQLVal]():
		a, b := want.Addr().Interface().(*sqlparser.SQLVal), got.Addr().Interface().(*sqlparser.SQLVal)
		return a.Type == b.Type && (a.Type == sqlparser.ValArg || string(a.Val) == string(b.Val))
	case reflect.TypeFor[sqlparser.TableName]():
		return w.tableName(want.Interface().(sqlparser.TableName)) == got.Interface().(sqlparser.TableName)
	}
	for i := range want.NumField() {
		name := want.Type().Field(i).Name
		if aside[name] {
			continue
		}
		a, b := want.Field(i), got.Field(i)
		if a.Type() == reflect.TypeFor[sqlparser.TableName]() && (name == "Qualifier" || want.Type() == reflect.TypeFor[sqlparser.StarExpr]()) {
			if w.qualifier(a.Interface().(sqlparser.TableName)) != b.Interface().(sqlparser.TableName) {
				return false
			}
			continue
		}
		if !w.alike(a, b) {
			return false
		}
	}
	return true
}

// fieldOf is the place of the first of some fields that a struct has.
func fieldOf(v reflect.Value, names ...string) int {
	for _, n := range names {
		if f, ok := v.Type().FieldByName(n); ok {
			return f.Index[0]
		}
	}
	return 0
}
