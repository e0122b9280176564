package history

import (
	"testing"
)

var rules = BankRules{
	Initial:   []Account{{"a1", 10}, {"a2", 10}, {"b1", 10}},
	Branch:    func(account string) string { return account[:1] },
	BranchMax: 2,
}

func transfer(outcome Outcome, id int64, from, to string, amount int64) *Record {
	return &Record{Outcome: outcome, CompleteNanos: 1000,
		Ops: []Op{{Kind: Transfer, Value: id, Accounts: []Account{{from, -amount}, {to, amount}}}}}
}

func balances(a1, a2, b1 int64) Op {
	return Op{Kind: Balances, Accounts: []Account{{"a1", a1}, {"a2", a2}, {"b1", b1}}}
}

func ledger(ids ...int64) Op { return Op{Kind: Ledger, List: ids} }

func read(ops ...Op) *Record { return &Record{Outcome: OK, CompleteNanos: 1000, Ops: ops} }

func final(ops ...Op) *Record {
	return &Record{Outcome: OK, Final: true, InvokeNanos: 5000, CompleteNanos: 6000, Ops: ops}
}

func TestBank(t *testing.T) {
	late := read(ledger())
	late.InvokeNanos, late.CompleteNanos = 2000, 3000
	for _, c := range []struct {
		name    string
		records []*Record
		want    string
	}{
		{"clean", []*Record{transfer(OK, 1, "a1", "b1", 4), read(balances(10, 10, 10)), read(balances(6, 10, 14), ledger(1)), final(balances(6, 10, 14), ledger(1))}, ""},
		{"closed account", []*Record{transfer(OK, 1, "a1", "b1", 10), final(Op{Kind: Balances, Accounts: []Account{{"a2", 10}, {"b1", 20}}}, ledger(1))}, ""},
		{"unknown took effect", []*Record{transfer(Unknown, 1, "a1", "b1", 4), final(balances(6, 10, 14), ledger(1))}, ""},
		{"unknown did not", []*Record{transfer(Unknown, 1, "a1", "b1", 4), final(balances(10, 10, 10), ledger())}, ""},
		{"wrong sum", []*Record{transfer(OK, 1, "a1", "b1", 4), read(balances(10, 10, 14)), final(ledger(1))}, "wrong-sum"},
		{"lost", []*Record{transfer(OK, 1, "a1", "b1", 4), final(balances(10, 10, 10), ledger())}, "lost-transfer"},
		{"aborted and there", []*Record{transfer(Fail, 1, "a1", "b1", 4), read(ledger(1))}, "aborted-transfer-seen"},
		{"invented", []*Record{read(ledger(9))}, "invented-transfer"},
		{"lost update", []*Record{transfer(OK, 1, "a1", "a2", 4), transfer(OK, 2, "a1", "a2", 1), final(balances(9, 11, 10), ledger(1, 2))}, "ledger-disagrees ledger-disagrees"},
		{"stale", []*Record{transfer(OK, 1, "a1", "b1", 4), late, final(ledger(1))}, "stale-ledger"},
		{"long fork", []*Record{transfer(OK, 1, "a1", "b1", 4), transfer(OK, 2, "a1", "b1", 4), read(ledger(1)), read(ledger(2)), final(ledger(1, 2))}, "long-fork"},
		{"long fork of snapshot reads", []*Record{transfer(OK, 1, "a1", "b1", 4), transfer(OK, 2, "a1", "b1", 4), at(read(ledger(1))), at(read(ledger(2))), final(ledger(1, 2))}, "long-fork"},
		{"phantom", []*Record{read(Op{Kind: Balances, Accounts: []Account{{"a1", 10}, {"a2", 10}, {"a3", 5}, {"b1", 5}}})}, "branch-overfull"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := new(History)
			for _, r := range c.records {
				h.Add(r)
			}
			got := CheckBank(h, rules)
			if names(got) != c.want {
				t.Fatalf("found %q, want %q\n%v", names(got), c.want, got.Violations)
			}
			if got.Serializable() != (c.want == "" || c.want == "stale-ledger") {
				t.Fatalf("serializable %v", got.Serializable())
			}
		})
	}
}

// at makes a read a snapshot read.
func at(r *Record) *Record {
	r.ReadTS = true
	return r
}
