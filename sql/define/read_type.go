package define

import (
	"slices"
	"strings"

	"isochron/sql/parse"
)

// bases are the names of types, and what they are called in SHOW CREATE TABLE.
var bases = map[string]string{
	"tinyint": "tinyint", "int1": "tinyint", "smallint": "smallint", "int2": "smallint", "mediumint": "mediumint", "int3": "mediumint", "middleint": "mediumint",
	"int": "int", "integer": "int", "int4": "int", "bigint": "bigint", "int8": "bigint", "float4": "float", "float": "float", "float8": "double", "double": "double", "real": "double",
	"decimal": "decimal", "dec": "decimal", "numeric": "decimal", "fixed": "decimal", "bit": "bit", "date": "date", "time": "time", "datetime": "datetime", "timestamp": "timestamp",
	"year": "year", "char": "char", "character": "char", "varchar": "varchar", "varcharacter": "varchar", "nvarchar": "varchar", "nchar": "char", "binary": "binary", "varbinary": "varbinary",
	"tinytext": "tinytext", "text": "text", "mediumtext": "mediumtext", "longtext": "longtext", "tinyblob": "tinyblob", "blob": "blob", "mediumblob": "mediumblob", "longblob": "longblob",
	"enum": "enum", "set": "set", "json": "json", "geometry": "geometry", "point": "point", "linestring": "linestring", "polygon": "polygon", "multipoint": "multipoint",
	"multilinestring": "multilinestring", "multipolygon": "multipolygon", "geometrycollection": "geometrycollection", "geomcollection": "geometrycollection", "vector": "vector",
}

// integers are the types of whole numbers, and the widths that they are shown with under ZEROFILL.
var integers = map[string]int{"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 20}

// dataType is a type that has to come next.
func (r *reader) dataType() Type {
	t := Type{Length: -1, Scale: -1}
	word := r.Peek()
	name := strings.ToLower(word.Text)
	if r.err != nil || word.Kind != parse.Word {
		r.unexpected()
		return t
	}
	r.Next()
	switch name {
	case "bool", "boolean":
		t.Base, t.Length, t.Boolean = "tinyint", 1, true
		return t
	case "national":
		t.National = true
		if name = r.one("char", "character", "varchar"); name == "" {
			r.unexpected()
		}
	case "nchar", "nvarchar":
		t.National = true
	case "long":
		t.Base = "mediumtext"
		if r.take("varbinary") {
			t.Base = "mediumblob"
		} else if !r.take("varchar") && r.take("char") {
			r.must("varying")
		}
		r.charset(&t)
		return t
	}
	if t.Base = bases[name]; t.Base == "" {
		r.At = word.From
		r.unexpected()
		return t
	}
	if t.Base == "char" && r.one("varying", "varchar") != "" {
		t.Base = "varchar"
	}
	if name == "double" {
		r.take("precision")
	}
	if t.Base == "enum" || t.Base == "set" {
		r.members(&t)
	} else if r.take("(") {
		t.Length = r.size()
		if r.take(",") {
			t.Scale = r.size()
		}
		r.must(")")
	}
	if t.Base == "char" && r.take("byte") {
		t.Base = "binary"
	}
	r.numeric(&t)
	r.charset(&t)
	return t
}

func (r *reader) members(t *Type) {
	r.must("(")
	for r.err == nil {
		t.Members = append(t.Members, strings.TrimRight(r.text(), " "))
		if !r.take(",") {
			break
		}
	}
	r.must(")")
}

// numeric reads UNSIGNED, SIGNED and ZEROFILL.
func (r *reader) numeric(t *Type) {
	_, whole := integers[t.Base]
	if !whole && t.Base != "decimal" && t.Base != "float" && t.Base != "double" {
		return
	}
	for {
		switch r.one("unsigned", "signed", "zerofill") {
		case "unsigned":
			t.Unsigned = true
		case "zerofill":
			t.Zerofill, t.Unsigned = true, true
		case "":
			return
		}
	}
}

// isText reports whether a type has a character set.
func (t *Type) isText() bool {
	return slices.Contains([]string{"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"}, t.Base)
}

// charset reads the words about a text's character set.
func (r *reader) charset(t *Type) {
	for t.isText() && r.err == nil {
		switch {
		case r.words("character", "set"), r.words("char", "set"), r.take("charset"):
			t.Charset = r.charsetName()
		case r.take("ascii"):
			t.Charset = "latin1"
		case r.take("unicode"):
			t.Charset = "ucs2"
		case r.take("byte"):
			t.Charset = "binary"
		case r.take("binary"):
			t.Binary = true
		case r.take("collate"):
			t.Collation = r.charsetName()
		default:
			return
		}
	}
}

// charsetName is the name of a character set or collation, bare or in quotes.
func (r *reader) charsetName() string {
	t := r.Peek()
	if t.Kind == parse.Text {
		return strings.ToLower(r.text())
	}
	if t.Kind != parse.Word && t.Kind != parse.Name {
		r.unexpected()
		return ""
	}
	return strings.ToLower(r.Next().Text)
}
