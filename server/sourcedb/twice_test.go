package sourcedb

import (
	"fmt"
	"testing"

	"isochron/source"
)

// A change that is tried without its guard, and needs it, takes effect once; so do its triggers, even if the change finds
// no row. Then others cannot insert the row it did not find.
func TestATriedChangeIsCarriedOutOnce(t *testing.T) {
	onPostgres(t, func(k *kit) {
		log := "log_" + k.table
		k.pg(fmt.Sprintf(`CREATE TABLE %[2]s (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY); GRANT ALL ON %[2]s TO agent;
			CREATE FUNCTION note_%[1]s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO %[2]s DEFAULT VALUES; RETURN NULL; END $$;
			CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON %[1]s FOR EACH STATEMENT EXECUTE FUNCTION note_%[1]s()`, k.table, log))
		for _, c := range []struct {
			least    int
			text     string
			affected int64
			want     []string
		}{
			{2, "UPDATE %s SET v = v - 10 WHERE id IN (1, 9)", 1, []string{"1", "90", "2", "100", "3", "100"}},
			{3, "UPDATE %s SET v = v - 10 WHERE id IN (1, 2, 9)", 2, []string{"1", "90", "2", "90", "3", "100"}},
			{2, "UPDATE %s SET v = v - 10 WHERE id IN (1, 2)", 2, []string{"1", "90", "2", "90", "3", "100"}},
			{2, "UPDATE %s SET id = id + 1 WHERE id IN (3, 4)", 1, []string{"1", "100", "2", "100", "4", "100"}},
			{2, "DELETE FROM %s WHERE id IN (3, 9)", 1, []string{"1", "100", "2", "100"}},
			{2, "INSERT INTO %s VALUES (1, 0), (5, 0) ON CONFLICT DO NOTHING", 1, []string{"1", "100", "2", "100", "3", "100", "5", "0"}},
			{2, "WITH w AS (SELECT 1) UPDATE %s SET v = v - 10 WHERE id IN (1, 9)", 1, []string{"1", "90", "2", "100", "3", "100"}},
			{1, "UPDATE %s SET v = 0 WHERE id = 9", 0, []string{"1", "100", "2", "100", "3", "100"}},
			{1, "UPDATE %s SET v = 0 WHERE id = 1", 1, []string{"1", "0", "2", "100", "3", "100"}},
			{2, "UPDATE %s SET v = v - 10 WHERE id IN (1, 9) RETURNING v", 1, []string{"1", "90", "2", "100", "3", "100"}},
			{1, "INSERT INTO %s VALUES (1, 0) ON CONFLICT DO NOTHING", 0, []string{"1", "100", "2", "100", "3", "100"}},
		} {
			for how, run := range map[string]func(s source.Statement) source.Result{
				"first": func(s source.Statement) source.Result {
					b, _ := k.begin(source.BranchOptions{})
					r, err := b.Execute(k.ctx, s)
					k.must(err)
					k.must(b.Commit(k.ctx))
					return r
				},
				"later": func(s source.Statement) source.Result {
					b, n := k.begin(source.BranchOptions{})
					for _, before := range []string{"SELECT 1", "SAVEPOINT a"} {
						_, err := b.Execute(k.ctx, source.Statement{Text: before, Locks: true})
						k.must(err)
					}
					r, err := b.Execute(k.ctx, s)
					k.must(err)
					_, err = b.Execute(k.ctx, source.Statement{Text: fmt.Sprintf("INSERT INTO %s VALUES (1, 0)", k.table), Locks: true})
					k.fails(err, 1062) // without other effects
					k.must(b.Prepare(k.ctx))
					k.finish(k.driver, n, true, true)
					return r
				},
				"undone": func(s source.Statement) source.Result {
					b, _ := k.begin(source.BranchOptions{})
					for _, text := range []string{"SAVEPOINT a", s.Text, "ROLLBACK TO SAVEPOINT a"} {
						if s.Text != text {
							_, err := b.Execute(k.ctx, source.Statement{Text: text, Locks: true})
							k.must(err)
							continue
						}
						_, err := b.Execute(k.ctx, s)
						k.must(err)
					}
					r, err := b.Execute(k.ctx, s)
					k.must(err)
					k.must(b.Commit(k.ctx))
					return r
				},
				"alone": func(s source.Statement) source.Result {
					r, err := k.driver.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{}, s)
					k.must(err)
					return r
				},
			} {
				k.pg(fmt.Sprintf("TRUNCATE %[1]s; INSERT INTO %[1]s VALUES (1, 100), (2, 100), (3, 100); TRUNCATE %[2]s", k.table, log))
				s := source.Statement{Text: fmt.Sprintf(c.text, k.table), Locks: true, Least: c.least, Guard: []string{fmt.Sprintf("LOCK TABLE %s IN SHARE MODE", k.table)}}
				if r := run(s); r.Affected != c.affected {
					t.Errorf("%s, %s: affected %d, want %d", c.text, how, r.Affected, c.affected)
				}
				if times := k.pg("SELECT count(*) FROM " + log); times != "1" {
					t.Errorf("%s, %s: its trigger has run %s times", c.text, how, times)
				}
				k.has(c.want...)
			}
		}
	})
}
