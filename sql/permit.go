package sql

import (
	"cmp"
	"context"
	"strconv"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/account"
	"isochron/sql/legacy/accounts"
)

// permit is asked of each statement that a client sends, when it is parsed and, if it
// was prepared, again when it is executed. A kind that Rights does not have is refused.
func permit(ctx context.Context, stmt sqlparser.Statement) error {
	if stmt == nil {
		return nil
	}
	var s *Session
	if gctx, ok := ctx.(*gms.Context); ok {
		s, _ = gctx.Session.(*Session)
	}
	r := account.RightOf(accounts.KindOf(stmt))
	if r == nil {
		return keep(s, mysql.NewSQLError(codeInvalidRequest, "42000", "this kind of statement is not supported: %.100s", sqlparser.String(stmt)))
	}
	if s == nil {
		return nil
	}
	return keep(s, permitTo(s, r, stmt))
}

// keep remembers why a statement was refused: the engine makes a mere text of it.
func keep(s *Session, err error) error {
	if s == nil {
		return err
	}
	return s.statement.deny(err)
}

// permitTo is nil if the session's account holds what a statement needs.
func permitTo(s *Session, r *account.Right, stmt sqlparser.Statement) error {
	h := s.holder()
	switch n := stmt.(type) {
	case *sqlparser.Kill:
		n.Auth = leaveIt // the engine would ask for SUPER
		return mayKill(s, &h, connectionOf(n))
	case sqlparser.InjectedStatement:
		if about, ok := n.Statement.(*accounts.Node); ok && about.Show != nil {
			return h.MayShowGrants(about.Show)
		} else if ok {
			if not, ok := about.Statement.(*account.Unsupported); ok {
				return cmp.Or(h.Holds(r.Needs), not.Err)
			}
		}
	case *sqlparser.Show:
		if r.Statement == "SHOW PROCESSLIST" {
			n.Auth = leaveIt // processes shows to each what is theirs
		}
		if r.Statement == "SHOW CREATE" {
			return h.MaySee(accounts.ShowsDatabase(n), n.Table.Name.String())
		}
	case *sqlparser.DBDDL:
		n.Auth = leaveIt // the engine would take rights on the current database for it
		return h.HoldsOnDatabase(r.Needs, n.DBName)
	case *sqlparser.Analyze:
		for _, t := range n.Tables {
			if err := h.HoldsOnTable(r.Needs, t.DbQualifier.String(), t.Name.String()); err != nil {
				return err
			}
		}
		return nil
	case *sqlparser.Explain:
		return permitInner(s, n.Statement)
	case *sqlparser.Execute:
		if inner, ok := s.GetPreparedQuery(n.Name); ok {
			return permitInner(s, inner)
		}
	}
	if r.On != account.OnGlobal || isAccounts(r.Statement) {
		return nil
	}
	return h.Holds(r.Needs)
}

// permitPrepared asks again of a statement that was prepared by the wire protocol:
// what was granted then may have been revoked.
func permitPrepared(s *Session, text string) error {
	stmt, ok := s.GetPreparedQuery(text)
	if !ok {
		return nil
	}
	return permitInner(s, stmt)
}

func permitInner(s *Session, stmt sqlparser.Statement) error {
	if stmt == nil {
		return nil
	}
	return permit(s.quiet, stmt)
}

// leaveIt tells the engine not to judge what was judged here.
var leaveIt = sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE, TargetType: sqlparser.AuthTargetType_Ignore}

// isAccounts are the kinds that mayChange judges, in the transaction that changes them.
func isAccounts(kind string) bool {
	switch kind {
	case "ALTER USER", "GRANT", "REVOKE", "GRANT ROLE", "REVOKE ROLE":
		return true
	}
	return false
}

// connectionOf is the connection that a KILL names, 0 if that is not a number.
func connectionOf(n *sqlparser.Kill) uint32 {
	if v, ok := n.ConnID.(*sqlparser.SQLVal); ok {
		if id, err := strconv.ParseUint(string(v.Val), 10, 32); err == nil {
			return uint32(id)
		}
	}
	return 0
}

// mayKill is nil if the session may end another, or what runs in it.
func mayKill(s *Session, h *account.Holder, id uint32) error {
	if id == s.ID() {
		return nil
	}
	if victim := s.gateway.session(id); victim != nil {
		return h.MayKill(victim.Client().User, victim.Client().Address)
	}
	return h.MayKillUnknown()
}

// permitNode is the same for what is about to be executed, however it came here: the
// settings of all may be reached by spellings that only the engine takes apart.
func permitNode(ctx *gms.Context, n gms.Node) error {
	set, ok := n.(*gmsplan.Set)
	if !ok {
		return nil
	}
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil
	}
	h := s.holder()
	for _, e := range set.Exprs {
		field, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		v, ok := field.LeftChild.(*expression.SystemVar)
		if ok && !sessionOnly(v.Scope) && !h.Has(account.SystemVariablesAdmin) {
			return account.Needs(account.SystemVariablesAdmin)
		}
		if ok && !sessionOnly(v.Scope) && equalFold(v.Name, lockWaitAlias) {
			return account.NotSupported("SET GLOBAL "+lockWaitAlias, "SET GLOBAL "+lockWaitVariable+" bounds waits for rows and for definitions of tables")
		}
	}
	return nil
}

func sessionOnly(scope gms.SystemVariableScope) bool {
	m, ok := scope.(*gms.MysqlScope)
	return ok && m.Type == gms.SystemVariableScope_Session
}
