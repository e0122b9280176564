package define

import (
	"strings"

	"isochron/sql/parse"
)

// createTable reads what stands behind CREATE TABLE.
func (r *reader) createTable(temporary bool) Statement {
	s := &CreateTable{Temporary: temporary, IfNotExists: r.words("if", "not", "exists")}
	s.Table = r.table()
	if like := r.like(); like != nil {
		s.Like = like
		return s
	}
	if r.Peek().Is("(") && !r.beginsQuery() {
		r.must("(")
		for r.err == nil {
			r.element(s)
			if !r.take(",") {
				break
			}
		}
		r.must(")")
	}
	s.Options = r.tableOptions()
	s.Partition = r.partition()
	if w := r.one("ignore", "replace"); w != "" {
		s.OnDuplicate = strings.ToUpper(w)
	}
	r.take("as")
	if r.err == nil && r.beginsQuery() {
		s.Query = strings.TrimSpace(r.Text[r.At:])
		r.At = len(r.Text)
	} else if len(s.Columns) == 0 && r.err == nil {
		if r.Peek().Kind == parse.End && (len(s.Keys) > 0 || s.Options != Options{}) {
			r.fail(1113, "42000", "A table must have at least 1 column")
		}
		r.unexpected()
	}
	return s
}

// like is the table that LIKE names; nil: it does not come next.
func (r *reader) like() *Name {
	at := r.At
	bracket := r.take("(")
	if !r.take("like") {
		r.At = at
		return nil
	}
	name := r.table()
	if bracket {
		r.must(")")
	}
	return &name
}

// beginsQuery reports whether a query comes next, perhaps in brackets.
func (r *reader) beginsQuery() bool {
	at := r.At
	defer func() { r.At = at }()
	for r.take("(") {
		continue
	}
	return r.one("select", "with", "values", "table") != ""
}

// element reads a column, key or constraint of a table.
func (r *reader) element(s *CreateTable) {
	name, named := r.constraint()
	switch {
	case r.key(s, name):
	case r.words("foreign", "key"):
		s.ForeignKeys = append(s.ForeignKeys, r.foreignKey(name))
	case r.take("check"):
		s.Checks = append(s.Checks, r.check(name, ""))
	case named:
		r.unexpected()
	default:
		c := r.column(r.columnName())
		s.Columns, s.Checks, s.Keys = append(s.Columns, c), append(s.Checks, c.Checks...), append(s.Keys, c.keys()...)
	}
}

// keys are the keys that a column's definition asks for.
func (c *Column) keys() (out []Key) {
	if c.Primary {
		out = append(out, Key{Kind: Primary, Parts: []KeyPart{{Column: c.Name}}})
	}
	if c.Unique {
		out = append(out, Key{Kind: Unique, Parts: []KeyPart{{Column: c.Name}}})
	}
	return out
}

// constraint reads CONSTRAINT and the name behind it.
func (r *reader) constraint() (name string, ok bool) {
	if !r.take("constraint") {
		return "", false
	}
	if r.isName() {
		name = r.name()
	}
	return name, true
}

// key reads a key; false: none comes next.
func (r *reader) key(s *CreateTable, constraint string) bool {
	k, ok := r.keyDefinition(constraint)
	if ok {
		s.Keys = append(s.Keys, k)
	}
	return ok
}

// keyDefinition is a key with its columns; false: none comes next.
func (r *reader) keyDefinition(constraint string) (k Key, ok bool) {
	switch {
	case r.words("primary", "key"):
		k.Kind = Primary
	case r.take("unique"):
		k.Kind = Unique
		r.one("index", "key")
	case constraint != "":
		return k, false
	case r.take("fulltext"):
		k.Kind = FullText
		r.one("index", "key")
	case r.take("spatial"):
		k.Kind = Spatial
		r.one("index", "key")
	case r.one("index", "key") != "":
	default:
		return k, false
	}
	if k.Name = constraint; r.isName() {
		if name := r.name(); k.Kind != Primary {
			k.Name = name
		}
	}
	if k.Kind == Primary {
		k.Name = ""
	} else if strings.EqualFold(k.Name, "primary") {
		r.fail(1280, "42000", "Incorrect index name '%s'", k.Name)
	}
	r.keyRest(&k)
	return k, true
}

// keyRest reads a key's columns and options.
func (r *reader) keyRest(k *Key) {
	r.using()
	r.must("(")
	for r.err == nil {
		k.Parts = append(k.Parts, r.keyPart())
		if !r.take(",") {
			break
		}
	}
	r.must(")")
	r.keyOptions(k)
}

func (r *reader) using() {
	if r.one("using", "type") != "" && r.one("btree", "hash", "rtree") == "" {
		r.unexpected()
	}
}

func (r *reader) keyPart() (p KeyPart) {
	if r.Peek().Is("(") {
		r.expression()
		p.Computed = true
	} else {
		p.Column = r.columnName()
		if r.take("(") {
			p.Length = r.size()
			r.must(")")
			if p.Length == 0 && r.err == nil {
				r.fail(1391, "HY000", "Key part '%s' length cannot be 0", p.Column)
			}
		}
	}
	r.one("asc", "desc")
	return p
}

// keyOptions reads what changes nothing here, and the comment.
func (r *reader) keyOptions(k *Key) {
	for r.err == nil {
		switch {
		case r.Peek().Is("using"), r.Peek().Is("type"):
			r.using()
		case r.take("comment"):
			k.Comment = r.text()
		case r.take("key_block_size"):
			r.take("=")
			r.number()
		case r.words("with", "parser"):
			r.name()
		case r.one("visible", "invisible") != "":
		case r.one("engine_attribute", "secondary_engine_attribute") != "":
			r.take("=")
			r.text()
		default:
			return
		}
	}
}

// check is what stands behind CHECK.
func (r *reader) check(name, column string) Check {
	c := Check{Name: name, Column: column, Value: r.expression(), Enforced: true}
	r.enforced(&c)
	return c
}

func (r *reader) enforced(c *Check) {
	if r.words("not", "enforced") {
		c.Enforced = false
	} else {
		r.take("enforced")
	}
}

// foreignKey is what stands behind FOREIGN KEY.
func (r *reader) foreignKey(name string) ForeignKey {
	f := ForeignKey{Name: name}
	r.words("if", "not", "exists")
	if r.isName() {
		f.Index = r.name()
	}
	f.Columns = r.names()
	r.must("references")
	r.references(&f)
	return f
}

// references is what stands behind REFERENCES.
func (r *reader) references(f *ForeignKey) {
	f.Parent = r.table()
	if r.Peek().Is("(") {
		f.ParentColumns = r.names()
	}
	for r.err == nil {
		switch {
		case r.take("match"):
			if r.one("full", "partial", "simple") == "" {
				r.unexpected()
			}
		case r.words("on", "delete"):
			f.OnDelete = r.referential()
		case r.words("on", "update"):
			f.OnUpdate = r.referential()
		default:
			return
		}
	}
}

func (r *reader) referential() string {
	switch {
	case r.take("restrict"):
		return "RESTRICT"
	case r.take("cascade"):
		return "CASCADE"
	case r.words("set", "null"):
		return "SET NULL"
	case r.words("set", "default"):
		return "SET DEFAULT"
	case r.words("no", "action"):
		return "NO ACTION"
	}
	r.unexpected()
	return ""
}
