package test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"
)

// farTable has each row at home in the region that it names.
const farTable = `CREATE TABLE far (region VARCHAR(8), id INT, v INT, PRIMARY KEY (region, id))
	COMMENT='isochron: {"spread":"region","column":"region"}'`

// far makes the table with a row in each of three regions, none of them the first.
func (s *stage) far() {
	s.t.Helper()
	s.exec(farTable)
	for _, r := range s.regions[1:4] {
		s.exec(fmt.Sprintf("INSERT INTO far VALUES ('%s', 1, 0)", r))
	}
}

// farValues reads the three rows from a region.
func (s *stage) farValues(region int) []int64 {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	c := s.conn(ctx, region)
	defer c.Close()
	got, err := queryInts(ctx, c, "SELECT v FROM far ORDER BY region, id")
	if err != nil {
		s.t.Fatalf("reading from region %d: %v", region, err)
	}
	return got
}

// writeFar begins a transaction and writes v to the three rows.
func (s *stage) writeFar(ctx context.Context, c *sql.Conn, v int) {
	s.t.Helper()
	texts := []string{"BEGIN"}
	for _, r := range s.regions[1:4] {
		texts = append(texts, fmt.Sprintf("UPDATE far SET v = %d WHERE region = '%s' AND id = 1", v, r))
	}
	for _, text := range texts {
		if _, err := c.ExecContext(ctx, text); err != nil {
			s.t.Fatalf("%s: %v", text, err)
		}
	}
}

// TestWhole: a transaction from one region over rows of three others commits or
// rolls back whole, and every region sees it.
func TestWhole(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		s.far()
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		c := s.conn(ctx, 0)
		defer c.Close()
		for i, step := range []struct {
			end  string
			want int64
		}{{"COMMIT", 1}, {"ROLLBACK", 1}, {"COMMIT", 3}} {
			s.writeFar(ctx, c, i+1)
			if _, err := c.ExecContext(ctx, step.end); err != nil {
				t.Fatalf("%s: %v", step.end, err)
			}
			for region := range s.regions {
				want := []int64{step.want, step.want, step.want}
				if got := s.farValues(region); !slices.Equal(got, want) {
					t.Errorf("after %s number %d, region %s reads %v, want %v", step.end, i+1, s.regions[region], got, want)
				}
			}
		}
	})
}

// TestDisconnect: a client that goes away in the middle has its transaction
// rolled back and its locks freed, without waiting for anyone's time-out.
func TestDisconnect(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		s.far()
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		for region := range 3 {
			c, cut := s.cuttable(ctx, region)
			s.writeFar(ctx, c, 99)
			cut()
			if got := s.farValues(0); !slices.Equal(got, []int64{0, 0, 0}) {
				t.Fatalf("the client of %s went away, and its writes stayed: %v", s.regions[region], got)
			}
		}
		c := s.conn(ctx, 4)
		defer c.Close()
		begun := time.Now()
		for _, r := range s.regions[1:4] {
			must(t, ctx, c, fmt.Sprintf("UPDATE far SET v = 1 WHERE region = '%s' AND id = 1", r))
		}
		t.Logf("the rows could be written again after %v", time.Since(begun).Round(time.Millisecond))
		if got := s.farValues(0); !slices.Equal(got, []int64{1, 1, 1}) {
			t.Errorf("read %v after writing 1 to each", got)
		}
	})
}

// TestDisconnectAtCommit: a client that goes away while its commit is on the way
// does not know how it ended; but it ended, one way, everywhere.
func TestDisconnectAtCommit(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		s.far()
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		kept := 0
		for i := 1; i <= 8; i++ {
			c, cut := s.cuttable(ctx, i)
			s.writeFar(ctx, c, i)
			answer := make(chan error, 1)
			go func() {
				_, err := c.ExecContext(ctx, "COMMIT")
				answer <- err
			}()
			time.Sleep(time.Duration(i) * 2 * time.Millisecond)
			cut()
			acknowledged := <-answer == nil
			got := s.farValues(0)
			if got[0] != got[1] || got[1] != got[2] {
				t.Fatalf("a commit cut short was done in part: %v", got)
			}
			if acknowledged && got[0] != int64(i) {
				t.Fatalf("commit %d was acknowledged and is not there: %v", i, got)
			}
			if got[0] == int64(i) {
				kept++
			}
		}
		t.Logf("of 8 commits cut short %d were done", kept)
	})
}

// TestStatementIsWhole: a statement that fails undoes itself, and the
// transaction lives on.
func TestStatementIsWhole(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		c := s.conn(ctx, 0)
		defer c.Close()
		must(t, ctx, c, "INSERT INTO kv VALUES (15, 1, 1)")
		must(t, ctx, c, "BEGIN")
		must(t, ctx, c, "INSERT INTO kv VALUES (5, 1, 1)")
		_, err := c.ExecContext(ctx, "INSERT INTO kv VALUES (6, 1, 1), (15, 2, 2), (25, 1, 1)")
		if number(err) != 1062 {
			t.Errorf("a duplicate key gave %v, want error 1062", err)
		}
		must(t, ctx, c, "INSERT INTO kv VALUES (26, 1, 1)")
		must(t, ctx, c, "COMMIT")
		got, want := s.read(), state{5: {1, 1}, 15: {1, 1}, 26: {1, 1}}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("left %v, want %v", got, want)
		}
	})
}
