package account

import (
	"maps"
	"slices"

	"isochron/sql/legacy"
)

// judge says who may change which accounts, by the accounts as they are in the
// transaction of the catalogue that changes them.
//
// Whoever may make users must not become somebody stronger by it. So an account is
// changed or dropped only by somebody who holds all that it holds, or SYSTEM_USER; an
// account with SYSTEM_USER by nobody else; and only what one holds oneself is granted.
type judge struct {
	book *Book
	me   *User
	here string // the current database
}

// Holds checks the needs of a row.
func (j *judge) holds(kind string) error {
	for _, need := range RightOf(kind).Needs {
		if !j.me.held.hasOne(need) {
			return Needs(need)
		}
	}
	return nil
}

// isMe reports whether a statement names one's own account.
func (j *judge) isMe(n Name) bool { return n == j.me.Name }

// meant is the account that a statement names; none if there is no such.
func (j *judge) meant(n Name) []*User {
	if u := j.book.users[n]; u != nil {
		return []*User{u}
	}
	return nil
}

// create refuses a second account of the name of a stronger one, too: logins from its
// host would meet it instead.
func (j *judge) create(kind string, names []Name) error {
	if err := j.holds(kind); err != nil {
		return err
	}
	for _, name := range names {
		others := j.book.byUser[name.User]
		if name.User == "" { // logins of every name may meet the anonymous account
			others = slices.Collect(maps.Values(j.book.users)) // order: all of them
		}
		for _, u := range others {
			if err := j.over(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *judge) alter(kind string, names []Name) error {
	if err := j.holds(kind); err != nil {
		return err
	}
	for _, name := range names {
		for _, u := range j.meant(name) {
			if err := j.over(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// alterUsers lets everybody change the password of the own account, and nothing else of it.
func (j *judge) alterUsers(names []Name, passwordOnly bool) error {
	if passwordOnly {
		names = slices.DeleteFunc(names, j.isMe)
	}
	if len(names) == 0 {
		return nil
	}
	return j.alter("ALTER USER", names)
}

// dropRoles leaves accounts that can log in to those who may drop users.
func (j *judge) dropRoles(names []Name) error {
	for _, name := range names {
		for _, u := range j.meant(name) {
			if !u.Locked {
				return j.alter("DROP USER", names)
			}
		}
	}
	return j.alter("DROP ROLE", names)
}

// over is nil if one may do with an account what one likes.
func (j *judge) over(u *User) error {
	if j.me.held.has(systemUser) || u == j.me {
		return nil
	}
	if u.held.has(systemUser) || !holdsAll(j.me.held, u.held) {
		return legacy.NewError(codeNeedsPrivilege, "42000", "Access denied; the account '%s'@'%s' has privileges that yours has not: you need (at least one of) the %s privilege(s) for this operation", u.User, u.Host, systemUser)
	}
	return nil
}

// giveRoles is for GRANT and REVOKE of roles.
func (j *judge) giveRoles(roles, users []Name) error {
	if err := j.reaches(users); err != nil {
		return err
	}
	for _, name := range roles {
		for _, role := range j.meant(name) {
			if j.administers(role) {
				continue
			}
			if err := j.holds("GRANT ROLE"); err != nil {
				return err
			}
			if err := j.over(role); err != nil {
				return err
			}
		}
	}
	return nil
}

// Administers reports whether one has a role WITH ADMIN OPTION.
func (j *judge) administers(role *User) bool {
	return slices.Contains(j.book.roles[j.me.Name], Given{role.Name, true})
}

// reaches refuses accounts with SYSTEM_USER to those who have it not.
func (j *judge) reaches(users []Name) error {
	for _, name := range users {
		for _, u := range j.meant(name) {
			if u != j.me && u.held.has(systemUser) && !j.me.held.has(systemUser) {
				return Needs(systemUser)
			}
		}
	}
	return nil
}

// denied is the error of somebody who has not what a GRANT or REVOKE is about, at its level.
func (j *judge) denied() error {
	return legacy.NewError(codeCommandDenied, "42000", "command denied to user '%s'@'%s'", j.me.User, j.me.Host)
}

// give is for GRANT and REVOKE of privileges.
func (j *judge) give(users []Name, privileges []Granted, level Level, revoke bool) error {
	if level.Database == "" {
		level.Database = j.here
	}
	if !j.hasAt(grantOption, level) {
		return j.denied()
	}
	for _, p := range privileges {
		switch {
		case p.None, p.Dynamic != "", p.All && revoke:
		case p.All && !j.hasAll(level), !p.All && !j.hasAt(p.Static, level):
			return j.denied()
		}
	}
	if err := j.reaches(users); err != nil {
		return err
	}
	for _, p := range privileges {
		if p.Dynamic != "" && !j.me.held.has(p.Dynamic) {
			return Needs(p.Dynamic)
		}
		for i := 0; p.All && revoke && i < len(users); i++ { // one must hold all that is taken
			for _, u := range j.meant(users[i]) {
				if err := j.over(u); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hasAll reports whether one may grant ALL: at *.* one must hold every privilege, below it all that can be granted there.
func (j *judge) hasAll(level Level) bool {
	needed := all
	if level.Database != "*" {
		needed = belowGlobal
	}
	for i := range names {
		if p := needed & (1 << i); p != 0 && !j.hasAt(p, level) {
			return false
		}
	}
	return true
}

// belowGlobal are the privileges that ALL on a table holds; ALL on a database has more,
// which are about what this server has not: routines, events and locks.
var belowGlobal = func() (s Set) {
	for _, name := range []string{"ALTER", "CREATE", "CREATE VIEW", "DELETE", "DROP", "INDEX", "INSERT", "REFERENCES", "SELECT", "SHOW VIEW", "TRIGGER", "UPDATE"} {
		s |= bits[name]
	}
	return s
}()

// hasAt reports whether one holds a privilege at a level or above it.
func (j *judge) hasAt(p Set, level Level) bool {
	mine := j.me.held
	if mine.Global&(super|p) != 0 {
		return true
	}
	if level.Database == "*" {
		return false
	}
	db := mine.on(level.Database)
	return db.all()&p != 0 || level.Object != "*" && db.table(level.Object).all()&p != 0
}
