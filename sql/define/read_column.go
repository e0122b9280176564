package define

import (
	"strings"

	"isochron/sql/parse"
)

// column is a column's definition behind its name.
func (r *reader) column(name string) Column {
	c := Column{Name: name}
	if strings.HasSuffix(name, " ") {
		r.fail(1166, "42000", "Incorrect column name '%s'", name)
	}
	if r.take("serial") {
		c.Type = Type{Base: "bigint", Length: -1, Scale: -1, Unsigned: true}
		c.Null, c.AutoIncrement, c.Unique = NotNull, true, true
	} else {
		c.Type = r.dataType()
	}
	for r.err == nil && (r.nullness(&c) || r.value(&c) || r.columnKey(&c) || r.columnCheck(&c) || r.columnOption(&c)) {
		continue
	}
	if c.Generated != nil && c.Default != nil {
		r.fail(1221, "HY000", "Incorrect usage of DEFAULT and generated column")
	}
	if c.Generated != nil && (c.AutoIncrement || c.OnUpdate != nil) {
		r.fail(1221, "HY000", "Incorrect usage of AUTO_INCREMENT and generated column")
	}
	return c
}

func (r *reader) nullness(c *Column) bool {
	switch {
	case r.words("not", "null"):
		c.Null = NotNull
	case r.take("null"):
		c.Null = NullTaken
	default:
		return false
	}
	return true
}

// value reads what a column holds by itself: DEFAULT, ON UPDATE, AS, AUTO_INCREMENT.
func (r *reader) value(c *Column) bool {
	switch {
	case r.words("serial", "default", "value"):
		c.Null, c.AutoIncrement, c.Unique = NotNull, true, true
	case r.take("auto_increment"):
		c.AutoIncrement = true
	case r.take("default"):
		c.Default = r.defaultValue()
	case r.words("on", "update"):
		if d, ok := r.now(); ok {
			c.OnUpdate = d
		} else {
			r.unexpected()
		}
	case r.words("generated", "always", "as"), r.take("as"):
		e := r.expression()
		c.Generated, c.Virtual = &e, true
		switch r.one("virtual", "stored", "persistent") {
		case "stored", "persistent":
			c.Virtual = false
		}
	default:
		return false
	}
	return true
}

// defaultValue is what stands behind DEFAULT.
func (r *reader) defaultValue() *Default {
	if r.Peek().Is("(") {
		return &Default{Kind: Computed, Value: r.expression()}
	}
	if d, ok := r.now(); ok {
		return d
	}
	if d := r.called(); d != nil {
		return d
	}
	return &Default{Kind: Literal, Value: r.literal()}
}

// called is a call without brackets around it, as MariaDB writes one; nil: none comes next.
func (r *reader) called() *Default {
	t, from := r.Peek(), r.Peek().From
	if t.Kind != parse.Word || reserved[strings.ToLower(t.Text)] {
		return nil
	}
	at := r.At
	r.Next()
	if !r.Peek().Is("(") {
		r.At = at
		return nil
	}
	r.bracketed()
	if r.err != nil {
		return nil
	}
	return &Default{Kind: Computed, Value: r.parsed(r.Text[from:r.At], from)}
}

// now is CURRENT_TIMESTAMP or one of its other names; false: none comes next.
func (r *reader) now() (*Default, bool) {
	word := r.one("current_timestamp", "now", "localtime", "localtimestamp")
	if word == "" {
		return nil, false
	}
	d := &Default{Kind: Now}
	if r.take("(") {
		if !r.Peek().Is(")") {
			d.Digits = r.size()
		}
		r.must(")")
	} else if word == "now" {
		r.unexpected()
	}
	return d, true
}

func (r *reader) columnKey(c *Column) bool {
	switch {
	case r.words("primary", "key"), r.take("key"):
		c.Primary = true
	case r.take("unique"):
		r.take("key")
		c.Unique = true
	case r.take("references"):
		r.references(new(ForeignKey)) // MySQL reads it and makes nothing of it
	default:
		return false
	}
	return true
}

func (r *reader) columnCheck(c *Column) bool {
	at := r.At
	name, named := r.constraint()
	if r.take("check") {
		c.Checks = append(c.Checks, r.check(name, c.Name))
		return true
	}
	if named {
		r.At = at
		r.unexpected()
	}
	return false
}

// columnOption reads the comment, and what changes nothing here.
func (r *reader) columnOption(c *Column) bool {
	switch {
	case r.take("comment"):
		c.Comment = r.text()
		if len([]rune(c.Comment)) > 1024 {
			r.fail(1629, "HY000", "Comment for field '%s' is too long (max = 1024)", c.Name)
		}
	case r.take("collate"):
		c.Type.Collation = r.charsetName()
	case r.take("column_format"):
		r.mustOne("fixed", "dynamic", "default")
	case r.take("storage"):
		r.mustOne("disk", "memory", "default")
	case r.take("visible"):
	case r.take("invisible"):
		r.fail(1235, "42000", "This version of Isochron doesn't yet support 'invisible columns'")
	case r.take("srid"):
		r.number()
	case r.one("engine_attribute", "secondary_engine_attribute") != "":
		r.take("=")
		r.text()
	default:
		return false
	}
	return true
}

func (r *reader) mustOne(list ...string) {
	if r.one(list...) == "" {
		r.unexpected()
	}
}
