package sql

import (
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
	"isochron/sql/legacy"
	"isochron/sql/sysvars"
	"isochron/txn"
)

// A transaction of high priority goes before all of low priority, whenever they began: they give
// way to it as the younger give way to the older (txn.Age), and where rows are voted on without
// having been locked it locks them first. A session says which it is for all of its
// transactions, START TRANSACTION for one. Who may say high needs a privilege, the one that
// lets a user of MySQL raise the priority of threads.

const (
	priorityVariable = sysvars.Priority
	priorityNeeds    = account.ResourceGroupUser + " or RESOURCE_GROUP_ADMIN"
)

var priorityType = legacy.VariableType(priorityVariable)

// priorityOf is the priority of that name.
func priorityOf(name string) (txn.Priority, bool) {
	for _, p := range []txn.Priority{txn.PriorityLow, txn.PriorityHigh} {
		if equalFold(name, p.String()) {
			return p, true
		}
	}
	return 0, false
}

// priorityIn is the priority that a value of the variable says, and its name.
func priorityIn(ctx *gms.Context, value any) (txn.Priority, string, error) {
	converted, _, err := priorityType.Convert(ctx, value)
	name, _ := converted.(string)
	p, _ := priorityOf(name)
	return p, name, err
}

// mayHave is nil if an account may have transactions of a priority.
func mayHave(h *account.Holder, p txn.Priority) error {
	if p <= txn.PriorityLow {
		return nil
	}
	return h.Holds([]string{priorityNeeds})
}

// priorityHint is in START TRANSACTION /*+ priority(high) */.
var priorityHint = regexp.MustCompile(`(?i)/\*\+\s*priority\s*\(\s*(\w{1,16})\s*\)\s*\*/`)

// priorityHinted is what a START TRANSACTION says of its priority, which is not in its tree; empty:
// nothing.
func priorityHinted(begin string) string {
	if !strings.Contains(begin, "/*+") {
		return ""
	}
	if m := priorityHint.FindStringSubmatch(begin); m != nil {
		return m[1]
	}
	return ""
}

// prioritySaid is the priority that a statement has said for the transaction that it opens.
func prioritySaid(h *account.Holder, said string) (txn.Priority, error) {
	p, known := priorityOf(said)
	if !known {
		return 0, mysql.NewSQLError(1231, "42000", "There is no priority '%s': it is low or high", said)
	}
	return p, mayHave(h, p)
}
