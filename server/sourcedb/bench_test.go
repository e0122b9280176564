package sourcedb

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// benchEach runs f at each server with its own table: id, the primary key, the given columns, and the given rows, in SQL.
func benchEach(b *testing.B, columns, values string, f func(d *dialect, driver source.Driver, table string)) {
	for _, d := range dialects {
		s, err := d.server()
		sourcetest.LeaveOut(b, err)
		driver, err := Open(s.URL(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		table := fmt.Sprintf("b%d", tableNumber.Add(1))
		if err := s.Exec(fmt.Sprintf("CREATE TABLE %[1]s (id BIGINT PRIMARY KEY, %[2]s); INSERT INTO %[1]s VALUES %[3]s; GRANT ALL ON %[1]s TO %[4]s", table, columns, values, sourcetest.User)); err != nil {
			b.Fatal(err)
		}
		f(d, driver, table)
		if err := driver.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// reportTimes reports a step's first decile, which matters most where others use the machine too, and its median.
func reportTimes(b *testing.B, step string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/1e3, step+"p10-us")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, step+"p50-us")
}

// BenchmarkBranch is a branch of some statements by key, committed in one phase or prepared
// and finished.
func BenchmarkBranch(b *testing.B) {
	benchEach(b, "v BIGINT NOT NULL", "(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)", func(d *dialect, driver source.Driver, table string) {
		for _, statements := range []int{1, 5} {
			for _, prepare := range []bool{false, true} {
				for _, write := range []bool{false, true} {
					b.Run(fmt.Sprintf("%s/statements=%d/prepare=%v/write=%v", d.name, statements, prepare, write), func(b *testing.B) {
						took := make([]time.Duration, b.N)
						for i := range took {
							begun := time.Now()
							benchBranch(b, driver, table, statements, prepare, write)
							took[i] = time.Since(begun)
						}
						reportTimes(b, "", took)
					})
				}
			}
		}
	})
}

func benchBranch(b *testing.B, d source.Driver, table string, statements int, prepare, write bool) {
	ctx := context.Background()
	n := (&kit{}).name()
	branch, err := d.Begin(ctx, n, source.BranchOptions{})
	for i := 0; i < statements && err == nil; i++ {
		text := fmt.Sprintf("SELECT v FROM %s WHERE id = %d", table, i+1)
		if write {
			text = fmt.Sprintf("UPDATE %s SET v = v + 1 WHERE id = %d", table, i+1)
		}
		_, err = branch.Execute(ctx, source.Statement{Text: text})
	}
	if err == nil && prepare {
		if err = branch.Prepare(ctx); err == nil {
			_, err = d.Finish(ctx, n, true)
		}
	} else if err == nil {
		err = branch.Commit(ctx)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOnce is a statement by key that is its whole transaction.
func BenchmarkOnce(b *testing.B) {
	benchEach(b, "v BIGINT NOT NULL", "(1, 0), (2, 0)", func(d *dialect, driver source.Driver, table string) {
		for name, text := range map[string]string{"read": "SELECT v FROM %s WHERE id = 1", "write": "UPDATE %s SET v = v + 1 WHERE id = 2"} {
			b.Run(d.name+"/"+name, func(b *testing.B) {
				took := make([]time.Duration, b.N)
				for i := range took {
					begun := time.Now()
					ctx, end := context.WithCancel(context.Background()) // an agent has one for each
					if _, err := driver.(source.OneTripDriver).Once(ctx, (&kit{}).name(), source.BranchOptions{}, source.Statement{Text: fmt.Sprintf(text, table)}); err != nil {
						b.Fatal(err)
					}
					end()
					took[i] = time.Since(begun)
				}
				reportTimes(b, "", took)
			})
		}
	})
}
