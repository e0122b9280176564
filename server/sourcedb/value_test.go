package sourcedb

import (
	"fmt"
	"strings"
	"testing"

	"isochron/source"
	"isochron/txn"
)

// Values are sent as text and returned as the server prints them. Those of bytea are sent as bytes (postgres_bytes_test.go).
func TestValues(t *testing.T) {
	values := map[string][][2]string{
		"postgres": {
			{"bigint", "-9223372036854775808"}, {"numeric(20,3)", "12345678901234567.890"}, {"boolean", "t"},
			{"double precision", "1e+20"}, {"double precision", "0.1"}, {"text", "O'Re\\il;ly ? -- é"},
			{"date", "2024-02-29"}, {"timestamp without time zone", "2024-02-29 01:02:03.5"}, {"character varying(20)", ""},
			{"jsonb", `{"a": 1}`}, {"uuid", "00112233-4455-6677-8899-aabbccddeeff"}, {"integer[]", "{1,NULL}"},
		},
		"mariadb": {
			{"bigint", "-9223372036854775808"}, {"bigint unsigned", "18446744073709551615"}, {"decimal(20,3)", "12345678901234567.890"},
			{"tinyint", "1"}, {"double", "1e20"}, {"double", "0.1"}, {"double(10,2)", "1.50"}, {"float", "1.1"}, {"double", "1e-20"}, {"double", "123456789012345"},
			{"double", "1.5e15"}, {"double", "-0.000000000000001"},
			{"varbinary(20)", "\x00\xff'\\"}, {"varchar(50)", "O'Re\\il;ly ? -- é"}, {"varchar(20)", ""},
			{"date", "2024-02-29"}, {"datetime(1)", "2024-02-29 01:02:03.5"}, {"time", "-01:02:03"}, {"year", "2024"}, {"longtext", `{"a": 1}`},
		},
	}
	each(t, func(t *testing.T, k *kit) {
		for i, c := range values[k.name_()] {
			table := fmt.Sprintf("%s_%d", k.table, i)
			text := fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, v %s)", table, c[0])
			if k.name_() == "postgres" {
				text += "; ALTER TABLE " + table + " OWNER TO agent"
			}
			k.must(k.server.Exec(text))
			b, _ := k.begin(source.BranchOptions{})
			_, err := b.Execute(k.ctx, source.Statement{
				Text: fmt.Sprintf("INSERT INTO %s VALUES (1, %s), (2, %s)", table, k.mark(1), k.mark(2)), Args: [][]byte{[]byte(c[1]), nil},
			})
			k.must(err)
			r := k.do2(b, "SELECT v FROM "+table+" ORDER BY id")
			k.must(b.Commit(k.ctx))
			if string(r.Rows[0][0]) != c[1] || r.Rows[0][0] == nil || r.Rows[1][0] != nil {
				t.Errorf("%s: %q came back as %q, NULL as %q", c[0], c[1], r.Rows[0][0], r.Rows[1][0])
			}
			if got, want := r.Columns[0], (source.Column{Name: "v", Type: c[0], Null: true}); got != want && k.name_() == "postgres" {
				t.Errorf("column %+v, want %+v", got, want)
			}
			if got := r.Columns[0].Type; k.name_() == "mariadb" && !strings.HasPrefix(c[0], strings.TrimSuffix(got, "text")) {
				t.Errorf("%s is called %s", c[0], got)
			}
		}
	})
}

// Placeholders are found where the server finds them, whatever is around them.
func TestPlaceholders(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		m := k.mark
		for i, c := range []struct {
			text string
			args []string
			want string
		}{
			{"SELECT '?', " + m(1), []string{"a"}, "[? a]"},
			{"SELECT 'it''s ?' /* ? */, " + m(1) + " -- ?\n", []string{"';--"}, "[it's ? ';--]"},
			{"SELECT ';', " + m(1), []string{"x;y"}, "[; x;y]"},
			{"SELECT ';'", nil, "[;]"},
			{"/* hint ; */ SELECT " + m(1) + ", " + m(2), []string{`\`, "'"}, `[\ ']`},
			{"SELECT " + m(1) + ", " + m(2), []string{`\'`, "'' OR 1=1"}, `[\' '' OR 1=1]`},
		} {
			b, _ := k.begin(source.BranchOptions{})
			if i%2 == 0 {
				k.do(b, "SELECT 1 FROM %s") // as the first statement, and as a later one
			}
			s := source.Statement{Text: c.text}
			for _, a := range c.args {
				s.Args = append(s.Args, []byte(a))
			}
			if k.name_() == "postgres" {
				for j := len(c.args); j > 0; j-- {
					s.Text = strings.ReplaceAll(s.Text, m(j), m(j)+"::text")
				}
			}
			r, err := b.Execute(k.ctx, s)
			k.must(err)
			if got := fmt.Sprint(texts(r.Rows[0])); got != c.want {
				t.Errorf("%s: %s, want %s", c.text, got, c.want)
			}
			k.must(b.Rollback(k.ctx))
		}
		b, _ := k.begin(source.BranchOptions{})
		if _, err := k.try(b, "SELECT "+m(1)+" FROM %s"); err == nil {
			t.Error("a placeholder without a value")
		}
		_, err := k.try(b, "SELECT 1 FROM %s", "too many")
		if k.fails(err, 1210).Ends {
			t.Error("too many values end the branch")
		}
		k.must(b.Rollback(k.ctx))
	})
}

// A text has one statement: a second one is refused, not run.
func TestNoSecondStatement(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for _, text := range []string{
			"SELECT 1; INSERT INTO %s VALUES (9, 9)",
			"INSERT INTO %s VALUES (8, 8); COMMIT",
			"/* ' */ SELECT 1; XA COMMIT 'x'; -- '",
		} {
			b, _ := k.begin(source.BranchOptions{})
			k.do(b, "INSERT INTO %s VALUES (1, 10)")
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, k.table)
			}
			_, err := b.Execute(k.ctx, source.Statement{Text: text})
			if e := k.fails(err, 1064); e.Ends {
				t.Errorf("%s: %+v", text, e)
			}
			k.do(b, "UPDATE %s SET v = 11 WHERE id = 1")
			k.must(b.Rollback(k.ctx))
		}
		k.has()
	})
}

func TestTransactionControlIsRefused(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		for _, text := range []string{
			"COMMIT", " begin", "start transaction", "rollback", "/* x */ ROLLBACK WORK", "-- x\n(COMMIT", "xa end 'a'", "END",
			"PREPARE TRANSACTION 'x'", "ABORT", "ROLLBACK AND CHAIN", "rollback prepared 'a'",
		} {
			_, err := b.Execute(k.ctx, source.Statement{Text: text})
			if e := k.fails(err, 1399); e.Ends {
				t.Errorf("%s: %+v", text, e)
			}
		}
		for text, code := range map[string]uint16{"": 1065, " -- nothing": 1065, "/*!COMMIT*/": 1064, "/*M! COMMIT */": 1064} {
			_, err := b.Execute(k.ctx, source.Statement{Text: text})
			k.fails(err, code)
		}
		k.must(b.Rollback(k.ctx))
		k.has()
	})
}

// A statement's changes are counted, also if it returns rows.
func TestCounts(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		for i, c := range []struct {
			text           string
			affected, rows int
		}{
			{"INSERT INTO %s VALUES (1, 10), (2, 20), (3, 30)", 3, 0},
			{"UPDATE %s SET v = v + 1 WHERE id < 3", 2, 0},
			{"DELETE FROM %s WHERE id = 3 RETURNING id, v", 1, 1},
			{"INSERT INTO %s VALUES (4, 40), (5, 50) RETURNING id", 2, 2},
			{"SELECT * FROM %s", 0, 4},
			{"/* it is */ (SELECT * FROM %s)", 0, 4},
			{"DELETE FROM %s", 4, 0},
		} {
			r := k.do(b, c.text)
			if int(r.Affected) != c.affected || len(r.Rows) != c.rows {
				t.Errorf("%d: %s: affected %d, %d rows", i, c.text, r.Affected, len(r.Rows))
			}
		}
		k.must(b.Commit(k.ctx))
		if k.name_() != "mariadb" {
			return
		}
		k.must(k.server.Exec(fmt.Sprintf("CREATE TABLE %s_auto (id INT AUTO_INCREMENT PRIMARY KEY, v INT)", k.table)))
		b, _ = k.begin(source.BranchOptions{})
		for want := range 3 {
			if r := k.do(b, "INSERT INTO %s_auto (v) VALUES (1)"); int(r.InsertID) != want+1 {
				t.Errorf("the id of the row inserted is %d, want %d", r.InsertID, want+1)
			}
		}
		k.must(b.Rollback(k.ctx))
	})
}

// A declared number is computed with exactly, whole or not; other text stays a string and cannot bring a statement.
func TestNumbers(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() == "postgres" {
			return // it infers types by itself
		}
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 9007199254740992)")
		ask := func(text, arg string) string {
			t.Helper()
			r, err := b.Execute(k.ctx, source.Statement{Text: text, Args: [][]byte{[]byte(arg)}, Kinds: []txn.ArgKind{txn.ArgNumber}})
			k.must(err)
			return string(r.Rows[0][0])
		}
		sum := "SELECT v + ? FROM " + k.table + " WHERE id = 1"
		for arg, want := range map[string]string{"1": "9007199254740993", "-1": "9007199254740991", "0.25": "9007199254740992.25", "+.5": "9007199254740992.5", "18446744073700000000": ""} {
			if want != "" {
				if got := ask(sum, arg); got != want {
					t.Errorf("plus %s it is %s, not %s", arg, got, want)
				}
			}
			if got := ask("SELECT CONCAT(?, '')", arg); strings.TrimPrefix(got, "0") != strings.TrimPrefix(strings.TrimPrefix(arg, "+"), "0") {
				t.Errorf("%s is written as %s", arg, got)
			}
		}
		for _, text := range []string{"1; DELETE FROM " + k.table, "1 OR 1", "0x10", "'", "\\", "1e", "--1", "1e99999"} {
			if got := ask("SELECT CONCAT(?, '')", text); got != text {
				t.Errorf("%q came as %q", text, got)
			}
		}
		k.must(b.Rollback(k.ctx))
	})
}
