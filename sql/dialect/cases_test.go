package dialect

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"isochron/test/pages"
)

// The tables of the cases, as a MySQL client makes them. The last two are as a PostgreSQL source
// may have them, which were not made through this door.
const caseTables = `
CREATE TABLE accounts (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance DECIMAL(10,2), active TINYINT(1) NOT NULL DEFAULT 1, n INT, made DATETIME, born DATE, note TEXT, price DOUBLE);
CREATE TABLE orders (id INT NOT NULL PRIMARY KEY, account BIGINT NOT NULL, item VARCHAR(30) NOT NULL, qty INT DEFAULT 1, paid BOOLEAN NOT NULL DEFAULT 0);
CREATE TABLE stock (a INT NOT NULL, b INT NOT NULL, v INT NOT NULL DEFAULT 7, w VARCHAR(10), PRIMARY KEY (a, b));
CREATE TABLE users (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, email VARCHAR(40) NOT NULL UNIQUE, hits INT NOT NULL DEFAULT 0);
CREATE TABLE flags (id INT NOT NULL PRIMARY KEY, ok TINYINT(1) NOT NULL, maybe TINYINT(1), doc JSON)`

const flagsInPostgres = `CREATE TABLE flags (id integer PRIMARY KEY, ok boolean NOT NULL, maybe boolean, doc jsonb)`

var caseRows = []string{
	`INSERT INTO accounts VALUES (1,'ann',100.50,1,5,'2024-01-31 10:20:30','2000-02-29','hello world',1.5),
	 (2,'bob',20.00,0,NULL,'2023-12-31 23:59:59','1999-12-31',NULL,2.25),
	 (3,'cat',NULL,1,7,NULL,'2001-01-01','a_b%c\\d',NULL),
	 (4,'ann',-3.75,1,-2,'2024-02-29 00:00:00','1980-07-04','it''s',-0.5)`,
	`INSERT INTO orders VALUES (10,1,'pen',3,1),(11,1,'ink',NULL,0),(12,2,'pen',1,0),(13,9,'cap',10,1)`,
	`INSERT INTO stock VALUES (1,1,10,'x'),(1,2,20,NULL),(2,1,30,'y')`,
	`INSERT INTO users VALUES (1,'a@x',1),(2,'b@x',2)`,
	`INSERT INTO flags VALUES (1,1,NULL,'{"a": {"b": [1, "two"]}, "c": "text"}'),(2,0,1,'{"a": 5}'),(3,1,0,NULL)`,
}

// caseSchema is those tables as a source describes them.
type caseSchema struct{}

var caseSchemaTables = map[string]*Table{
	"accounts": {Name: "accounts", Key: []string{"id"}, Columns: []Column{
		{Name: "id", Type: "bigint", Auto: true}, {Name: "owner", Type: "character varying(20)"}, {Name: "balance", Type: "numeric(10,2)", Null: true},
		{Name: "active", Type: "smallint"}, {Name: "n", Type: "integer", Null: true}, {Name: "made", Type: "timestamp(0) without time zone", Null: true},
		{Name: "born", Type: "date", Null: true}, {Name: "note", Type: "text", Null: true}, {Name: "price", Type: "double precision", Null: true}}},
	"orders": {Name: "orders", Key: []string{"id"}, Columns: []Column{
		{Name: "id", Type: "integer"}, {Name: "account", Type: "bigint"}, {Name: "item", Type: "character varying(30)"},
		{Name: "qty", Type: "integer", Null: true}, {Name: "paid", Type: "smallint"}}},
	"stock": {Name: "stock", Key: []string{"a", "b"}, Columns: []Column{
		{Name: "a", Type: "integer"}, {Name: "b", Type: "integer"}, {Name: "v", Type: "integer"}, {Name: "w", Type: "character varying(10)", Null: true}}},
	"users": {Name: "users", Key: []string{"id"}, Unique: [][]string{{"email"}}, Columns: []Column{
		{Name: "id", Type: "integer", Auto: true}, {Name: "email", Type: "character varying(40)"}, {Name: "hits", Type: "integer"}}},
	"flags": {Name: "flags", Key: []string{"id"}, Columns: []Column{
		{Name: "id", Type: "integer"}, {Name: "ok", Type: "boolean"}, {Name: "maybe", Type: "boolean", Null: true}, {Name: "doc", Type: "jsonb", Null: true}}},
	"Mixed": {Schema: "Sales", Name: "MixedCase", Key: []string{"Id"}, Columns: []Column{{Name: "Id", Type: "integer"}, {Name: "fullName", Type: "text", Null: true}}},
}

func (caseSchema) Table(_, name string) (*Table, bool) {
	t, ok := caseSchemaTables[name]
	return t, ok
}

// aCase is a case of testdata/cases.
type aCase struct {
	file, topic string
	pos         string
	text        string
	options     Options
	args        []string
	only        bool // it is not run: MariaDB does not have it, or the answer is the clock's
	plain       bool // it is translated without a schema
	expected    string
}

// cases runs f over the cases of all files; its result is compared with the file.
func cases(t *testing.T, f func(c aCase) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("there are no cases", err)
	}
	slices.Sort(files)
	for _, file := range files {
		topic := ""
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "topic" {
				topic = d.Input
				return d.Expected
			}
			c := aCase{file: file, topic: topic, pos: d.Pos, text: d.Input, expected: d.Expected}
			for _, a := range d.CmdArgs {
				switch a.Key {
				case "share":
					c.options.Share = true
				case "fold":
					c.options.LikeFoldsCase = true
				case "id":
					c.options.ReturnInsertID = true
				case "last":
					n := uint64(42)
					c.options.LastInsertID = &n
				case "args":
					c.args = a.Vals
				case "classes":
					c.options.Classes = a.Vals[0]
				case "only":
					c.only = true
				case "plain":
					c.plain = true
				default:
					d.Fatalf(t, "no option %s", a.Key)
				}
			}
			return f(c)
		})
	}
}

func (c aCase) translate() (Translation, error) {
	var s Schema = caseSchema{}
	if c.plain {
		s = nil
	}
	return Translate(c.text, Postgres, s, c.options)
}

// told is a translation in the form of the files of cases.
func told(c aCase) string {
	tr, err := c.translate()
	if err != nil {
		var refusal *ErrNotTranslated
		if errors.As(err, &refusal) {
			return "refused: " + err.Error() + "\n"
		}
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintln(&b, tr.Text)
	for _, m := range tr.More {
		fmt.Fprintln(&b, "then: "+m)
	}
	straight := true
	for i, a := range tr.Args {
		straight = straight && i == a
	}
	if !straight {
		fmt.Fprintln(&b, "values:", strings.Trim(fmt.Sprint(tr.Args), "[]"))
	}
	if c.options.Share {
		for _, u := range tr.Unguarded {
			fmt.Fprintf(&b, "unguarded: %s, %s\n", u.Table, u.Reason)
		}
	}
	for _, r := range tr.Remarks {
		fmt.Fprintln(&b, "remark: "+r)
	}
	return b.String()
}

// TestCases holds the translations against testdata/cases; -rewrite writes them.
func TestCases(t *testing.T) { cases(t, told) }

// TestPageOfDialects compares docs/generated/dialects.md with the cases.
func TestPageOfDialects(t *testing.T) {
	var all []aCase
	cases(t, func(c aCase) string {
		all = append(all, c)
		return c.expected
	})
	pages.Hold(t, "dialects.md", page(all))
}
