package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// BankRules are the invariants of a bank workload.
type BankRules struct {
	Initial []Account // balances before the first transfer
	// Branch returns the branch of an account, and BranchMax bounds the
	// accounts of a branch: a transaction that opens one has counted the others.
	Branch    func(account string) string
	BranchMax int
}

type bank struct {
	h        *History
	rules    BankRules
	report   *Report
	total    int64
	transfer map[int64]*Record // by transfer id, of every try
}

// CheckBank checks a bank history.
func CheckBank(h *History, rules BankRules) *Report {
	c := &bank{h: h, rules: rules, report: new(Report), transfer: map[int64]*Record{}}
	for _, a := range rules.Initial {
		c.total += a.Amount
	}
	for _, r := range h.Records {
		for _, op := range r.Ops {
			if op.Kind == Transfer {
				c.transfer[op.Value] = r
			}
		}
	}
	for _, r := range h.Records {
		if r.Outcome == OK {
			c.report.Checked++
			c.checkRecord(r)
		}
	}
	c.checkFinal()
	c.checkLedgersNest()
	checkSnapshotReads(h, c.report, Transfer, Ledger)
	return c.report
}

func (c *bank) checkRecord(r *Record) {
	var accounts, ledger *Op
	for i := range r.Ops {
		switch op := &r.Ops[i]; op.Kind {
		case Balances:
			accounts = op
			c.checkSum(r, op)
			c.checkBranches(r, op)
		case Ledger:
			ledger = op
			c.checkLedger(r, op)
		}
	}
	if accounts != nil && ledger != nil {
		c.checkAgree(r, accounts, ledger)
	}
}

func (c *bank) checkSum(r *Record, op *Op) {
	sum := int64(0)
	for _, a := range op.Accounts {
		sum += a.Amount
	}
	if sum != c.total {
		c.report.add("wrong-sum", "%s read balances that sum to %d, not %d: %s", r, sum, c.total, accountList(op.Accounts))
	}
}

func (c *bank) checkBranches(r *Record, op *Op) {
	if c.rules.Branch == nil {
		return
	}
	count := map[string]int{}
	for _, a := range op.Accounts {
		b := c.rules.Branch(a.Name)
		if count[b]++; count[b] == c.rules.BranchMax+1 {
			c.report.add("branch-overfull", "%s found more than %d accounts in branch %s: a phantom got past a count",
				r, c.rules.BranchMax, b)
		}
	}
}

// checkLedger checks that entries come from transfers that may have been committed, and
// that every transfer acknowledged before the read began is among them.
func (c *bank) checkLedger(r *Record, op *Op) {
	seen := map[int64]bool{}
	for _, id := range op.List {
		seen[id] = true
		if w := c.transfer[id]; w == nil {
			c.report.add("invented-transfer", "%s read transfer %d in the ledger, which no transaction made", r, id)
		} else if w.Outcome == Fail {
			c.report.add("aborted-transfer-seen", "%s read transfer %d of %s, which did not commit", r, id, w)
		}
	}
	for _, w := range c.h.Records {
		if w.Outcome != OK || w.CompleteNanos >= r.InvokeNanos || r.Final {
			continue
		}
		for _, o := range w.Ops {
			if o.Kind == Transfer && !seen[o.Value] {
				c.report.Violations = append(c.report.Violations, Violation{Name: "stale-ledger", StrictOnly: true,
					Detail: fmt.Sprintf("%s did not see transfer %d, acknowledged before it began", r, o.Value)})
			}
		}
	}
}

// checkAgree checks that balances read together with the ledger equal the initial balances
// plus the ledger's transfers.
func (c *bank) checkAgree(r *Record, accounts, ledger *Op) {
	want := map[string]int64{}
	for _, a := range c.rules.Initial {
		want[a.Name] += a.Amount
	}
	for _, id := range ledger.List {
		for _, move := range c.moves(id) {
			want[move.Name] += move.Amount
		}
	}
	for _, a := range accounts.Accounts {
		want[a.Name] -= a.Amount
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if d := want[name]; d != 0 {
			c.report.add("ledger-disagrees", "%s: by the ledger read with it, %s should have %d more%s", r, name, d, c.suspects(name, -d, ledger.List))
		}
	}
}

// suspects names the transfers, not in the ledger, that would
// explain an account's surplus: three at most.
func (c *bank) suspects(account string, amount int64, ledger []int64) (text string) {
	left := 3
	for _, r := range c.h.Records {
		for _, op := range r.Ops {
			if op.Kind == Transfer && left > 0 && slices.Contains(op.Accounts, Account{account, amount}) && !slices.Contains(ledger, op.Value) {
				left--
				text += fmt.Sprintf("; as if it had seen transfer %d of %s, which is not there", op.Value, r)
			}
		}
	}
	return text
}

func (c *bank) moves(id int64) []Account {
	if w := c.transfer[id]; w != nil {
		for _, op := range w.Ops {
			if op.Kind == Transfer && op.Value == id {
				return op.Accounts
			}
		}
	}
	return nil
}

// checkFinal checks that every acknowledged transfer is in each final read of the ledger.
func (c *bank) checkFinal() {
	for _, r := range c.h.Records {
		for _, op := range r.Ops {
			if !r.Final || r.Outcome != OK || op.Kind != Ledger {
				continue
			}
			for _, id := range slices.Sorted(maps.Keys(c.transfer)) {
				if w := c.transfer[id]; w.Outcome == OK && !slices.Contains(op.List, id) {
					c.report.add("lost-transfer", "%s was acknowledged, and at the end transfer %d is missing", w, id)
				}
			}
		}
	}
}

// checkLedgersNest checks that of two reads of the ledger one contains the other, because entries
// are never removed. Two that each lack an entry of the other are a long fork. Snapshot reads are
// compared with snapshot reads only: each is a cut in timestamp order, in which two unrelated
// commits may have another order than a client without a timestamp observed.
func (c *bank) checkLedgersNest() {
	c.checkNest(false)
	c.checkNest(true)
}

func (c *bank) checkNest(snapshotReads bool) {
	type reading struct {
		r   *Record
		ids []int64
	}
	var all []reading
	for _, r := range c.h.Records {
		for _, op := range r.Ops {
			if op.Kind == Ledger && r.Outcome == OK && r.ReadTS == snapshotReads {
				all = append(all, reading{r, op.List})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b reading) int { return len(a.ids) - len(b.ids) })
	for i := 1; i < len(all); i++ {
		larger := map[int64]bool{}
		for _, id := range all[i].ids {
			larger[id] = true
		}
		for _, id := range all[i-1].ids {
			if !larger[id] {
				c.report.add("long-fork", "%s saw transfer %d, %s did not but saw as many: they cannot be put in an order",
					all[i-1].r, id, all[i].r)
				break
			}
		}
	}
}

func accountList(accounts []Account) string {
	parts := make([]string, len(accounts))
	for i, a := range accounts {
		parts[i] = fmt.Sprintf("%s=%d", a.Name, a.Amount)
	}
	return strings.Join(parts, " ")
}
