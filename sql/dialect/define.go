package dialect

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// define writes CREATE TABLE, DROP TABLE, TRUNCATE and RENAME TABLE.
func (e *emitter) define(s *sqlparser.DDL) {
	switch {
	case s.ViewSpec != nil || len(s.FromViews) > 0:
		refuse("a view", "its query would be kept in the other dialect", "Make it in the source")
	case s.TriggerSpec != nil || s.ProcedureSpec != nil || s.EventSpec != nil:
		refuse("a routine, trigger or event", "its body is a program in the other dialect", "Make it in the source")
	case s.Temporary:
		refuse("a temporary table", "PostgreSQL cannot prepare a transaction that has used one", "Use a table")
	}
	switch s.Action {
	case sqlparser.CreateStr:
		e.createTable(s)
	case sqlparser.DropStr:
		if len(s.FromTables) == 0 {
			break
		}
		e.out.Text = "DROP TABLE " + ifExists(s.IfExists) + list(len(s.FromTables), func(i int) string { return e.changed(s.FromTables[i]) })
		return
	case sqlparser.TruncateStr:
		e.out.Text = "TRUNCATE TABLE " + e.changed(s.Table) + " RESTART IDENTITY"
		return
	case sqlparser.RenameStr:
		e.renameTables(s)
	}
	if e.out.Text == "" {
		refuse("a definition of this kind", "the writer does not know it", "Make it in the source")
	}
}

func ifExists(yes bool) string {
	if yes {
		return "IF EXISTS "
	}
	return ""
}

// changed writes the name of a table that a definition changes.
func (e *emitter) changed(t sqlparser.TableName) string {
	n := e.tableName(t)
	e.out.Writes = addName(e.out.Writes, n)
	return e.physical(n)
}

func (e *emitter) renameTables(s *sqlparser.DDL) {
	for i := range s.FromTables {
		if i >= len(s.ToTables) {
			return
		}
		to := e.tableName(s.ToTables[i])
		if to.Database != e.tableName(s.FromTables[i]).Database {
			refuse("RENAME TABLE into another database", "PostgreSQL renames within a schema", "")
		}
		e.add("ALTER TABLE " + e.changed(s.FromTables[i]) + " RENAME TO " + ident(fold(to.Table)))
	}
}

// add puts a statement after those there are.
func (e *emitter) add(text string) {
	if e.out.Text == "" {
		e.out.Text = text
		return
	}
	e.out.More = append(e.out.More, text)
}

// createTable writes CREATE TABLE, and CREATE INDEX for each of its plain indexes.
func (e *emitter) createTable(s *sqlparser.DDL) {
	name := e.tableName(s.Table)
	table := e.changed(s.Table)
	head := "CREATE TABLE "
	if s.IfNotExists {
		head += "IF NOT EXISTS "
	}
	switch {
	case s.PartitionSpec != nil || s.TableSpec != nil && s.TableSpec.PartitionOpt != nil:
		refuse("PARTITION BY", "partitions of a source are its operator's", "Leave it out")
	case s.OptLike != nil && len(s.OptLike.LikeTables) == 1:
		from := e.tableName(s.OptLike.LikeTables[0])
		e.out.Reads = addName(e.out.Reads, from)
		e.add(head + table + " (LIKE " + e.physical(from) + " INCLUDING ALL)")
		return
	case s.OptSelect != nil:
		refuse("CREATE TABLE ... AS SELECT", "the types of its columns would not be those of MySQL", "Create the table, then INSERT ... SELECT")
	case s.TableSpec == nil:
		return
	}
	start := ""
	for _, o := range s.TableSpec.TableOpts {
		if strings.EqualFold(o.Name, "auto_increment") && isNumber(o.Value) {
			start = o.Value
		}
	}
	var parts []string
	for _, c := range s.TableSpec.Columns {
		parts = append(parts, e.columnDefinition(c, start)...)
	}
	var later []string
	for _, i := range s.TableSpec.Indexes {
		part, after := e.indexDefinition(i, name, table)
		if part != "" {
			parts = append(parts, part)
		}
		if after != "" {
			later = append(later, after)
		}
	}
	for _, c := range s.TableSpec.Constraints {
		parts = append(parts, e.constraint(c))
	}
	e.remark("names of indexes get the table's before them, since PostgreSQL has one of a name in a schema; table options and comments are left out")
	e.add(head + table + " (" + strings.Join(parts, ", ") + ")")
	e.out.More = append(e.out.More, later...)
}

func indexName(table Name, name string) string { return ident(fold(table.Table + "_" + name)) }

// indexDefinition is a part of CREATE TABLE, or a statement after it.
func (e *emitter) indexDefinition(i *sqlparser.IndexDefinition, name Name, table string) (part, after string) {
	if i.Info.Fulltext || i.Info.Spatial || i.Info.Vector {
		refuse("a full-text, spatial or vector index", "PostgreSQL's are of other kinds", "Make it in the source")
	}
	columns := e.indexFields(i.Fields, i.Info.Unique)
	given := i.Info.Name.String()
	switch {
	case i.Info.Primary:
		return "PRIMARY KEY (" + columns + ")", ""
	case i.Info.Unique && given == "":
		return "UNIQUE (" + columns + ")", ""
	case i.Info.Unique:
		return "CONSTRAINT " + indexName(name, given) + " UNIQUE (" + columns + ")", ""
	}
	if given == "" {
		return "", "CREATE INDEX ON " + table + " (" + columns + ")"
	}
	return "", "CREATE INDEX " + indexName(name, given) + " ON " + table + " (" + columns + ")"
}

func (e *emitter) indexFields(fields []*sqlparser.IndexField, unique bool) string {
	return list(len(fields), func(n int) string {
		f := fields[n]
		if f.Expression != nil {
			if unique {
				refuse("a unique key over an expression", "PostgreSQL has it as an index only", "Make it in the source")
			}
			return "(" + e.value(f.Expression).text + ")"
		}
		if f.Length != nil {
			if unique {
				refuse("a unique key over a column's beginning", "PostgreSQL's keys are over whole columns", "Make it in the source, over left(column, n)")
			}
			e.remark("an index over a column's beginning is one over the whole column")
		}
		if f.Order == sqlparser.DescScr && !unique {
			return ident(fold(f.Column.String())) + " DESC"
		}
		return ident(fold(f.Column.String()))
	})
}

// constraint writes CHECK and FOREIGN KEY.
func (e *emitter) constraint(c *sqlparser.ConstraintDefinition) string {
	head := ""
	if c.Name != "" {
		head = "CONSTRAINT " + ident(fold(c.Name)) + " "
	}
	switch d := c.Details.(type) {
	case *sqlparser.CheckConstraintDefinition:
		if !d.Enforced {
			refuse("a CHECK that is NOT ENFORCED", "PostgreSQL enforces all", "Leave it out")
		}
		return head + "CHECK (" + e.condition(d.Expr).text + ")"
	case *sqlparser.ForeignKeyDefinition:
		return head + "FOREIGN KEY (" + columnList(d.Source) + ") " + e.references(d)
	}
	refuse("a constraint of this kind", "the writer does not know it", "")
	return ""
}

func columnList(c sqlparser.Columns) string {
	return list(len(c), func(i int) string { return ident(fold(c[i].String())) })
}

func (e *emitter) references(d *sqlparser.ForeignKeyDefinition) string {
	out := "REFERENCES " + e.physical(e.tableName(d.ReferencedTable)) + " (" + columnList(d.ReferencedColumns) + ")"
	return out + action(" ON DELETE ", d.OnDelete) + action(" ON UPDATE ", d.OnUpdate)
}

func action(word string, a sqlparser.ReferenceAction) string {
	what, ok := map[sqlparser.ReferenceAction]string{
		sqlparser.Restrict: "RESTRICT", sqlparser.Cascade: "CASCADE", sqlparser.NoAction: "NO ACTION",
		sqlparser.SetNull: "SET NULL", sqlparser.SetDefault: "SET DEFAULT",
	}[a]
	if !ok {
		return ""
	}
	return word + what
}

// alter writes ALTER TABLE, CREATE INDEX and DROP INDEX, a statement for each change.
func (e *emitter) alter(s *sqlparser.AlterTable) {
	if len(s.PartitionSpecs) > 0 {
		refuse("ALTER TABLE ... PARTITION", "partitions of a source are its operator's", "")
	}
	table := e.changed(s.Table)
	for _, d := range s.Statements {
		e.change(d, e.tableName(s.Table), table)
	}
	if e.out.Text == "" {
		refuse("an ALTER TABLE of this kind", "the writer does not know it", "Make the change in the source")
	}
}

func (e *emitter) change(d *sqlparser.DDL, name Name, table string) {
	head := "ALTER TABLE " + table + " "
	switch {
	case d.IndexSpec != nil:
		e.index(d, name, table)
	case d.Action == sqlparser.RenameStr:
		e.renameTables(d)
	case d.ColumnAction == sqlparser.AddStr && d.TableSpec != nil && len(d.TableSpec.Columns) == 1:
		if d.ColumnOrder != nil {
			e.remark("a new column is the last, wherever it was asked for")
		}
		parts := e.columnDefinition(d.TableSpec.Columns[0], "")
		e.add(head + "ADD COLUMN " + parts[0])
		for _, p := range parts[1:] {
			e.add(head + "ADD " + p)
		}
	case d.ColumnAction == sqlparser.DropStr:
		e.add(head + "DROP COLUMN " + ident(fold(d.Column.String())))
	case d.ColumnAction == sqlparser.RenameStr:
		e.add(head + "RENAME COLUMN " + ident(fold(d.Column.String())) + " TO " + ident(fold(d.ToColumn.String())))
	case d.ConstraintAction == sqlparser.AddStr && d.TableSpec != nil && len(d.TableSpec.Constraints) == 1:
		e.add(head + "ADD " + e.constraint(d.TableSpec.Constraints[0]))
	case d.DefaultSpec != nil:
		column := "ALTER COLUMN " + ident(fold(d.DefaultSpec.Column.String()))
		if d.DefaultSpec.Action == sqlparser.DropStr {
			e.add(head + column + " DROP DEFAULT")
		} else {
			e.add(head + column + " SET DEFAULT " + e.value(d.DefaultSpec.Value).text)
		}
	default:
		refuse("ALTER TABLE with this change", "the writer knows ADD, DROP and RENAME of columns, indexes, constraints and defaults", "Make the change in the source")
	}
}

func (e *emitter) index(d *sqlparser.DDL, name Name, table string) {
	i := d.IndexSpec
	given := i.ToName.String()
	switch {
	case i.Action == sqlparser.DropStr && i.Type != sqlparser.PrimaryStr:
		e.add("DROP INDEX " + indexName(name, given))
	case i.Action == sqlparser.CreateStr && i.Type == sqlparser.PrimaryStr:
		e.add("ALTER TABLE " + table + " ADD PRIMARY KEY (" + e.indexFields(i.Fields, true) + ")")
	case i.Action == sqlparser.CreateStr && (i.Type == "" || i.Type == sqlparser.UniqueStr):
		unique := ""
		if i.Type != "" {
			unique = "UNIQUE "
		}
		label := ""
		if given != "" {
			label = indexName(name, given) + " "
		}
		e.add("CREATE " + unique + "INDEX " + label + "ON " + table + " (" + e.indexFields(i.Fields, unique != "") + ")")
	default:
		refuse("a change of this kind of index", "the writer knows plain, unique and primary ones", "Make the change in the source")
	}
}
