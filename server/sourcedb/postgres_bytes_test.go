package sourcedb

import (
	"fmt"
	"testing"

	"isochron/source"
)

// Values of prepared statements are stored unchanged, text as text and bytes as bytes, whatever their content: alone, as
// the first statement of a branch, and later.
func TestBytesAsValues(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		column := "BLOB"
		if k.name_() == "postgres" {
			column = "BYTEA"
		}
		k.must(k.server.Exec(fmt.Sprintf("ALTER TABLE %s ADD b %s, ADD s VARCHAR(50)", k.table, column)))
		hex := map[string]string{"postgres": "encode(b, 'hex')", "mariadb": "LOWER(HEX(b))"}[k.name_()]
		insert := source.Statement{Text: fmt.Sprintf("INSERT INTO %s (id, v, b, s) VALUES (%s, 1, %s, %s)", k.table, k.mark(1), k.mark(2), k.mark(3))}
		id := 0
		for _, value := range []string{`\x41`, `\\x41`, "\x00\xff", `\101`, "a'b", "", "\\", `\`, "é", "\xff\xfe", "abc"} {
			text := value
			if value == "\x00\xff" || value == "\xff\xfe" {
				text = `\x41`
			}
			for _, way := range []string{"alone", "tried", "first", "later"} {
				id++
				s := insert
				s.Args = [][]byte{fmt.Append(nil, id), []byte(value), []byte(text)}
				if way == "tried" && k.name_() == "postgres" {
					s.Guard, s.Least, s.Locks = []string{"LOCK TABLE " + k.table + " IN SHARE MODE"}, 1, true
				}
				if way == "alone" || way == "tried" {
					_, err := k.driver.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{}, s)
					k.must(err)
				} else {
					b, _ := k.begin(source.BranchOptions{})
					if way == "later" {
						k.do(b, "UPDATE %s SET v = v")
						if _, err := k.try(b, "INSERT INTO nothing VALUES ("+k.mark(1)+") -- %s", `\x`); err == nil {
							t.Fatal("a table that is not there was written")
						}
					}
					_, err := b.Execute(k.ctx, s)
					k.must(err)
					k.must(b.Commit(k.ctx))
				}
				b, _ := k.begin(source.BranchOptions{})
				r := k.do(b, fmt.Sprintf("SELECT %s, s FROM %%s WHERE id = %d", hex, id))
				k.must(b.Rollback(k.ctx))
				if got := string(r.Rows[0][0]); got != fmt.Sprintf("%x", value) || string(r.Rows[0][1]) != text {
					t.Errorf("%s: %q is stored as %s, and the text %q as %q", way, value, got, text, r.Rows[0][1])
				}
			}
		}
		b, _ := k.begin(source.BranchOptions{})
		r, err := b.Execute(k.ctx, source.Statement{Text: fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE b = %s", k.table, k.mark(1)), Args: [][]byte{[]byte(`\x41`)}})
		k.must(err)
		if string(r.Rows[0][0]) != "4" {
			t.Errorf("%s rows are found by a value", r.Rows[0][0])
		}
		k.must(b.Rollback(k.ctx))
	})
}
