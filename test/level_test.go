package test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// level is an isolation level with the anomalies that it allows; all others must
// never be seen.
type level struct {
	name   string // as the variable has it
	allows []string
}

// levels are the weaker ones. A play in its own order cannot show every anomaly at every level: a
// long fork needs read timestamps of whole transactions. That the allowed anomalies can be seen
// shows that the level keeps its definition, and that the play could detect the forbidden ones.
var levels = []level{
	{"READ-COMMITTED", []string{
		"non-repeatable read", "read skew", "lost update", "write skew", "write skew, read at once",
		"phantom in a range", "phantom in a range of one shard", "phantom, deleted from a range",
		"phantom in an index", "phantom, moved into an index range", "phantom in a count", "phantom in an index count",
		"phantom in a subquery", "read-only anomaly", "circular information flow",
	}},
	{"REPEATABLE-READ", []string{
		"write skew", "write skew, read at once", "phantom in a range of one shard",
		"phantom in an index", "phantom, moved into an index range", "phantom in a count", "phantom in an index count",
		"phantom in a subquery", "read-only anomaly", "circular information flow",
	}},
}

// levelRows are the rows of the protocol table on which the levels are tried: one of
// each way to lock, to decide and to reveal.
var levelRows = []string{"2pc+2pl-home", "2pc+occ", "d2pc+2pl", "txsql", "bamboo", "foreign"}

// onEveryLevel runs a test at the weaker levels, on some rows.
func onEveryLevel(t *testing.T, f func(t *testing.T, s *stage, l level)) {
	for _, h := range houses(t) {
		if !slices.Contains(levelRows, h.name) {
			continue
		}
		for _, l := range levels {
			t.Run(h.name+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				at := h
				at.dsn = func(region int, database string) string {
					return withLevel(h.dsn(region, database), l.name)
				}
				s := at.stage(t, layout{name: strings.ToLower(l.name[:4]), table: layouts[0].table})
				f(t, s, l)
			})
		}
	}
}

// withLevel has every connection of a DSN run at a level.
func withLevel(dsn, name string) string {
	sep := "?"
	if strings.Contains(dsn, "?") {
		sep = "&"
	}
	return dsn + sep + "transaction_isolation=" + url.QueryEscape("'"+name+"'")
}

// seenWithin is the number of plays in which an allowed anomaly has to be seen.
const seenWithin = 20

// TestAnomaliesOfLevels plays every anomaly at the weaker levels: forbidden ones are never seen,
// and allowed ones are.
func TestAnomaliesOfLevels(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, l level) {
		for _, a := range anomalies {
			t.Run(a.name, func(t *testing.T) {
				if a.name == "long fork" && l.name == "READ-COMMITTED" {
					t.Skip("each statement has its own read timestamp: a late one sees a fork, which happens on a slow machine")
				}
				s := &stage{t: t, layout: s.layout, regions: s.regions, dsns: s.dsns, pools: s.pools}
				if slices.Contains(l.allows, a.name) {
					s.allowed(a)
				} else {
					s.forbidden(a)
				}
			})
		}
	})
}

func (s *stage) allowed(a anomaly) {
	for range seenWithin {
		saw, left, _ := s.play(a.start, a.txns, a.order)
		if explain(a.start, left, a.txns, saw, false) == nil {
			return
		}
	}
	s.t.Errorf("in %d plays it was not seen once: is the level weaker at all?", seenWithin)
}

func (s *stage) forbidden(a anomaly) {
	saw, left, story := s.play(a.start, a.txns, a.order)
	if explain(a.start, left, a.txns, saw, false) == nil {
		s.t.Errorf("SEEN: no serial order explains this\n%s%s", story, describe(a.start, left, saw))
	}
}

// TestAReaderDoesNotWait: plain reads pass by locks and by writes that are not
// committed, and are in nobody's way.
func TestAReaderDoesNotWait(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, _ level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.reset(ctx, state{x: {v: 1}, y: {v: 2}})
		writer, reader := s.conn(ctx, 0), s.conn(ctx, 1)
		defer writer.Close()
		defer reader.Close()
		must(t, ctx, writer, "BEGIN")
		must(t, ctx, writer, "UPDATE kv SET v = 10 WHERE id = 5")
		must(t, ctx, writer, "DELETE FROM kv WHERE id = 15")
		for _, begin := range []string{"SET @a = 1", "BEGIN", "START TRANSACTION READ ONLY", "START TRANSACTION WITH CONSISTENT SNAPSHOT"} {
			must(t, ctx, reader, begin)
			for _, text := range []string{"SELECT v FROM kv WHERE id IN (5, 15) ORDER BY id", "SELECT v FROM kv WHERE id < 20 ORDER BY id"} {
				if got, err := queryInts(ctx, reader, text); err != nil || !slices.Equal(got, []int64{1, 2}) {
					t.Errorf("%s: %s gave %v, %v beside an open writer, want 1 and 2", begin, text, got, err)
				}
			}
		}
		must(t, ctx, writer, "UPDATE kv SET v = v + 1 WHERE id = 5") // the reader's transaction is still open
		must(t, ctx, writer, "COMMIT")
		must(t, ctx, reader, "COMMIT")
		if got, err := queryInts(ctx, reader, "SELECT v FROM kv ORDER BY id"); err != nil || !slices.Equal(got, []int64{11}) {
			t.Errorf("afterwards: %v, %v", got, err)
		}
	})
}

// TestPreparedAtALevel: a prepared statement reads by its level, from one execution to the next.
func TestPreparedAtALevel(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, l level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.reset(ctx, state{x: {v: 1}})
		other := s.conn(ctx, 1)
		defer other.Close()
		tx, err := s.pools[0].BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		stmt, err := tx.PrepareContext(ctx, "SELECT v FROM kv WHERE id = ?")
		if err != nil {
			t.Fatal(err)
		}
		var seen []int64
		for i := range 3 {
			var v int64
			if err := stmt.QueryRowContext(ctx, x).Scan(&v); err != nil {
				t.Fatal(err)
			}
			seen = append(seen, v)
			must(t, ctx, other, fmt.Sprintf("UPDATE kv SET v = %d WHERE id = 5", i+2))
		}
		want := map[string][]int64{"READ-COMMITTED": {1, 2, 3}, "REPEATABLE-READ": {1, 1, 1}}[l.name]
		if !slices.Equal(seen, want) {
			t.Errorf("it read %v, want %v", seen, want)
		}
		_, err = tx.ExecContext(ctx, "UPDATE kv SET v = v + 100 WHERE id = ?", x)
		switch {
		case strings.HasPrefix(l.name, "READ") && strings.HasSuffix(l.name, "COMMITTED") && err != nil:
			t.Errorf("an update of a row written since: %v", err)
		case l.name == "REPEATABLE-READ" && number(err) != 1213:
			t.Errorf("an update of a row written since: %v, want error 1213", err)
		}
	})
}

// TestDriverLevels: the Go driver's options of one transaction.
func TestDriverLevels(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, _ level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.reset(ctx, state{x: {v: 1}})
		for _, opt := range []*sql.TxOptions{
			{Isolation: sql.LevelReadUncommitted}, {Isolation: sql.LevelReadCommitted, ReadOnly: true},
			{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, {Isolation: sql.LevelSerializable},
		} {
			tx, err := s.pools[2].BeginTx(ctx, opt)
			if err != nil {
				t.Fatalf("%+v: %v", opt, err)
			}
			var v int64
			if err := tx.QueryRowContext(ctx, "SELECT v FROM kv WHERE id = 5").Scan(&v); err != nil {
				t.Errorf("%+v: %v", opt, err)
			}
			_, err = tx.ExecContext(ctx, "UPDATE kv SET v = v + 1 WHERE id = 5")
			if opt.ReadOnly != (number(err) == 1792) {
				t.Errorf("%+v: a write gave %v", opt, err)
			}
			if err = tx.Commit(); err != nil {
				t.Errorf("%+v: %v", opt, err)
			}
		}
		if left := s.read(); left[x].v != 3 {
			t.Errorf("left %v", left)
		}
	})
}

// TestForeignKeysAtALevel: a check of a foreign key holds at every level, though it
// reads what the statement does not write.
func TestForeignKeysAtALevel(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, _ level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.exec("CREATE TABLE parent (id INT PRIMARY KEY)")
		s.exec("CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))")
		for i := range 4 {
			s.exec(fmt.Sprintf("INSERT INTO parent VALUES (%d)", i))
		}
		deleter, inserter := s.conn(ctx, 0), s.conn(ctx, 1)
		defer deleter.Close()
		defer inserter.Close()
		for i, first := range []*sql.Conn{deleter, inserter} {
			remove, add := fmt.Sprintf("DELETE FROM parent WHERE id = %d", i), fmt.Sprintf("INSERT INTO child VALUES (%d, %d)", i, i)
			texts := map[*sql.Conn]string{deleter: remove, inserter: add}
			second := map[*sql.Conn]*sql.Conn{deleter: inserter, inserter: deleter}[first]
			for _, c := range []*sql.Conn{first, second} {
				must(t, ctx, c, "BEGIN")
				if _, err := queryInts(ctx, c, "SELECT id FROM parent"); err != nil {
					t.Fatal(err)
				}
			}
			must(t, ctx, first, texts[first])
			end := make(chan error, 1)
			go func() {
				_, err := second.ExecContext(ctx, texts[second])
				if err == nil {
					_, err = second.ExecContext(ctx, "COMMIT")
				}
				end <- err
			}()
			time.Sleep(stepTimeout)
			_, errFirst := first.ExecContext(ctx, "COMMIT")
			if errSecond := <-end; errFirst == nil && errSecond == nil {
				t.Errorf("%q and %q have both committed", texts[first], texts[second])
			}
			for _, c := range []*sql.Conn{first, second} {
				must(t, ctx, c, "ROLLBACK")
			}
			orphans, err := queryInts(ctx, deleter, "SELECT COUNT(*) FROM child LEFT JOIN parent ON child.p = parent.id WHERE parent.id IS NULL")
			if err != nil || orphans[0] != 0 {
				t.Errorf("%v children without a parent, %v", orphans, err)
			}
		}
	})
}

// TestChildrenOfOneParentDoNotWait: two transactions insert children of one parent at once, and a third that deletes the parent
// waits for both.
func TestChildrenOfOneParentDoNotWait(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, _ level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.exec("CREATE TABLE parent (id INT PRIMARY KEY, k INT, UNIQUE KEY (k))")
		s.exec("CREATE TABLE child (id INT PRIMARY KEY, p INT, k INT, FOREIGN KEY (p) REFERENCES parent (id), FOREIGN KEY (k) REFERENCES parent (k))")
		s.exec("INSERT INTO parent VALUES (1, 10), (2, 20)")
		a, b, deleter := s.conn(ctx, 0), s.conn(ctx, 1), s.conn(ctx, 0)
		defer a.Close()
		defer b.Close()
		defer deleter.Close()
		for i, value := range []string{"1, NULL", "NULL, 20"} { // by a primary key, and by another
			for j, c := range []*sql.Conn{a, b} {
				must(t, ctx, c, "BEGIN")
				must(t, ctx, c, fmt.Sprintf("INSERT INTO child VALUES (%d, %s)", 10*i+j, value))
			}
			end := make(chan error, 1)
			go func() {
				_, err := deleter.ExecContext(ctx, fmt.Sprintf("DELETE FROM parent WHERE id = %d", i+1))
				end <- err
			}()
			time.Sleep(stepTimeout)
			select {
			case err := <-end:
				t.Errorf("the parent of %s was deleted, or not, before its children were there or not: %v", value, err)
				end <- err
			default:
			}
			must(t, ctx, a, "COMMIT")
			must(t, ctx, b, "COMMIT")
			if err := <-end; err == nil {
				t.Errorf("the parent of %s was deleted under its children", value)
			}
		}
	})
}

// TestJoinedUpdateLosesNothing: an UPDATE that no round plan has, for it joins, adds
// to the newest value at every level.
func TestJoinedUpdateLosesNothing(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, s *stage, _ level) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.reset(ctx, state{x: {v: 0, grp: 1}, y: {v: 0, grp: 1}})
		const each = 5
		ends := make(chan error, 3)
		for i := range 3 {
			c := s.conn(ctx, i)
			defer c.Close()
			go func() {
				for range each {
					for {
						_, err := c.ExecContext(ctx, "UPDATE kv a JOIN kv b ON a.grp = b.grp AND b.id = 15 SET a.v = a.v + 1 WHERE a.id = 5")
						if n := number(err); n == 1213 || n == 1205 {
							continue
						}
						if err != nil {
							ends <- err
							return
						}
						break
					}
				}
				ends <- nil
			}()
		}
		for range 3 {
			if err := <-ends; err != nil {
				t.Fatal(err)
			}
		}
		if left := s.read(); left[x].v != 3*each {
			t.Errorf("%d updates left %v", 3*each, left)
		}
	})
}

// TestClientsAtALevel: the command-line clients say what they want in their own words.
func TestClientsAtALevel(t *testing.T) {
	program, err := exec.LookPath("mariadb")
	if err != nil {
		t.Skip("LEFT OUT: the mariadb client is not installed (apt-get install mariadb-client)")
	}
	h := houses(t)[0]
	s := h.stage(t, layouts[0])
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	s.reset(ctx, state{x: {v: 1}})
	got := mariadb(t, ctx, program, s.dsns[0], `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN; SELECT v FROM kv; UPDATE kv SET v = 2; SELECT v FROM kv; COMMIT;
		SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY; SELECT v FROM kv; COMMIT; SELECT @@tx_isolation`)
	if want := "1\n2\n2\nREPEATABLE-READ\n"; got != want {
		t.Errorf("the client read\n%swant\n%s", got, want)
	}
}
