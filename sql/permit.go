package sql

import (
	"context"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

const (
	codeNeedsPrivilege = 1227
	codeCommandDenied  = 1142
)

// The dynamic privileges that are asked for. SUPER stands for each of them.
const (
	systemVariablesAdmin = "SYSTEM_VARIABLES_ADMIN"
	connectionAdmin      = "CONNECTION_ADMIN"
	systemUser           = "SYSTEM_USER"
	roleAdmin            = "ROLE_ADMIN"
)

// has reports whether a privilege, static or dynamic, is held globally.
func has(p mysql_db.PrivilegeSet, privilege string) bool {
	if p.Has(gms.PrivilegeType_Super) {
		return true
	}
	if static, ok := staticPrivilege(privilege); ok {
		return p.Has(static)
	}
	return p.HasDynamic(privilege)
}

// hasOne is has for "A or B".
func hasOne(p mysql_db.PrivilegeSet, need string) bool {
	for _, privilege := range strings.Split(need, " or ") {
		if has(p, privilege) {
			return true
		}
	}
	return false
}

// staticPrivilege knows the privileges that the SQL standard and MySQL 5 have, by
// the names that GRANT takes.
func staticPrivilege(name string) (gms.PrivilegeType, bool) {
	switch name {
	case "GRANT OPTION":
		return gms.PrivilegeType_GrantOption, true
	case "CREATE TEMPORARY TABLES":
		return gms.PrivilegeType_CreateTempTable, true
	case "SHOW DATABASES":
		return gms.PrivilegeType_ShowDB, true
	}
	return gms.PrivilegeTypeFromString(name)
}

// privileges are what the session's user holds now, roles included.
func (s *Session) privileges() mysql_db.PrivilegeSet {
	return s.gateway.accounts.shown.UserActivePrivilegeSet(s.quiet)
}

func needs(privilege string) error {
	return mysql.NewSQLError(codeNeedsPrivilege, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", strings.ReplaceAll(privilege, " or ", ", "))
}

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
	r := rightOf[kindOf(stmt)]
	if r == nil {
		return s.keep(mysql.NewSQLError(codeInvalidRequest, "42000", "this kind of statement is not supported: %.100s", sqlparser.String(stmt)))
	}
	if err := refuseOptions(stmt); err != nil {
		return s.keep(err)
	}
	if s == nil {
		return nil
	}
	return s.keep(s.permit(r, stmt))
}

// keep remembers why a statement was refused: the engine makes a mere text of it.
func (s *Session) keep(err error) error {
	if s == nil {
		return err
	}
	s.statement.denied, _ = err.(*mysql.SQLError)
	return err
}

func (s *Session) permit(r *Right, stmt sqlparser.Statement) error {
	switch n := stmt.(type) {
	case *sqlparser.Kill:
		n.Auth = leaveIt // the engine would ask for SUPER
		return s.mayKill(connectionOf(n))
	case *sqlparser.ShowGrants:
		if n.For == nil || s.isSelf(n.For.Name, n.For.Host) {
			n.Auth = leaveIt
			return nil
		}
		return nil // the engine asks for the database mysql
	case *sqlparser.Show:
		if r.Statement == "SHOW PROCESSLIST" {
			n.Auth = leaveIt // processes shows to each what is theirs
		}
		if r.Statement == "SHOW CREATE" {
			return s.maySee(n)
		}
	case *sqlparser.GrantRole:
		n.Auth = leaveIt // mayChange judges, where the roles are
	case *sqlparser.RevokeRole:
		n.Auth = leaveIt
	case *sqlparser.RevokeProxy:
		n.Auth = leaveIt // the row of the table says it
	case *sqlparser.Set:
		for _, e := range n.Exprs {
			if e.Scope == sqlparser.SetScope_None && e.Name.Name.EqualString("password") {
				return mysql.NewSQLError(codeInvalidRequest, "42000", "SET PASSWORD is not supported: use ALTER USER ... IDENTIFIED BY")
			}
		}
	case *sqlparser.CreateUser:
		if isAlter(n) {
			n.Auth = leaveIt // mayChange judges, where the accounts are
		}
	case *sqlparser.DBDDL:
		n.Auth = leaveIt // the engine would take rights on the current database for it
		return s.holdsOnDatabase(r, n.DBName)
	case *sqlparser.Analyze:
		return s.holdsOn(r, n.Tables)
	case *sqlparser.RenameUser:
		if err := s.holds(r); err != nil {
			return err
		}
		return mysql.NewSQLError(codeInvalidRequest, "42000", "RENAME USER is not supported: make a new user, grant it the same, and drop the old one")
	case *sqlparser.Explain:
		return s.permitInner(n.Statement)
	case *sqlparser.Execute:
		if inner, ok := s.GetPreparedQuery(n.Name); ok {
			return s.permitInner(inner)
		}
	}
	if r.On != onGlobal || isAccounts(r.Statement) {
		return nil
	}
	return s.holds(r)
}

// permitPrepared asks again of a statement that was prepared by the wire protocol:
// what was granted then may have been revoked.
func (s *Session) permitPrepared(text string) error {
	stmt, ok := s.GetPreparedQuery(text)
	if !ok {
		return nil
	}
	return s.permitInner(stmt)
}

func (s *Session) permitInner(stmt sqlparser.Statement) error {
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

// holds is nil if the user holds all that a row needs globally.
func (s *Session) holds(r *Right) error {
	p := s.privileges()
	for _, need := range r.Needs {
		if !hasOne(p, need) {
			return needs(need)
		}
	}
	return nil
}

// holdsOn is nil if the user holds what a row needs on each of the tables.
func (s *Session) holdsOn(r *Right, tables sqlparser.TableNames) error {
	p := s.privileges()
	for _, t := range tables {
		db := t.DbQualifier.String()
		if db == "" {
			db = s.GetCurrentDatabase()
		}
		on := p.Database(db)
		for _, need := range r.Needs {
			static, _ := staticPrivilege(need)
			if !has(p, need) && !on.Has(static) && !on.Table(t.Name.String()).Has(static) {
				return mysql.NewSQLError(codeCommandDenied, "42000", "%s command denied to user '%s' for table '%s'", need, s.Client().User, t.Name.String())
			}
		}
	}
	return nil
}

// holdsOnDatabase is nil if the user holds what a row needs on a database.
func (s *Session) holdsOnDatabase(r *Right, db string) error {
	if db == "" {
		db = s.GetCurrentDatabase()
	}
	p := s.privileges()
	for _, need := range r.Needs {
		static, _ := staticPrivilege(need)
		if !has(p, need) && !p.Database(db).Has(static) {
			return mysql.NewSQLError(codeDatabaseDenied, "42000", "Access denied for user '%s' to database '%s'", s.Client().User, db)
		}
	}
	return nil
}

// isSelf reports whether a name in a statement is the session's own account.
func (s *Session) isSelf(name, host string) bool {
	me := s.gateway.accounts.named(s.Client().User, s.Client().Address)
	return me != nil && me.User == name && equalFold(me.Host, canonicalHost(host))
}

// maySee is for SHOW statements about one table or database: whoever has nothing on
// it does not learn what it looks like.
func (s *Session) maySee(n *sqlparser.Show) error {
	db := showsDatabase(n)
	if db == "" {
		db = s.GetCurrentDatabase()
	}
	if equalFold(db, "information_schema") || db == "" {
		return nil
	}
	p, table := s.privileges(), n.Table.Name.String()
	on := p.Database(db)
	switch {
	case p.Count() > 0 || on.Count() > 0:
		return nil
	case table == "" && !on.HasPrivileges():
		return mysql.NewSQLError(codeDatabaseDenied, "42000", "Access denied for user '%s' to database '%s'", s.Client().User, db)
	case table != "" && !on.Table(table).HasPrivileges():
		return mysql.NewSQLError(codeCommandDenied, "42000", "SHOW command denied to user '%s' for table '%s'", s.Client().User, table)
	}
	return nil
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
func (s *Session) mayKill(id uint32) error {
	if id == s.ID() {
		return nil
	}
	p := s.privileges()
	victim := s.gateway.session(id)
	if victim != nil {
		theirs := s.gateway.accounts.named(victim.Client().User, victim.Client().Address)
		if theirs != nil && s.isSelf(theirs.User, theirs.Host) {
			return nil
		}
		if theirs != nil && has(s.gateway.accounts.privilegesOf(theirs), systemUser) && !has(p, systemUser) {
			return needs(systemUser)
		}
	}
	if !has(p, connectionAdmin) {
		return needs(connectionAdmin)
	}
	return nil
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
	for _, e := range set.Exprs {
		field, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		v, ok := field.LeftChild.(*expression.SystemVar)
		if ok && !sessionOnly(v.Scope) && !has(s.privileges(), systemVariablesAdmin) {
			return needs(systemVariablesAdmin)
		}
		if ok && !sessionOnly(v.Scope) && equalFold(v.Name, lockWaitAlias) {
			return notDone("SET GLOBAL "+lockWaitAlias, "SET GLOBAL "+lockWaitVariable+" bounds waits for rows and for definitions of tables")
		}
	}
	return nil
}

func sessionOnly(scope gms.SystemVariableScope) bool {
	m, ok := scope.(*gms.MysqlScope)
	return ok && m.Type == gms.SystemVariableScope_Session
}
