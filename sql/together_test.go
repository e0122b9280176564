package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/estimate"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// roundsAtSources tells of each round since it was called last: how many statements it had at which
// sources, and whether they were said to be the last, or to commit.
func (f *sourceFixture) roundsAtSources() func() string {
	var rounds []string
	f.cluster.BeforeExecute = func(_ *sqltest.Txn, statements []txn.SourceStatement, last, commits bool) {
		var at []string
		for _, st := range statements {
			at = append(at, fmt.Sprint(st.Source))
		}
		round := strings.Join(at, " ")
		switch {
		case commits:
			round += " commit"
		case last:
			round += " last"
		}
		rounds = append(rounds, round)
	}
	return func() string {
		out := strings.Join(rounds, ", ")
		rounds = nil
		return out
	}
}

// answers are what a client hears to a packet, but for what has no rows: rows, and an error.
func (c *client) answers(packet string) (out []string) {
	rows, err := c.conn.QueryContext(context.Background(), packet)
	if err != nil {
		return []string{fmt.Sprint(numberOf(err))}
	}
	defer rows.Close()
	for more := true; more; more = rows.NextResultSet() {
		one := ""
		for rows.Next() {
			var cell string
			if err := rows.Scan(&cell); err != nil {
				return append(out, err.Error())
			}
			one += cell
		}
		out = append(out, one)
	}
	if rows.Err() != nil {
		out = append(out, fmt.Sprint(numberOf(rows.Err())))
	}
	return out
}

// answering gives the key that a statement asks for, and fails where it is told to.
func answering(s txn.Statement) (txn.Result, error) {
	switch {
	case strings.Contains(s.Text, "bad"):
		return txn.Result{}, &txn.Error{Kind: txn.KindStatement, Reason: "Duplicate entry", Fault: &txn.Fault{Code: 1062, State: "23000"}}
	case strings.HasPrefix(strings.ToLower(s.Text), "select"):
		_, key, _ := strings.Cut(s.Text, "= ")
		key, _, _ = strings.Cut(key, " ")
		return txn.Result{Columns: []txn.Column{{Name: "x", Type: "bigint"}}, Rows: [][][]byte{{[]byte(key)}}}, nil
	}
	return txn.Result{Affected: 1}, nil
}

// What stands in one packet and is for sources goes to them in one round, with the word that they are
// the last, and that they commit if COMMIT follows; what asks for an answer before it, or is for others, parts rounds.
func TestAPacketGoesToItsSourcesInOneRound(t *testing.T) {
	f := startSources(t)
	f.my.Answer, f.a.Answer, f.b.Answer = answering, answering, answering
	f.c.exec("CREATE TABLE mine (id INT PRIMARY KEY, n INT)")
	f.c.exec("INSERT INTO mine VALUES (1, 1)")
	c, rounds := f.many(t, "va", "shop"), f.roundsAtSources()
	const debit, credit = "UPDATE accounts SET balance = balance - 1 WHERE id = 2", "UPDATE accounts SET balance = balance + 1 WHERE id = 3"
	for _, tc := range []struct {
		packet, rounds, answers string
		begun                   bool // in a transaction that was begun before
	}{
		{"BEGIN; " + debit + "; " + credit + "; COMMIT", "102 103 commit", "", false},
		{"BEGIN; " + debit + "; " + credit + "; SELECT owner FROM accounts WHERE id = 4; UPDATE orders SET qty = 1 WHERE id = 1; COMMIT; SELECT 5", "102 103 102 101 commit", "4,5", false},
		{"BEGIN; SELECT id FROM rates WHERE id = 8; SELECT id FROM accounts WHERE id = 7; " + debit + ";COMMIT", "102 103 102 commit", "8,7", false},
		{"BEGIN; UPDATE accounts SET balance = 0; " + debit + "; COMMIT", "102 103 102 commit", "", false},
		{"BEGIN; " + debit + "; SELECT n FROM mine; " + credit + "; COMMIT", "102, 103 commit", "1", false},
		{"BEGIN; " + debit + "; SET @x = 1; " + credit + "; COMMIT", "102, 103 commit", "", false},
		{"BEGIN; INSERT INTO orders (id) VALUES (1); INSERT INTO orders (id) VALUES (LAST_INSERT_ID()); " + debit + "; COMMIT", "101, 101 102 commit", "", false},
		{"BEGIN; " + debit + "; UPDATE /*+ last */ accounts SET balance = 1 WHERE id = 3; COMMIT", "102 103 commit", "", false},
		{"BEGIN; " + debit + "; " + credit, "102 103", "", false},
		{debit + "; " + credit + "; COMMIT", "102 103 last", "", true},
		{debit + "; " + credit, "102 commit, 103 commit", "", false},
		{"SET autocommit = 0; " + debit + "; " + credit + "; COMMIT; SET autocommit = 1", "102 103 commit", "", false},
	} {
		for range 3 { // from the third time on its texts are known
			if tc.begun {
				c.exec("BEGIN; " + credit)
				rounds()
			}
			if got := strings.Join(c.answers(tc.packet), ","); got != tc.answers {
				t.Errorf("%s\nanswers %q and not %q", tc.packet, got, tc.answers)
			}
			if got := rounds(); got != tc.rounds {
				t.Errorf("%s\nmakes the rounds %s, and not %s", tc.packet, got, tc.rounds)
			}
			c.exec("ROLLBACK")
		}
	}
	// After the COMMIT no transaction is open: the next statement is its own.
	f.b.Sent()
	c.exec("BEGIN; " + debit + "; COMMIT; " + credit)
	if got := rounds(); got != "102 commit, 103 commit" {
		t.Errorf("the rounds %s", got)
	}
	c.exec("ROLLBACK")
	got(t, f.b, `UPDATE "public"."accounts" SET "balance" = "balance" + 1 WHERE "id" = 3`, "COMMIT")
}

// Whatever fails of a packet, its client hears what it would have heard if each statement had gone
// by itself, and the transaction has what stands before the error, and nothing of what is behind.
func TestWhatFailsInAPacketForSources(t *testing.T) {
	f := startSources(t)
	f.my.Answer, f.a.Answer, f.b.Answer = answering, answering, answering
	c, rounds := f.many(t, "va", "shop"), f.roundsAtSources()
	const read, good, bad, behind = "SELECT id FROM accounts WHERE id = 2", "UPDATE accounts SET balance = 1 WHERE id = 4", "UPDATE accounts SET owner = 'bad' WHERE id = 3", "UPDATE orders SET qty = 5 WHERE id = 6"
	packet := strings.Join([]string{read, good, bad, behind}, "; ")
	a := []string{`SELECT "id" FROM "public"."accounts" WHERE "id" = 2 FOR SHARE`, `UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = 4`}
	b, my := `UPDATE "public"."accounts" SET "owner" = 'bad' WHERE "id" = 3`, "update `erp`.`orders` set `qty` = 5 where `id` = 6"
	for _, tc := range []struct {
		before, packet, rounds, answers string
		over                            bool     // the transaction
		atA, atB, atMy                  []string // before the transaction is committed
	}{
		// Done again as a whole, once. The second try says of no statement that it is the last.
		{"", "BEGIN; " + packet + "; COMMIT", "102 102 103 101 commit, 102, 102, 103", "2,1062", false,
			slices.Concat(a, []string{"ROLLBACK"}, a), []string{b, "ROLLBACK", b}, nil},
		{"", "BEGIN; " + packet, "102 102 103 101, 102, 102, 103", "2,1062", false,
			slices.Concat(a, []string{"ROLLBACK"}, a), []string{b, "ROLLBACK", b}, []string{my, "ROLLBACK"}},
		{"", "BEGIN; " + bad + "; COMMIT", "103 commit, 103", "1062", false, nil, []string{b, "ROLLBACK", b}, nil},
		// Undone back to a savepoint, in a transaction that was begun before.
		{"BEGIN; " + good, packet, "102 102 102 103 103 101 101, 102 103 101, 102, 102, 103", "2,1062", false,
			slices.Concat([]string{a[1], "SAVEPOINT isochron_c1"}, a, []string{"ROLLBACK TO SAVEPOINT isochron_c1"}, a),
			[]string{"SAVEPOINT isochron_c1", b, "ROLLBACK TO SAVEPOINT isochron_c1", b}, []string{"SAVEPOINT isochron_c1", my, "ROLLBACK TO SAVEPOINT isochron_c1"}},
		// The sources were to prepare: it is over.
		{"BEGIN; " + good, packet + "; COMMIT", "102 102 103 101 last", "1062", true,
			slices.Concat([]string{a[1]}, a, []string{"ROLLBACK"}), []string{b, "ROLLBACK"}, nil},
	} {
		if tc.before != "" {
			c.exec(tc.before)
		}
		rounds()
		if got := strings.Join(c.answers(tc.packet), ","); got != tc.answers {
			t.Errorf("%s\nanswers %q and not %q", tc.packet, got, tc.answers)
		}
		if got := rounds(); got != tc.rounds {
			t.Errorf("%s\nmakes the rounds %s, and not %s", tc.packet, got, tc.rounds)
		}
		got(t, f.a, tc.atA...)
		got(t, f.b, tc.atB...)
		got(t, f.my, tc.atMy...)
		c.exec("COMMIT")
		if tc.over {
			got(t, f.a)
		} else if sent := slices.Concat(f.a.Sent(), f.b.Sent()); !slices.Contains(sent, "COMMIT") {
			t.Errorf("%s\nthen COMMIT sends %q", tc.packet, sent)
		}
		f.my.Sent()
	}
	// The next packet goes together again.
	if c.answers("BEGIN; " + good + "; " + behind + "; COMMIT"); rounds() != "102 101 commit" {
		t.Error("a packet after one that has failed goes one by one")
	}
}

// What SQL says of the rows that it asks for is what the forecast of hot records goes by.
func TestAHotRowIsForecast(t *testing.T) {
	f := startSources(t)
	c, hot := f.many(t, "va", "shop"), estimate.NewHotRecords(estimate.HotConfig{Scale: 1})
	forecast := map[string]time.Duration{}
	f.cluster.BeforeExecute = func(_ *sqltest.Txn, statements []txn.SourceStatement, _, _ bool) {
		for _, st := range statements {
			of, p := estimate.Records{Keys: st.Records}, hot.Open()
			forecast[unguarded(st.Text)[0]] = p.Forecast(of).Latency
			took := time.Millisecond
			if strings.Contains(st.Text, "= 2") { // the others wait for it
				took = 100 * time.Millisecond
			}
			p.Admit(of).Executed(took)
			p.End(true)
		}
	}
	for range 20 {
		c.exec("BEGIN; UPDATE accounts SET balance = 1 WHERE id = 2; UPDATE accounts SET balance = 1 WHERE id = 3; UPDATE orders SET qty = 1 WHERE id = 2; COMMIT")
	}
	c.exec("UPDATE accounts SET balance = 1 WHERE id = ?", 2)
	for text, least := range map[string]time.Duration{
		`UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = 2`:  99 * time.Millisecond,
		`UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = 3`:  0,
		`UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = $1`: 99 * time.Millisecond,
	} {
		if got, known := forecast[text]; !known || got < least || got > least+2*time.Millisecond {
			t.Errorf("%s is forecast to take %v", text, got)
		}
	}
	if hot.Len() != 3 {
		t.Errorf("%d records are known", hot.Len())
	}
}
