package account

import (
	"strings"

	"isochron/sql/legacy"
)

// Errors of MySQL about an account without a privilege, and about what is refused to all accounts.
const (
	codeNeedsPrivilege  = 1227
	codeCommandDenied   = 1142
	codeDeniedDatabase  = 1044
	codeDeniedProcedure = 1370
	codeNotSupported    = 1235
	codeAccountLocked   = 3118
)

// The dynamic privileges that are asked for. SUPER stands for each of them.
const (
	SystemVariablesAdmin = "SYSTEM_VARIABLES_ADMIN"
	connectionAdmin      = "CONNECTION_ADMIN"
	systemUser           = "SYSTEM_USER"
	roleAdmin            = "ROLE_ADMIN"
	ResourceGroupUser    = "RESOURCE_GROUP_USER"
)

// Needs is the error of an account that lacks a privilege; "A or B" is either.
func Needs(privilege string) error {
	return legacy.NewError(codeNeedsPrivilege, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", strings.ReplaceAll(privilege, " or ", ", "))
}

// NotSupported refuses an option of a statement, and says what to do instead.
func NotSupported(option, instead string) error {
	return legacy.NewError(codeNotSupported, "42000", "%s is not supported, and nothing was changed: %s", option, instead)
}

// Holder is an account on whose behalf something is done.
type Holder struct {
	accounts   *Accounts
	User, Host string // of the account
	Database   string // the current one; empty: none
	held       *Holdings
}

// Holder is the account of a session, with what it holds now.
func (a *Accounts) Holder(user, host, database string) Holder {
	h := Holder{accounts: a, User: user, Host: host, Database: database, held: nothing}
	if u := a.named(user, host); u != nil {
		h.held = u.held
	}
	return h
}

// nothing are the privileges of no account.
var nothing = &Holdings{}

// Has reports whether a privilege is held globally.
func (h *Holder) Has(privilege string) bool { return h.held.has(privilege) }

// Holds is nil if all of some needs are held globally.
func (h *Holder) Holds(all []string) error {
	for _, need := range all {
		if !h.held.hasOne(need) {
			return Needs(need)
		}
	}
	return nil
}

// HasOnTable reports whether a privilege is held on a table.
func (h *Holder) HasOnTable(need, db, table string) bool {
	on := h.held.on(db)
	return h.held.has(need) || (on.all()|on.table(table).all())&anyOf(need) != 0
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
	return legacy.NewError(codeCommandDenied, "42000", "%s command denied to user '%s' for table '%s'", command, h.User, table)
}

// HoldsOnDatabase is nil if all of some needs are held on a database.
func (h *Holder) HoldsOnDatabase(all []string, db string) error {
	if db == "" {
		db = h.Database
	}
	for _, need := range all {
		if !h.held.has(need) && h.held.on(db).all()&anyOf(need) == 0 {
			return h.DeniedDatabase(db)
		}
	}
	return nil
}

// DeniedDatabase is the error of an account that lacks a privilege on a database.
func (h *Holder) DeniedDatabase(db string) error {
	return legacy.NewError(codeDeniedDatabase, "42000", "Access denied for user '%s' to database '%s'", h.User, db)
}

// HoldsOnProcedure is nil if a privilege is held on a procedure.
func (h *Holder) HoldsOnProcedure(need, db, name string) error {
	on := h.held.on(db)
	if h.held.has(need) || (on.all()|on.routine(Routine{strings.ToLower(name), true}))&anyOf(need) != 0 {
		return nil
	}
	return legacy.NewError(codeDeniedProcedure, "42000", "%s command denied to user '%s' for routine '%s.%s'", strings.ToLower(need), h.User, db, name)
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
	on := h.held.on(db)
	switch {
	case h.held.Global != 0 || on.all() != 0:
		return nil
	case table == "" && !on.some():
		return h.DeniedDatabase(db)
	case table != "" && !on.table(table).some():
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
	if theirs != nil && theirs.held.has(systemUser) && !h.Has(systemUser) {
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
	u := h.accounts.named(user, host)
	if u == nil {
		return "is no account any more"
	}
	mine := h.accounts.named(h.User, h.Host)
	if mine == nil || holdsAll(u.held, mine.held) {
		return ""
	}
	return "has fewer privileges than yours"
}
