package sql

import (
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
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

var priorityType = sysvars.Type(priorityVariable)

// priorityOf is the priority of that name.
func priorityOf(name string) (txn.Priority, bool) {
	for _, p := range []txn.Priority{txn.PriorityLow, txn.PriorityHigh} {
		if equalFold(name, p.String()) {
			return p, true
		}
	}
	return 0, false
}

// setPriority is for the transactions of the session that begin from now on.
func (s *Session) setPriority(ctx *gms.Context, value any) error {
	converted, _, err := priorityType.Convert(ctx, value)
	if err != nil {
		return err
	}
	name, _ := converted.(string)
	p, _ := priorityOf(name)
	if err := s.mayHave(p); err != nil {
		return err
	}
	s.characteristics.priority = p
	return s.BaseSession.SetSessionVariable(ctx, priorityVariable, name)
}

// mayHave reports whether the session's user may have transactions of a priority.
func (s *Session) mayHave(p txn.Priority) error {
	if p <= txn.PriorityLow {
		return nil
	}
	h := s.holder()
	return h.Holds([]string{priorityNeeds})
}

// priorityHint is in START TRANSACTION /*+ priority(high) */.
var priorityHint = regexp.MustCompile(`(?i)/\*\+\s*priority\s*\(\s*(\w{1,16})\s*\)\s*\*/`)

// notePriority remembers what a START TRANSACTION says of its priority, which is not in its tree.
func (s *Session) notePriority(begin string) {
	if !strings.Contains(begin, "/*+") {
		return
	}
	if m := priorityHint.FindStringSubmatch(begin); m != nil {
		s.statement.priority = m[1]
	}
}

// prioritize gives the transaction that a statement has opened the priority that it has said.
func (s *Session) prioritize(said string) error {
	if said == "" {
		return nil
	}
	p, known := priorityOf(said)
	if !known {
		return mysql.NewSQLError(1231, "42000", "There is no priority '%s': it is low or high", said)
	}
	if err := s.mayHave(p); err != nil {
		return err
	}
	s.open.priority = p
	return nil
}
