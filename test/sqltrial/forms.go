package main

import (
	"regexp"
	"strings"
)

// form is a class of statements by what they contain.
type form struct {
	name    string
	pattern *regexp.Regexp
}

// f makes a form; spaces of the pattern match any white space.
func f(name, pattern string) form {
	space := strings.NewReplacer(" *", `\s*`, " +", `\s+`, " ", `\s+`)
	return form{name, regexp.MustCompile(`(?is)` + space.Replace(pattern))}
}

// forms are tried in this order: the rare ones first, since a refusal is counted for the first that fits.
var forms = []form{
	f("CREATE TRIGGER", `^\W*create (or replace )?(definer *= *\S+ )?trigger\b`),
	f("CREATE FUNCTION", `^\W*create (or replace )?(definer *= *\S+ )?(aggregate )?function\b`),
	f("CREATE EVENT", `^\W*(create|alter) (or replace )?(definer *= *\S+ )?event\b`),
	f("CREATE PROCEDURE, plain body", `^[^(]*create (or replace )?(definer *= *\S+ )?procedure\b`),
	f("CALL", `^\W*call\b`),
	f("DROP of routine, trigger, event", `^\W*drop (procedure|function|trigger|event)\b`),
	f("users, roles and rights", `^\W*((create|alter|drop|rename) (user|role)\b|grant\b|revoke\b|set (password|role|default role)\b|show (grants|create user))`),
	f("LOAD DATA, LOAD XML", `^\W*load\b`),
	f("HANDLER", `^\W*handler\b`),
	f("XA", `^\W*xa\b`),
	f("SIGNAL, GET DIAGNOSTICS", `^\W*(re)?signal\b|^\W*get (current |stacked )?diagnostics`),
	f("PREPARE, EXECUTE", `^\W*(prepare|execute|deallocate)\b`),
	f("LOCK TABLES, BACKUP, LOCK INSTANCE", `^\W*(un)?lock\b`),
	f("KILL, FLUSH, RESET, SHUTDOWN, HELP", `^\W*(kill|flush|reset|shutdown|help|install|uninstall|purge|change)\b`),
	f("ANALYZE, CHECK, OPTIMIZE, REPAIR, CHECKSUM", `^\W*(analyze (no_write_to_binlog |local )?tables?|check|optimize|repair|checksum)\b`),
	f("BEGIN, COMMIT, SAVEPOINT, SET TRANSACTION", `^\W*(begin|start|commit|rollback|savepoint|release|set (session |global )?transaction)\b`),
	f("EXPLAIN", `^\W*(explain|describe|desc|analyze)\b`),
	f("SHOW", `^\W*show\b`),
	f("USE", `^\W*use\b`),
	f("SET of variables", `^\W*set\b`),
	f("DO", `^\W*do\b`),
	f("CREATE, ALTER, DROP DATABASE", `^\W*(create|alter|drop) (or replace )?(database|schema)\b`),
	f("CREATE, ALTER, DROP VIEW", `^\W*(create|alter) [^(]*\bview\b|^\W*drop view`),
	f("CREATE, DROP INDEX", `^\W*(create|drop) (or replace )?(unique |fulltext |spatial )?index\b`),
	f("CREATE TABLE ... PARTITION BY", `^\W*create .*\bpartition by\b`),
	f("CREATE TABLE ... SELECT or LIKE", `^\W*create (or replace )?(temporary )?table [^(]*(\(?\s*\blike\b|\bselect\b)|^\W*create (temporary )?table .*\) *[\w= ]*(as )?\(?(select|with)\b`),
	f("CREATE TABLE", `^\W*create (or replace )?(temporary )?table\b`),
	f("ALTER TABLE", `^\W*alter (ignore )?table\b`),
	f("DROP, TRUNCATE, RENAME TABLE", `^\W*(drop|truncate|rename)\b`),
	f("RETURNING", `\breturning\b`),
	f("INTERSECT, EXCEPT", `\b(intersect|except|minus)( all| distinct)? *\(*(select|table|values)\b`),
	f("TABLE t, VALUES ROW()", `(^|\()\s*(table \w+|values row)\b`),
	f("INSERT ... AS new ON DUPLICATE", `^\W*insert .*\bas \w+( *\([\w, ]*\))? on duplicate\b`),
	f("INSERT ... ON DUPLICATE", `^\W*insert .*on duplicate\b`),
	f("INSERT ... SELECT", `^\W*(insert|replace) .*\b(select|with)\b`),
	f("INSERT ... VALUES, SET", `^\W*insert\b`),
	f("REPLACE", `^\W*replace\b`),
	f("INTO @variable, OUTFILE", `\binto +(@|outfile|dumpfile)`),
	f("FOR UPDATE OF, FOR SHARE OF", `\bfor (update|share) of\b`),
	f("FOR UPDATE, FOR SHARE, NOWAIT, SKIP LOCKED", `\bfor (update|share)\b|\block in share mode\b`),
	f("JSON_TABLE", `\bjson_table *\(`),
	f("LATERAL", `\blateral\b`),
	f("WITH RECURSIVE", `\bwith recursive\b`),
	f("WITH (CTE)", `^\W*with\b|\(\s*with\b`),
	f("UPDATE of several tables", `^\W*update( low_priority| ignore)* [^=]*(\bjoin\b|,)[^=]* set\b`),
	f("DELETE of several tables", `^\W*delete( low_priority| quick| ignore)* (\w+(\.\*)? *(, *\w+(\.\*)? *)*from\b|from \w+(\.\*)?( *, *\w+(\.\*)?)* using\b)`),
	f("UPDATE", `^\W*update\b`),
	f("DELETE", `^\W*delete\b`),
	f("named windows, OVER", `\bover *[\w(]|\bwindow \w+ as\b`),
	f("GROUP BY ... WITH ROLLUP, GROUPING()", `\bwith rollup\b|\bgrouping *\(`),
	f("GROUP_CONCAT", `\bgroup_concat *\(`),
	f("MATCH ... AGAINST", `\bmatch *\(`),
	f("ANY, ALL, SOME (subquery)", `[<>=] *(any|all|some) *\(`),
	f("NATURAL JOIN", `\bnatural (left |right |inner )?(outer )?join\b`),
	f("JOIN ... USING", `\busing *\(`),
	f("nested joins in parentheses", `\bjoin *\(\s*\w+( \w+)?( as \w+)? *(,|\w* *join)`),
	f("UNION", `\bunion\b`),
	f("row values", `\) *(=|<=>|<>|!=|<|>|<=|>=|(not )?in) *\(+ *\(?.*|\brow *\(`),
	f("index hints", `\b(use|force|ignore) (index|key)\b`),
	f("@a := ...", `:=`),
	f("variables", `@`),
	f("subqueries", `\( *select\b`),
	f("joins", `\bjoin\b`),
	f("aggregates", `\bgroup by\b|\b(count|sum|avg|min|max|std\w*|var\w*|bit_(and|or|xor)|json_\w*agg) *\(`),
	f("SELECT, FROM a table", `\bfrom\b`),
	f("SELECT without tables", `^\W*select\b`),
	f("others", ``),
}

func formOf(s statement) string {
	if s.form != "" {
		return s.form
	}
	for _, f := range forms {
		if f.pattern.MatchString(s.text) {
			return f.name
		}
	}
	return "others"
}
