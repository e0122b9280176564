package sourcedb

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/source"
)

// BenchmarkCosts measures what package lab's models of databases need: a round trip (a statement that reads nothing), a
// statement that reads or writes a row of 1 KB by its key, in the middle of a branch, and the prepares and commits of
// branches with writes. A row has ten fields, as in YCSB, and a write changes all.
func BenchmarkCosts(b *testing.B) {
	const rows = 10_000
	var values strings.Builder
	for i := range rows {
		fmt.Fprintf(&values, "(%d%s),", i, strings.Repeat(", '"+strings.Repeat("x", 100)+"'", 10))
	}
	benchEach(b, fields("%s VARCHAR(100)"), strings.TrimSuffix(values.String(), ","), func(d *dialect, driver source.Driver, table string) {
		b.Run(d.name, func(b *testing.B) {
			took := map[string][]time.Duration{}
			for i := range b.N {
				costBranch(b, driver, table, i%rows, i%2 == 0, took)
			}
			for what, all := range took { // order: reported by name
				reportTimes(b, what+"-", all)
			}
		})
	})
}

// fields are ten columns.
func fields(format string) string {
	out := make([]string, 10)
	for i := range out {
		out[i] = fmt.Sprintf(format, fmt.Sprintf("f%d", i))
	}
	return strings.Join(out, ", ")
}

// costBranch measures the steps of one branch.
func costBranch(b *testing.B, d source.Driver, table string, row int, prepare bool, took map[string][]time.Duration) {
	ctx, n := context.Background(), (&kit{}).name()
	step := func(what string, f func() error) {
		begun := time.Now()
		if err := f(); err != nil {
			b.Fatalf("%s: %v", what, err)
		}
		took[what] = append(took[what], time.Since(begun))
	}
	var branch source.Branch
	begin := func() (err error) { branch, err = d.Begin(ctx, n, source.BranchOptions{}); return err }
	statement := func(format string, args ...any) func() error {
		return func() error {
			_, err := branch.Execute(ctx, source.Statement{Text: fmt.Sprintf(format, args...)})
			return err
		}
	}
	step("begin", begin)
	step("first", statement("SELECT * FROM %s WHERE id = %d", table, row)) // begins the branch as well, perhaps
	step("trip", statement("SELECT 1"))
	step("read", statement("SELECT * FROM %s WHERE id = %d", table, row/2))
	step("write", statement("UPDATE %s SET %s WHERE id = %d", table, fields("%s = '"+strings.Repeat("y", 100)+"'"), row))
	if !prepare {
		step("commit", func() error { return branch.Commit(ctx) })
		return
	}
	step("prepare", func() error { return branch.Prepare(ctx) })
	step("finish", func() error { _, err := d.Finish(ctx, n, true); return err })
}
