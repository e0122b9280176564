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

// BenchmarkBranch is a branch of some statements by key, committed in one phase or prepared
// and finished.
func BenchmarkBranch(b *testing.B) {
	for _, d := range dialects {
		s, err := d.server()
		sourcetest.LeaveOut(b, err)
		driver, err := Open(s.URL(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		table := fmt.Sprintf("b%d", tableNumber.Add(1))
		text := fmt.Sprintf("CREATE TABLE %s (id BIGINT PRIMARY KEY, v BIGINT NOT NULL); INSERT INTO %[1]s VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0); GRANT ALL ON %[1]s TO %s", table, sourcetest.User)
		if err := s.Exec(text); err != nil {
			b.Fatal(err)
		}
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
						slices.Sort(took) // the first tenth says most where others use the machine too
						b.ReportMetric(float64(took[b.N/10].Microseconds()), "p10-us")
						b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-us")
					})
				}
			}
		}
		if err := driver.Close(); err != nil {
			b.Fatal(err)
		}
	}
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

// BenchmarkOnce is a statement by key that is all of its transaction.
func BenchmarkOnce(b *testing.B) {
	for _, d := range dialects {
		s, err := d.server()
		sourcetest.LeaveOut(b, err)
		driver, err := Open(s.URL(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		table := fmt.Sprintf("b%d", tableNumber.Add(1))
		text := fmt.Sprintf("CREATE TABLE %s (id BIGINT PRIMARY KEY, v BIGINT NOT NULL); INSERT INTO %[1]s VALUES (1, 0), (2, 0); GRANT ALL ON %[1]s TO %s", table, sourcetest.User)
		if err := s.Exec(text); err != nil {
			b.Fatal(err)
		}
		for name, text := range map[string]string{"read": "SELECT v FROM %s WHERE id = 1", "write": "UPDATE %s SET v = v + 1 WHERE id = 2"} {
			b.Run(d.name+"/"+name, func(b *testing.B) {
				took := make([]time.Duration, b.N)
				for i := range took {
					begun := time.Now()
					if _, err := driver.(source.AtOnce).Once(context.Background(), (&kit{}).name(), source.BranchOptions{}, source.Statement{Text: fmt.Sprintf(text, table)}); err != nil {
						b.Fatal(err)
					}
					took[i] = time.Since(begun)
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[b.N/10].Microseconds()), "p10-us")
				b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-us")
			})
		}
		if err := driver.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
