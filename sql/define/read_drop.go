package define

// DropTables is DROP TABLE.
type DropTables struct {
	Tables    []Name
	IfExists  bool
	Temporary bool
}

// DropViews is DROP VIEW.
type DropViews struct {
	Views    []Name
	IfExists bool
}

// RenameTables is RENAME TABLE: each of From becomes the one of To, in this order.
type RenameTables struct{ From, To []Name }

// Truncate is TRUNCATE TABLE.
type Truncate struct{ Table Name }

// CreateDatabase is CREATE DATABASE.
type CreateDatabase struct {
	Name        string
	IfNotExists bool
	Options     Options
}

// AlterDatabase is ALTER DATABASE; Name "": the current one.
type AlterDatabase struct {
	Name    string
	Options Options
}

// DropDatabase is DROP DATABASE.
type DropDatabase struct {
	Name     string
	IfExists bool
}

// Counter implements Statement.
func (*DropTables) Counter() string { return "Com_drop_table" }

// Counter implements Statement.
func (*DropViews) Counter() string { return "Com_drop_view" }

// Counter implements Statement.
func (*RenameTables) Counter() string { return "Com_rename_table" }

// Counter implements Statement.
func (*Truncate) Counter() string { return "Com_truncate" }

// Counter implements Statement.
func (*CreateDatabase) Counter() string { return "Com_create_db" }

// Counter implements Statement.
func (*AlterDatabase) Counter() string { return "Com_alter_db" }

// Counter implements Statement.
func (*DropDatabase) Counter() string { return "Com_drop_db" }

// drop reads what stands behind DROP; nil: it is another package's.
func (r *reader) drop() Statement {
	switch {
	case r.words("temporary", "table"), r.words("temporary", "tables"):
		return r.dropTables(true)
	case r.take("table"), r.take("tables"):
		return r.dropTables(false)
	case r.take("view"):
		s := &DropViews{IfExists: r.words("if", "exists")}
		s.Views = r.tables()
		r.one("restrict", "cascade")
		return s
	case r.take("database"), r.take("schema"):
		return &DropDatabase{IfExists: r.words("if", "exists"), Name: r.name()}
	}
	return nil
}

func (r *reader) dropTables(temporary bool) Statement {
	s := &DropTables{Temporary: temporary, IfExists: r.words("if", "exists")}
	s.Tables = r.tables()
	r.one("restrict", "cascade")
	return s
}

// tables is a list of names of tables.
func (r *reader) tables() (out []Name) {
	for r.err == nil {
		out = append(out, r.table())
		if !r.take(",") {
			break
		}
	}
	return out
}

// rename reads what stands behind RENAME TABLE.
func (r *reader) rename() Statement {
	s := &RenameTables{}
	for r.err == nil {
		s.From = append(s.From, r.table())
		r.must("to")
		s.To = append(s.To, r.table())
		if !r.take(",") {
			break
		}
	}
	return s
}

// createDatabase reads what stands behind CREATE DATABASE.
func (r *reader) createDatabase() Statement {
	s := &CreateDatabase{IfNotExists: r.words("if", "not", "exists"), Name: r.name()}
	s.Options = r.databaseOptions()
	return s
}

// alterDatabase reads what stands behind ALTER DATABASE.
func (r *reader) alterDatabase() Statement {
	s := &AlterDatabase{}
	if at := r.At; !r.charsetOption(new(Options)) && r.isName() && !r.Peek().Is("read") {
		s.Name = r.name()
	} else {
		r.At = at
	}
	s.Options = r.databaseOptions()
	return s
}

func (r *reader) databaseOptions() (o Options) {
	for r.err == nil {
		at := r.At
		switch r.take("default"); {
		case r.take("encryption"):
			r.take("=")
			r.text()
		case r.words("read", "only"):
			r.take("=")
			r.optionValue()
		default:
			if r.At = at; !r.charsetOption(&o) {
				return o
			}
		}
	}
	return o
}
