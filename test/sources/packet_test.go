package sources

import (
	"context"
	"fmt"
	"testing"
)

// The answer to each change of a packet announces another, so that the client attributes the next
// answer correctly.
func TestPacketOfChanges(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testpacketofchanges.accounts', 'id', 'range', 'pg_a,my_a', '1000')")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100), (1001, 100)")
	for range 3 {
		c.exec("BEGIN")
		c.exec("UPDATE accounts SET balance = balance - 5 WHERE id = 1; /*+ last */ UPDATE accounts SET balance = balance + 5 WHERE id = 1001")
		c.exec("COMMIT")
	}
	c.expect("85.00\n115.00", "SELECT balance FROM accounts ORDER BY id")
	rows, err := c.QueryContext(context.Background(), "UPDATE accounts SET balance = 0 WHERE id = 1; SELECT balance FROM accounts WHERE id = 1001; UPDATE accounts SET balance = 1 WHERE id = 1; SELECT balance FROM accounts WHERE id = 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			got = append(got, one)
		}
	}
	if len(got) != 2 || got[0] != "115.00" || got[1] != "1.00" || rows.Err() != nil {
		t.Errorf("the packet answers %q, %v", got, rows.Err())
	}
}

// A transfer that is one packet costs one round, and one to decide on, whatever it has touched:
// its sources prepare with its statements.
func TestATransferInOnePacketIsOneRound(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testatransferinonepacketisoneround.accounts', 'id', 'range', 'pg_a,my_a,pg_b', '1000,2000')")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100), (1001, 100), (2001, 100)")
	for i := range 3 {
		c.exec(fmt.Sprintf("BEGIN; SELECT balance FROM accounts WHERE id = %d001; UPDATE accounts SET balance = balance - 5 WHERE id = 1; UPDATE accounts SET balance = balance + 5 WHERE id = 1001; "+
			"UPDATE accounts SET balance = balance + 0 WHERE id = 2001; COMMIT", i%2+1))
		if cost := house.cost.last(); cost.Rounds != 1 || cost.CommitRounds != 1 {
			t.Errorf("a transfer in one packet took %d rounds, and %d to commit", cost.Rounds, cost.CommitRounds)
		}
	}
	c.expect("85.00\n115.00\n100.00", "SELECT balance FROM accounts ORDER BY id")
	// At one source the commit goes with them: there is no other trip.
	c.exec("BEGIN; UPDATE accounts SET balance = 1 WHERE id = 1; UPDATE accounts SET balance = 2 WHERE id = 2; COMMIT")
	if cost := house.cost.last(); cost.Rounds != 1 || cost.CommitRounds != 0 {
		t.Errorf("a packet for one source took %d rounds, and %d to commit", cost.Rounds, cost.CommitRounds)
	}
	// In a transaction of several packets COMMIT is one trip of its own at one source, and no prepare.
	for _, text := range []string{"BEGIN", "UPDATE accounts SET balance = 3 WHERE id = 1", "COMMIT"} {
		c.exec(text)
	}
	if cost := house.cost.last(); cost.Rounds != 1 || cost.CommitRounds != 1 {
		t.Errorf("a transaction at one source took %d rounds, and %d to commit", cost.Rounds, cost.CommitRounds)
	}
	c.expect("3.00", "SELECT balance FROM accounts WHERE id = 1")
}

// An error in the middle of a packet has the effect that it has at a MySQL: earlier statements are
// executed, later ones are not, and the transaction continues, whichever of them were sent
// together.
func TestAnErrorInAPacketOfSeveralSources(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testanerrorinapacketofseveralsources.accounts', 'id', 'range', 'pg_a,my_a', '1000')")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100), (1001, 100)")
	const fine, duplicate, behind = "UPDATE accounts SET balance = 50 WHERE id = %d", "INSERT INTO accounts (id) VALUES (%d)", "UPDATE accounts SET balance = 0 WHERE id = %d"
	for _, there := range []int{1, 1001} { // which fails, the PostgreSQL or the MariaDB
		here := 1002 - there
		packet := fmt.Sprintf(fine+"; "+duplicate+"; "+behind, here, there, here)
		for _, p := range []struct{ before, packet string }{
			{"", "BEGIN; " + packet + "; COMMIT"},
			{"", "BEGIN; " + packet},
			{"BEGIN", packet},
			{fmt.Sprintf("BEGIN; UPDATE accounts SET balance = 7 WHERE id = %d", there), packet},
		} {
			if p.before != "" {
				c.exec(p.before)
			}
			c.fails(1062, "", p.packet)
			c.expect("50.00", fmt.Sprintf("SELECT balance FROM accounts WHERE id = %d", here))
			c.exec("ROLLBACK")
			c.expect("100.00\n100.00", "SELECT balance FROM accounts ORDER BY id")
		}
		// COMMIT after the error commits the statements before it, and reports that rightly.
		c.fails(1062, "", "BEGIN; "+packet+"; COMMIT")
		c.exec("COMMIT")
		c.expect("50.00", fmt.Sprintf("SELECT balance FROM accounts WHERE id = %d", here))
		c.exec("UPDATE accounts SET balance = 100")
		// Where COMMIT is in a packet of a transaction that was begun before, an error is its end.
		c.exec("BEGIN; " + fmt.Sprintf(fine, there))
		c.fails(1062, "", packet+"; COMMIT")
		c.expect("100.00\n100.00", "SELECT balance FROM accounts ORDER BY id")
		c.exec("ROLLBACK")
	}
}
