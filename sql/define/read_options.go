package define

import (
	"strings"

	"isochron/sql/parse"
)

// ignored are options of a table that change nothing here, and take one value.
var ignored = map[string]bool{
	"avg_row_length": true, "checksum": true, "compression": true, "connection": true, "delay_key_write": true, "encryption": true, "insert_method": true, "key_block_size": true,
	"max_rows": true, "min_rows": true, "pack_keys": true, "password": true, "row_format": true, "stats_auto_recalc": true, "stats_persistent": true, "stats_sample_pages": true,
	"tablespace": true, "engine_attribute": true, "secondary_engine_attribute": true, "autoextend_size": true, "page_checksum": true, "transactional": true, "table_checksum": true,
	"secondary_engine": true, "storage": true, "page_compressed": true,
}

// tableOptions are the options of a table.
func (r *reader) tableOptions() (o Options) {
	for r.err == nil && r.tableOption(&o) {
		r.take(",")
	}
	return o
}

func (r *reader) tableOption(o *Options) bool {
	at := r.At
	switch {
	case r.one("engine", "type") != "":
		r.take("=")
		o.Engine = r.optionValue()
	case r.take("auto_increment"):
		r.take("=")
		n := r.number()
		o.AutoIncrement = &n
	case r.take("comment"):
		r.take("=")
		text := r.text()
		o.Comment = &text
	case r.charsetOption(o):
	case r.words("data", "directory"), r.words("index", "directory"):
		r.take("=")
		r.text()
	case r.take("union"):
		r.take("=")
		r.bracketed()
	default:
		t := r.Peek()
		if t.Kind != parse.Word || !ignored[strings.ToLower(t.Text)] {
			r.At = at
			return false
		}
		r.Next()
		r.take("=")
		r.optionValue()
	}
	return true
}

// charsetOption reads an option about texts, which databases have too.
func (r *reader) charsetOption(o *Options) bool {
	at := r.At
	r.take("default")
	switch {
	case r.words("character", "set"), r.words("char", "set"), r.take("charset"):
		r.take("=")
		o.Charset = r.charsetName()
	case r.take("collate"):
		r.take("=")
		o.Collation = r.charsetName()
	default:
		r.At = at
		return false
	}
	return true
}

// optionValue is a word, number, name or text.
func (r *reader) optionValue() string {
	t := r.Peek()
	switch t.Kind {
	case parse.Text:
		return r.text()
	case parse.Word, parse.Name:
		return r.Next().Text
	}
	r.unexpected()
	return ""
}

// partition is a PARTITION BY clause; nil: none comes next.
func (r *reader) partition() *Partition {
	if !r.words("partition", "by") {
		return nil
	}
	p := &Partition{Count: 1, Other: r.take("linear")}
	p.Kind = strings.ToUpper(r.optionValue())
	if r.take("algorithm") {
		r.take("=")
		r.number()
	}
	if r.take("columns") && p.Kind != "RANGE" {
		p.Other = true
	}
	inner := r.bracketed()
	for _, t := range parse.Tokens(inner, r.ANSI) {
		switch {
		case t.Kind == parse.Name || t.Kind == parse.Word:
			p.Columns = append(p.Columns, t.Text)
		case !t.Is(","):
			p.Other = true
		}
	}
	if r.take("partitions") {
		p.Count = r.size()
	}
	if r.words("subpartition", "by") {
		p.Other = true
		r.optionValue()
		r.bracketed()
		if r.take("subpartitions") {
			r.number()
		}
	}
	if r.Peek().Is("(") {
		r.partitions(p)
	}
	return p
}

// partitions reads the list of partitions, of which a placement follows the bounds.
func (r *reader) partitions(p *Partition) {
	r.must("(")
	for count := 1; r.err == nil; count++ {
		r.must("partition")
		r.name()
		p.Count = max(p.Count, count)
		if r.words("values", "less", "than") {
			bound := "MAXVALUE"
			if !r.take("maxvalue") {
				bound = r.bracketed()
			}
			if !strings.EqualFold(bound, "maxvalue") {
				p.Bounds = append(p.Bounds, bound)
			}
		} else if r.words("values", "in") {
			p.Other = true
			r.bracketed()
		}
		for r.tableOption(new(Options)) {
			continue
		}
		if !r.take(",") {
			break
		}
	}
	r.must(")")
}
