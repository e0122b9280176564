package sql

import (
	"context"
	"io"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	gmsparser "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/table"
)

// LOAD DATA LOCAL INFILE is an INSERT IGNORE, or a REPLACE, of the rows of a file that the client sends. The file is held in
// memory, and counts as the statement's.

// loadPlan executes it.
type loadPlan struct{ load *gmsparser.Load }

func (loadPlan) kind() planKind { return coreKind }

func (loadPlan) counter() string { return "Com_load" }

// codeLocalFiles is MySQL's number for a server that takes no files of clients.
const codeLocalFiles = 3948

// loads is the plan of a LOAD DATA; nil: the text is another statement.
func (x *execution) loads() (Plan, error) {
	if table.FirstWord(x.text) != "load" {
		return nil, nil
	}
	text, rest := x.text, ""
	if x.several {
		text, rest = dialect.First(text, x.s.coreSettings().reads.AnsiQuotes)
	}
	stmt, _, err := x.h.g.engine.Parser.ParseOneWithOptions(x.s.quiet, text, gms.LoadSqlMode(x.s.quiet).ParserOptions())
	load, ok := stmt.(*gmsparser.Load)
	if err != nil || !ok {
		return nil, err
	}
	h := x.s.holder()
	if err := h.Holds([]string{"FILE"}); err != nil {
		return nil, err
	}
	x.rest = rest
	return loadPlan{load}, nil
}

// Execute implements Plan.
func (p loadPlan) Execute(ctx context.Context, x *execution) error {
	file, err := p.read(x)
	if err != nil {
		return err
	}
	of, err := p.insertion(ctx, x, file)
	if err != nil {
		return err
	}
	change, err := compileChangeTree(ctx, x.s, x.text, of, nil)
	if err != nil {
		return err
	}
	return change.Execute(ctx, x)
}

// read reads the file.
func (p loadPlan) read(x *execution) (string, error) {
	switch {
	case !bool(p.load.Local):
		return "", mysql.NewSQLError(codeInvalidRequest, "42000", "LOAD DATA without LOCAL is not supported: no node reads files for clients")
	case setGloballyOff("local_infile"):
		return "", mysql.NewSQLError(codeLocalFiles, "42000", "Loading local data is disabled; this must be enabled on both the client and server sides")
	}
	from, err := x.c.LoadInfile(p.load.Infile)
	if err != nil {
		return "", err
	}
	defer from.Close()
	var file strings.Builder
	room := make([]byte, 64<<10)
	for {
		n, err := from.Read(room)
		file.Write(room[:n])
		if failed := x.s.account.Load().Charge(loadedTimes * int64(n)); failed != nil {
			return "", failed
		}
		if err == io.EOF {
			return file.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// loadedTimes is how many times the file's bytes its rows take as expressions, about.
const loadedTimes = 8

// setGloballyOff reports whether a variable of the whole server is 0.
func setGloballyOff(name string) bool {
	_, v, ok := gms.SystemVariables.GetGlobal(name)
	on, isInt := v.(int8)
	return !ok || isInt && on == 0
}

// insertion is the change that inserts the file's rows.
func (p loadPlan) insertion(ctx context.Context, x *execution, file string) (*parse.Change, error) {
	d, db := p.load, p.load.Table.DbQualifier.String()
	name := sqlparser.NewTableName(d.Table.Name.String())
	if db != "" {
		name = sqlparser.NewTableNameWithQualifier(d.Table.Name.String(), db)
	} else {
		db = x.s.GetCurrentDatabase()
	}
	out := &sqlparser.Insert{Action: sqlparser.InsertAct, Ignore: true, Table: sqlparser.NewAliasedTableExpr(name, ""), Comments: (sqlparser.Comments{}).Parsed()}
	if d.IgnoreOrReplace == gmsparser.ReplaceStr {
		out.Action, out.Ignore = sqlparser.ReplaceAct, false
	}
	snap, err := x.s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	takes := p.columns(snap, db)
	for _, to := range takes {
		if !strings.HasPrefix(to, "@") {
			out.Columns = append(out.Columns, sqlparser.NewIdentifierCI(to))
		}
	}
	sets := make([]sqlparser.Expr, len(d.SetExprs))
	for i, set := range d.SetExprs {
		out.Columns = append(out.Columns, sqlparser.NewIdentifierCI(set.Name.Name.String()))
		if sets[i], err = expr.Environment().Parser().ParseExpr(gmsparser.String(set.Expr)); err != nil {
			return nil, coreError(err)
		}
	}
	form, err := formOf(d)
	if err != nil {
		return nil, err
	}
	rows := sqlparser.Values{}
	for _, fields := range form.rows(file) {
		rows = append(rows, loadedRow(takes, fields, sets))
	}
	out.Rows = rows
	return &parse.Change{Tree: out}, nil
}

// columns are the columns and variables that take the fields of a line.
func (p loadPlan) columns(snap *catalog.Snapshot, db string) (out []string) {
	for _, c := range p.load.Columns {
		out = append(out, c.String())
	}
	if d, ok := snap.Table(db, p.load.Table.Name.String()); ok && out == nil {
		for _, c := range d.Record.Columns {
			if c.Generated == nil {
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// loadedRow are the values of a row: a field that its line does not have is the column's default.
func loadedRow(takes []string, fields []loadedField, sets []sqlparser.Expr) (row sqlparser.ValTuple) {
	variables := map[string]sqlparser.Expr{}
	for i, to := range takes {
		var v sqlparser.Expr = &sqlparser.Default{}
		switch {
		case i < len(fields) && fields[i].null || i >= len(fields) && to[0] == '@':
			v = &sqlparser.NullVal{}
		case i < len(fields):
			v = sqlparser.NewStrLiteral(fields[i].text)
		}
		if to[0] == '@' {
			variables[strings.ToLower(to[1:])] = v
		} else {
			row = append(row, v)
		}
	}
	for _, e := range sets {
		row = append(row, sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
			if v, ok := c.Node().(*sqlparser.Variable); ok && v.Scope == sqlparser.VariableScope && variables[v.Name.Lowered()] != nil {
				c.Replace(variables[v.Name.Lowered()])
			}
		}, nil).(sqlparser.Expr))
	}
	return row
}

// fileForm is how a file has its rows.
type fileForm struct {
	begins, ends, separates string // lines, and the fields of one
	enclosed, escape        byte   // of fields; 0: there is none
	skipped                 int    // lines at the beginning
}

// loadedField is a field of a line.
type loadedField struct {
	text string
	null bool
}

// formOf reads FIELDS, LINES and IGNORE.
func formOf(d *gmsparser.Load) (*fileForm, error) {
	f := &fileForm{ends: "\n", separates: "\t", escape: '\\'}
	one := func(to *byte, v *gmsparser.SQLVal) error {
		switch len(v.Val) {
		case 0:
			*to = 0
		case 1:
			*to = v.Val[0]
		default:
			return mysql.NewSQLError(1083, "42000", "Field separator argument is not what is expected; check the manual")
		}
		return nil
	}
	if s := d.Fields; s != nil {
		if s.TerminatedBy != nil && len(s.TerminatedBy.Val) > 0 {
			f.separates = string(s.TerminatedBy.Val)
		}
		if s.EnclosedBy != nil && s.EnclosedBy.Delim != nil {
			if err := one(&f.enclosed, s.EnclosedBy.Delim); err != nil {
				return nil, err
			}
		}
		if s.EscapedBy != nil {
			if err := one(&f.escape, s.EscapedBy); err != nil {
				return nil, err
			}
		}
	}
	if l := d.Lines; l != nil {
		if l.StartingBy != nil {
			f.begins = string(l.StartingBy.Val)
		}
		if l.TerminatedBy != nil && len(l.TerminatedBy.Val) > 0 {
			f.ends = string(l.TerminatedBy.Val)
		}
	}
	if d.IgnoreNum != nil {
		f.skipped, _ = strconv.Atoi(string(d.IgnoreNum.Val)) // a number, by the grammar
	}
	return f, nil
}

// rows are the fields of the lines.
func (f *fileForm) rows(file string) (out [][]loadedField) {
	for range f.skipped {
		_, file, _ = strings.Cut(file, f.ends)
	}
	for file != "" {
		if f.begins != "" {
			var ok bool
			if _, file, ok = strings.Cut(file, f.begins); !ok {
				return out
			}
		}
		var row []loadedField
		for last := false; !last; {
			var field loadedField
			field, file, last = f.field(file)
			row = append(row, field)
		}
		out = append(out, row)
	}
	return out
}

// field is the field that a text begins with, and what is behind it; last: it is the last of its line.
func (f *fileForm) field(s string) (field loadedField, rest string, last bool) {
	var text strings.Builder
	quoted := f.enclosed != 0 && s != "" && s[0] == f.enclosed
	open, at := quoted, 0
	if quoted {
		at = 1
	}
	for at < len(s) {
		switch c := s[at]; {
		case f.escape != 0 && c == f.escape && c != f.enclosed && at+1 < len(s):
			at += 2
			if s[at-1] == 'N' && at == 2 && f.endsAt(s[at:]) {
				field.null = true
				continue
			}
			text.WriteByte(parse.Unescaped(s[at-1]))
		case open && c == f.enclosed && strings.HasPrefix(s[at+1:], string(c)):
			text.WriteByte(c)
			at += 2
		case open && c == f.enclosed && f.endsAt(s[at+1:]):
			open = false
			at++
		case !open && strings.HasPrefix(s[at:], f.separates):
			return f.finished(field, text.String(), quoted), s[at+len(f.separates):], false
		case !open && strings.HasPrefix(s[at:], f.ends):
			return f.finished(field, text.String(), quoted), s[at+len(f.ends):], true
		default:
			text.WriteByte(c)
			at++
		}
	}
	return f.finished(field, text.String(), quoted), "", true
}

// finished is a field with its text. Where fields are enclosed, NULL without that is no text.
func (f *fileForm) finished(field loadedField, text string, quoted bool) loadedField {
	field.text = text
	field.null = field.null || f.enclosed != 0 && !quoted && text == "NULL"
	return field
}

// endsAt reports whether a field ends where a text begins.
func (f *fileForm) endsAt(s string) bool {
	return s == "" || strings.HasPrefix(s, f.separates) || strings.HasPrefix(s, f.ends)
}
