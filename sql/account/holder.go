package account

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"
)

// Errors of MySQL about an account without a privilege, and about what is refused to all accounts.
const (
	codeNeedsPrivilege  = 1227
	codeCommandDenied   = 1142
	codeDeniedDatabase  = 1044
	codeDeniedProcedure = 1370
	codeNotSupported    = 1235
)

// The dynamic privileges that are asked for. SUPER stands for each of them.
const (
	SystemVariablesAdmin = "SYSTEM_VARIABLES_ADMIN"
	connectionAdmin      = "CONNECTION_ADMIN"
	systemUser           = "SYSTEM_USER"
	roleAdmin            = "ROLE_ADMIN"
	ResourceGroupUser    = "RESOURCE_GROUP_USER"
)

// Has reports whether a privilege, static or dynamic, is held globally.
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

// Needs is the error of an account that lacks a privilege; "A or B" is either.
func Needs(privilege string) error {
	return mysql.NewSQLError(codeNeedsPrivilege, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", strings.ReplaceAll(privilege, " or ", ", "))
}

// Holder is an account on whose behalf something is done.
type Holder struct {
	accounts   *Accounts
	User, Host string // of the account
	Database   string // the current one; empty: none
	Privileges mysql_db.PrivilegeSet
}

// Holder is the account of a session, with what it holds now.
func (a *Accounts) Holder(ctx *gms.Context) Holder {
	c := ctx.Session.Client()
	return Holder{accounts: a, User: c.User, Host: c.Address, Database: ctx.GetCurrentDatabase(), Privileges: a.shown.UserActivePrivilegeSet(ctx)}
}

// Has reports whether a privilege is held globally.
func (h *Holder) Has(privilege string) bool { return has(h.Privileges, privilege) }

// Holds is nil if all of some needs are held globally.
func (h *Holder) Holds(all []string) error {
	for _, need := range all {
		if !hasOne(h.Privileges, need) {
			return Needs(need)
		}
	}
	return nil
}

// HasOnTable reports whether a privilege is held on a table.
func (h *Holder) HasOnTable(need, db, table string) bool {
	static, _ := staticPrivilege(need)
	on := h.Privileges.Database(db)
	return has(h.Privileges, need) || on.Has(static) || on.Table(table).Has(static)
}

// HoldsOnTable is nil if all of some needs are held on a table.
func (h *Holder) HoldsOnTable(all []string, db, table string) error {
	if db == "" {
		db = h.Database
	}
	for _, need := range all {
		if !h.HasOnTable(need, db, table) {
			return h.DeniedTable(need, table)
		}
	}
	return nil
}

// DeniedTable is the error of an account that lacks a privilege on a table.
func (h *Holder) DeniedTable(command, table string) error {
	return mysql.NewSQLError(codeCommandDenied, "42000", "%s command denied to user '%s' for table '%s'", command, h.User, table)
}

// HoldsOnDatabase is nil if all of some needs are held on a database.
func (h *Holder) HoldsOnDatabase(all []string, db string) error {
	if db == "" {
		db = h.Database
	}
	for _, need := range all {
		static, _ := staticPrivilege(need)
		if !has(h.Privileges, need) && !h.Privileges.Database(db).Has(static) {
			return h.DeniedDatabase(db)
		}
	}
	return nil
}

// DeniedDatabase is the error of an account that lacks a privilege on a database.
func (h *Holder) DeniedDatabase(db string) error {
	return mysql.NewSQLError(codeDeniedDatabase, "42000", "Access denied for user '%s' to database '%s'", h.User, db)
}

// HoldsOnProcedure is nil if a privilege is held on a procedure.
func (h *Holder) HoldsOnProcedure(need, db, name string) error {
	static, _ := staticPrivilege(need)
	p := h.Privileges
	on := p.Database(db)
	if has(p, need) || on.Has(static) || on.Routine(strings.ToLower(name), true).Has(static) || on.Routine(name, true).Has(static) {
		return nil
	}
	return mysql.NewSQLError(codeDeniedProcedure, "42000", "%s command denied to user '%s' for routine '%s.%s'", strings.ToLower(need), h.User, db, name)
}

// IsSelf reports whether a name in a statement is the holder's own account.
func (h *Holder) IsSelf(name, host string) bool {
	me := h.accounts.named(h.User, h.Host)
	return me != nil && me.User == name && strings.EqualFold(me.Host, canonicalHost(host))
}

// MaySee is for SHOW statements about one table, or about a database: an account with nothing on
// it does not learn what it looks like. table is empty for a database.
func (h *Holder) MaySee(db, table string) error {
	if db == "" {
		db = h.Database
	}
	if strings.EqualFold(db, "information_schema") || db == "" {
		return nil
	}
	on := h.Privileges.Database(db)
	switch {
	case h.Privileges.Count() > 0 || on.Count() > 0:
		return nil
	case table == "" && !on.HasPrivileges():
		return h.DeniedDatabase(db)
	case table != "" && !on.Table(table).HasPrivileges():
		return h.DeniedTable("SHOW", table)
	}
	return nil
}

// MayKill is nil if the holder may end the session of an account, or what runs in it. The
// account may be none.
func (h *Holder) MayKill(user, host string) error {
	theirs := h.accounts.named(user, host)
	if theirs != nil && h.IsSelf(theirs.User, theirs.Host) {
		return nil
	}
	if theirs != nil && has(h.accounts.privilegesOf(theirs), systemUser) && !h.Has(systemUser) {
		return Needs(systemUser)
	}
	return h.MayKillUnknown()
}

// MayKillUnknown is mayKill of a session that is not known here.
func (h *Holder) MayKillUnknown() error { return h.Holds([]string{connectionAdmin}) }

// IsDefiner reports whether a DEFINER, as it was written, is the holder's account or none.
func (h *Holder) IsDefiner(text string) bool {
	plain := strings.NewReplacer("`", "", "'", "", `"`, "", " ", "").Replace(text)
	switch {
	case plain == "", strings.EqualFold(plain, "current_user"), strings.EqualFold(plain, "current_user()"):
		return true
	case !strings.Contains(plain, "@"):
		plain += "@%"
	}
	return plain == h.User+"@"+h.Host
}

// Weaker says in which way the definer of a procedure is weaker than the holder, with whose
// privileges it runs; empty if it is not.
func (h *Holder) Weaker(user, host string) string {
	if user == "" || user == h.User && canonicalHost(host) == h.Host {
		return ""
	}
	rd := h.accounts.shown.Reader()
	defer rd.Close()
	u, ok := rd.GetUser(mysql_db.UserPrimaryKey{User: user, Host: canonicalHost(host)})
	if !ok {
		return "is no account any more"
	}
	mine, ok := rd.GetUser(mysql_db.UserPrimaryKey{User: h.User, Host: h.Host})
	if !ok || holdsAll(privilegesIn(h.accounts.shown, rd, u), privilegesIn(h.accounts.shown, rd, mine)) {
		return ""
	}
	return "has fewer privileges than yours"
}
