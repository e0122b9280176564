package foreign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"isochron/sql/dialect"
	"isochron/txn"
)

// skipping runs a statement that skips locked rows, if each source has the rows of have, by n, and
// the rows of held are locked by others: it returns the requests of each round, and the locked
// rows.
func skipping(t *testing.T, text string, have map[txn.ShardID][]int, held func(id int) bool) (rounds []string, answer string, locked []int) {
	t.Helper()
	st, err := Read(text, tables(t), dialect.Options{Database: "d"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Plan(nil, Now{Share: true})
	if err != nil || p.Skipping == nil {
		t.Fatalf("%s: %v, %v", text, p, err)
	}
	for {
		next, err := p.Skipping.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			break
		}
		var sent []string
		results := make([]txn.SourceResult, len(next))
		for i, s := range next {
			if !s.Locks || len(s.Guard) > 0 || s.Look == strings.Contains(s.Text, "SKIP LOCKED") || !s.Look && len(s.Records) != 1 {
				t.Errorf("%s is sent as %+v", s.Text, s)
			}
			sent = append(sent, fmt.Sprintf("%d: %s", s.Source, s.Text))
			r := &results[i]
			list, _, _ := strings.Cut(s.Text, " FROM ")
			for range strings.Split(list, ",") {
				r.Columns = append(r.Columns, txn.Column{Name: "n", Type: "bigint"})
			}
			var id int
			_, after, byKey := strings.Cut(s.Text, `"id" = `)
			if byKey {
				if id, err = strconv.Atoi(after[:strings.IndexAny(after+" ", " )")]); err != nil {
					t.Fatal(err)
				}
			}
			limit := 1
			if _, after, ok := strings.Cut(s.Text, " LIMIT "); ok {
				limit, _ = strconv.Atoi(after)
			}
			for _, row := range have[s.Source] {
				if len(r.Rows) < limit && (!byKey || row == id && !held(row)) {
					r.Rows = append(r.Rows, slices.Repeat([][]byte{[]byte(strconv.Itoa(row))}, len(r.Columns)))
					if byKey {
						locked = append(locked, row)
					}
				}
			}
		}
		rounds = append(rounds, strings.Join(sent, "\n"))
		if _, err := p.Skipping.Took(results, time.UTC); err != nil {
			t.Fatal(err)
		}
	}
	plan, results := p.Skipping.Done()
	a, err := plan.Merge(results, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Rows {
		answer += " " + row[0].ToString()
	}
	return rounds, strings.TrimSpace(answer), locked
}

// The locked rows are the returned ones, whatever others hold: the first rows that others do not
// hold.
func TestSkipLockedLocksTheRowsThatItReturns(t *testing.T) {
	have := map[txn.ShardID][]int{}
	for id := range 60 {
		have[txn.ShardID(11+id%3)] = append(have[txn.ShardID(11+id%3)], id)
	}
	for _, most := range []int{0, 1, 2, 7, 59, 100} {
		for every := 1; every < 5; every++ { // of these rows one is free
			held := func(id int) bool { return id%every != every-1 }
			var want []int
			for id := range 60 {
				if !held(id) && len(want) < most {
					want = append(want, id)
				}
			}
			rounds, answer, locked := skipping(t, fmt.Sprintf("SELECT n FROM hashed WHERE n >= 0 ORDER BY id LIMIT %d FOR UPDATE SKIP LOCKED", most), have, held)
			if got := strings.Trim(fmt.Sprint(want), "[]"); answer != got {
				t.Errorf("LIMIT %d, each %d. row is free: %s is returned, not %s", most, every, answer, got)
			}
			slices.Sort(locked)
			if !slices.Equal(locked, want) {
				t.Errorf("LIMIT %d, each %d. row is free: %v is locked, not %v", most, every, locked, want)
			}
			if every == 1 && len(rounds) != min(2, 1+most) {
				t.Errorf("LIMIT %d took %d rounds, with nothing locked", most, len(rounds))
			}
		}
	}
	rounds, _, _ := skipping(t, "SELECT n AS x FROM hashed h WHERE n >= 0 OR name = 'b' ORDER BY x, 1 DESC LIMIT 1 FOR UPDATE SKIP LOCKED", map[txn.ShardID][]int{12: {4}}, func(int) bool { return false })
	if want := `12: SELECT "n" AS "x", "n" AS "isochron_o1", "n" AS "isochron_o2" FROM "public"."hashed" AS "h" WHERE ("id" = 4) AND (("n" >= 0) OR ("name" = 'b')) FOR UPDATE SKIP LOCKED`; len(rounds) != 2 || rounds[1] != want {
		t.Errorf("it sends %q", rounds)
	}
}

// What would leave rows locked that are not returned is refused.
func TestSkipLockedIsRefusedWhereItWouldLockMore(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * FROM hashed ORDER BY name LIMIT 1 FOR UPDATE SKIP LOCKED":                  "an ORDER BY of texts",
		"SELECT * FROM hashed ORDER BY n + 1 LIMIT 1 FOR UPDATE SKIP LOCKED":                 "an ORDER BY of texts or expressions",
		"SELECT DISTINCT n FROM hashed LIMIT 1 FOR UPDATE SKIP LOCKED":                       "DISTINCT",
		"SELECT h.n FROM hashed h JOIN alone a ON a.id = h.n LIMIT 1 FOR UPDATE SKIP LOCKED": "with a join",
		"SELECT n, COUNT(*) FROM hashed GROUP BY n LIMIT 1 FOR UPDATE SKIP LOCKED":           "with GROUP BY and LIMIT",
		"SELECT id FROM hashed LIMIT 1 OFFSET 2 FOR UPDATE SKIP LOCKED":                      "with OFFSET",
		"SELECT id FROM hashed LIMIT 10001 FOR UPDATE SKIP LOCKED":                           "a LIMIT above 10000",
		"SELECT id FROM hashed WHERE id = 1 LIMIT 1 OFFSET 2 FOR UPDATE SKIP LOCKED":         "12",
		"SELECT n, COUNT(*) FROM hashed GROUP BY n FOR UPDATE SKIP LOCKED":                   "11 12 13",
		"SELECT COUNT(*) FROM hashed LIMIT 1 FOR UPDATE SKIP LOCKED":                         "11 12 13",
		"SELECT id FROM hashed FOR UPDATE SKIP LOCKED":                                       "11 12 13",
	} {
		if got := where(t, text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
