package test

import (
	"context"
	"testing"
)

// TestADuplicateThatWasNotThere: a transaction that has read a key as absent and then meets
// another's row under it is aborted, not refused as a duplicate, under every protocol. A row that
// was there when it was read is a duplicate.
func TestADuplicateThatWasNotThere(t *testing.T) {
	tries := []struct{ name, reads, other, then string }{
		{"key", "SELECT id FROM o WHERE id = 50", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
		{"range", "SELECT id FROM o WHERE id BETWEEN 40 AND 60", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
		{"unique key", "SELECT id FROM o WHERE u = 50", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (51, 50, 51)"},
		{"range of a unique key", "SELECT id FROM o WHERE u > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (51, 50, 51)"},
		{"changed into", "SELECT id FROM o WHERE u > 40", "UPDATE o SET u = 50 WHERE id = 1", "UPDATE o SET u = 50 WHERE id = 2"},
		{"instead", "SELECT id FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51) ON DUPLICATE KEY UPDATE k = 52"},
	}
	if *dsn != "" {
		t.Skip("others lock or show what they want")
	}
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.exec("CREATE TABLE o (id INT PRIMARY KEY, u INT, k INT, UNIQUE KEY (u), KEY (k))")
		for _, region := range []int{0, 1} { // the shard is led from one of them
			a, b := s.conn(ctx, region), s.conn(ctx, 1-region)
			defer a.Close()
			defer b.Close()
			must(t, ctx, b, "SET innodb_lock_wait_timeout = 1, isochron_retry_max = 0")
			for _, tc := range tries {
				must(t, ctx, b, "DELETE FROM o")
				must(t, ctx, b, "INSERT INTO o VALUES (1, 1, 1), (2, 2, 2)")
				must(t, ctx, a, "BEGIN")
				_, err := queryInts(ctx, a, tc.reads)
				if number(err) == 1213 {
					must(t, ctx, a, "ROLLBACK")
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				_, other := b.ExecContext(ctx, tc.other)
				if n := number(other); other != nil && n != 1205 && n != 1213 {
					t.Fatalf("%s: %v", tc.other, other)
				}
				if _, err = a.ExecContext(ctx, tc.then); err == nil {
					_, err = a.ExecContext(ctx, "COMMIT")
				}
				if n := number(err); n != 1213 && (other == nil || err != nil) {
					t.Errorf("%s, from region %d: the other's write: %v; then %v, want error 1213", tc.name, region, other, err)
				}
				must(t, ctx, a, "ROLLBACK")
			}
			must(t, ctx, b, "DELETE FROM o")
			must(t, ctx, b, "INSERT INTO o VALUES (1, 1, 1), (2, 2, 2)")
			seen := []string{"SELECT id FROM o WHERE id = 1", "SELECT id FROM o WHERE u > 0", "SELECT id FROM o WHERE k = 77"}
			for _, reads := range seen {
				genuine(t, ctx, s, region, reads)
			}
		}
	})
}

// genuine tries a real duplicate. Its reads may be from a near copy that does not have the rows
// yet: then it aborts, and tries again.
func genuine(t *testing.T, ctx context.Context, s *stage, region int, reads string) {
	t.Helper()
	a := s.conn(ctx, region)
	defer a.Close()
	var err error
	for range 20 {
		must(t, ctx, a, "BEGIN")
		if _, err = queryInts(ctx, a, reads); err == nil {
			if _, err = a.ExecContext(ctx, "INSERT INTO o VALUES (1, 9, 9)"); err == nil {
				_, err = a.ExecContext(ctx, "COMMIT") // it has seen none, and cannot commit
			}
		}
		must(t, ctx, a, "ROLLBACK")
		if number(err) != 1213 {
			break
		}
	}
	if number(err) != 1062 {
		t.Errorf("%s, from region %d; INSERT of a key that is taken: %v, want error 1062", reads, region, err)
	}
}
