package dialect

import (
	"fmt"
	"strings"
)

// page is docs/generated/dialects.md, made of the cases.
func page(all []aCase) string {
	var b strings.Builder
	b.WriteString(`# What is translated for a PostgreSQL source

A statement that comes in at the MySQL door and is for one source is parsed as MySQL and written
anew from the tree: for one that speaks MySQL in its own words, without comments and hints. What
means another thing at a PostgreSQL, and cannot be written so that it means the same, is refused
with error 1235.

Each function of PostgreSQL is called with its schema, pg_catalog, so that none of another schema
takes its place, and only if the source's version has it. COALESCE, GREATEST, LEAST, NULLIF, CAST
and EXTRACT look like functions and are syntax, which no schema can replace. SUBSTRING, TRIM and
POSITION are written as plain functions; OVERLAY and CURRENT_TIMESTAMP are not used.

This page is made from the cases in ` + "`sql/dialect/testdata/cases`" + `. A test translates each, has
PostgreSQL's own parser read it, and, but for those marked *not run*, runs it on a real MariaDB and
its translation on a real PostgreSQL, with one answer. The tables of the cases stand at the end.
What is not on this page may be refused; a refusal says why, and what to write instead.
`)
	topic := ""
	for _, c := range all {
		if c.topic != topic {
			topic = c.topic
			title, text, _ := strings.Cut(topic, "\n")
			fmt.Fprintf(&b, "\n## %s\n", title)
			if text = strings.TrimSpace(text); text != "" {
				fmt.Fprintf(&b, "\n%s\n", wrapped(strings.Join(strings.Fields(text), " "), ""))
			}
		}
		b.WriteString("\n```sql\n" + wrapped(c.text, "") + "\n")
		b.WriteString(answer(c) + "```\n")
		b.WriteString(remarks(c))
	}
	b.WriteString("\n## The tables of the cases\n\n```sql\n")
	for _, t := range strings.Split(strings.TrimSpace(caseTables), "\n") {
		b.WriteString(wrapped(t, "  ") + "\n")
	}
	b.WriteString("```\n\nAt the PostgreSQL source the last one is\n\n```sql\n" + wrapped(flagsInPostgres, "  ") + "\n```\n")
	return b.String()
}

// answer is the translation under the statement, as comments and SQL.
func answer(c aCase) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(c.expected), "\n") {
		switch {
		case strings.HasPrefix(line, "remark: "), strings.HasPrefix(line, "unguarded: "), strings.HasPrefix(line, "values: "):
		case strings.HasPrefix(line, "refused: "):
			line = strings.Replace(line, " cannot be translated for a PostgreSQL source", "", 1)
			b.WriteString(wrapped("-- "+line, "-- ") + "\n")
		default:
			b.WriteString("-- =>\n" + wrapped(line, "  ") + "\n")
		}
	}
	return b.String()
}

func remarks(c aCase) string {
	var notes []string
	if c.only {
		notes = append(notes, "not run")
	}
	if c.options.LikeFoldsCase {
		notes = append(notes, "with the option that LIKE folds case")
	}
	if c.options.ReturnInsertID {
		notes = append(notes, "where the client may ask for LAST_INSERT_ID()")
	}
	if c.plain {
		notes = append(notes, "where the table is not known")
	}
	for _, line := range strings.Split(c.expected, "\n") {
		for _, mark := range []string{"remark: ", "unguarded: ", "values: "} {
			if text, ok := strings.CutPrefix(line, mark); ok {
				switch mark {
				case "unguarded: ":
					text = "unguarded: " + text
				case "values: ":
					text = "the values go in the order " + text + ", counted from 0"
				}
				notes = append(notes, text)
			}
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return "\n" + wrapped("*"+strings.Join(notes, "; ")+"*", "") + "\n"
}

// wrapped breaks a text at blanks so that its lines have at most 100 columns.
func wrapped(text, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		switch n := len([]rune(word)); {
		case i == 0:
			column = n
		case column+1+n > 98:
			b.WriteString("\n" + indent)
			column = len(indent) + n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
