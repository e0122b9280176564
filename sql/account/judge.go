package account

import (
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// judge says who may change which accounts, by the accounts as they are in the
// transaction of the catalogue that changes them.
//
// Whoever may make users must not become somebody stronger by it. So an account is
// changed or dropped only by somebody who holds all that it holds, or SYSTEM_USER; an
// account with SYSTEM_USER by nobody else; and only what one holds oneself is granted.
type judge struct {
	db   *mysql_db.MySQLDb
	rd   *mysql_db.Reader
	me   *mysql_db.User
	mine mysql_db.PrivilegeSet
	here string // the current database
}

// mayChange is nil if the session's user may do a statement about accounts.
func mayChange(ctx *gms.Context, n gms.Node, db *mysql_db.MySQLDb) error {
	rd := db.Reader()
	defer rd.Close()
	client := ctx.Session.Client()
	me, ok := rd.GetUser(mysql_db.UserPrimaryKey{User: client.User, Host: client.Address})
	if !ok {
		return mysql.NewSQLError(codeAccessDenied, "28000", "Access denied for user '%s'@'%s': the account was dropped", client.User, client.Address)
	}
	j := &judge{db, rd, me, privilegesIn(db, rd, me), ctx.GetCurrentDatabase()}
	switch n := n.(type) {
	case *gmsplan.CreateUser:
		if a, alters := alterationOf(n); alters {
			return j.alterUsers(a)
		}
		return j.create("CREATE USER", namesOf(n.Users))
	case *gmsplan.CreateRole:
		return j.create("CREATE ROLE", n.Roles)
	case *gmsplan.DropUser:
		return j.alter("DROP USER", n.Users)
	case *gmsplan.DropRole:
		return j.dropRoles(n.Roles)
	case *gmsplan.Grant:
		return j.give(n.Users, n.Privileges, n.PrivilegeLevel, false)
	case *gmsplan.Revoke:
		return j.give(n.Users, n.Privileges, n.PrivilegeLevel, true)
	case *gmsplan.GrantRole:
		return j.giveRoles(n.Roles, n.TargetUsers)
	case *gmsplan.RevokeRole:
		return j.giveRoles(n.Roles, n.TargetUsers)
	}
	return Needs("SUPER")
}

func namesOf(users []gmsplan.AuthenticatedUser) []gmsplan.UserName {
	var out []gmsplan.UserName
	for _, u := range users {
		out = append(out, u.UserName)
	}
	return out
}

// privilegesIn are what an account holds, with its roles.
func privilegesIn(db *mysql_db.MySQLDb, rd *mysql_db.Reader, u *mysql_db.User) mysql_db.PrivilegeSet {
	p := u.PrivilegeSet.Copy()
	for _, edge := range rd.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: u.Host, ToUser: u.User}) {
		if role, ok := rd.GetUser(mysql_db.UserPrimaryKey{User: edge.FromUser, Host: edge.FromHost}); ok {
			p.UnionWith(role.PrivilegeSet)
		}
	}
	return p
}

// privilegesOf is privilegesIn as this gateway knows the accounts.
func (a *Accounts) privilegesOf(u *mysql_db.User) mysql_db.PrivilegeSet {
	rd := a.shown.Reader()
	defer rd.Close()
	return privilegesIn(a.shown, rd, u)
}

// Holds checks the needs of a row.
func (j *judge) holds(kind string) error {
	for _, need := range RightOf(kind).Needs {
		if !hasOne(j.mine, need) {
			return Needs(need)
		}
	}
	return nil
}

// isMe reports whether a statement names one's own account.
func (j *judge) isMe(name gmsplan.UserName) bool {
	return keyOf(name) == mysql_db.UserPrimaryKey{Host: j.me.Host, User: j.me.User}
}

// meant is the account that a statement names; none if there is no such.
func (j *judge) meant(name gmsplan.UserName) []*mysql_db.User {
	if u, ok := j.rd.GetUser(keyOf(name)); ok {
		return []*mysql_db.User{u}
	}
	return nil
}

// create refuses a second account of the name of a stronger one, too: logins from its
// host would meet it instead.
func (j *judge) create(kind string, names []gmsplan.UserName) error {
	if err := j.holds(kind); err != nil {
		return err
	}
	for _, name := range names {
		others := j.rd.GetUsersByUsername(name.Name)
		if name.Name == "" { // logins of every name may meet the anonymous account
			others = nil
			j.rd.VisitUsers(func(u *mysql_db.User) { others = append(others, u) })
		}
		for _, u := range others {
			if err := j.over(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *judge) alter(kind string, names []gmsplan.UserName) error {
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
func (j *judge) alterUsers(a alteration) error {
	names := namesOf(a.Users)
	if a.passwordOnly() {
		names = slices.DeleteFunc(names, j.isMe)
	}
	if len(names) == 0 {
		return nil
	}
	return j.alter("ALTER USER", names)
}

// dropRoles leaves accounts that can log in to those who may drop users.
func (j *judge) dropRoles(names []gmsplan.UserName) error {
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
func (j *judge) over(u *mysql_db.User) error {
	if has(j.mine, systemUser) || u == j.me {
		return nil
	}
	theirs := privilegesIn(j.db, j.rd, u)
	if has(theirs, systemUser) || !holdsAll(j.mine, theirs) {
		return mysql.NewSQLError(codeNeedsPrivilege, "42000", "Access denied; the account '%s'@'%s' has privileges that yours has not: you need (at least one of) the %s privilege(s) for this operation", u.User, u.Host, systemUser)
	}
	return nil
}

// giveRoles is for GRANT and REVOKE of roles.
func (j *judge) giveRoles(roles, users []gmsplan.UserName) error {
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
func (j *judge) administers(role *mysql_db.User) bool {
	for _, e := range j.rd.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: j.me.Host, ToUser: j.me.User}) {
		if e.FromUser == role.User && e.FromHost == role.Host && e.WithAdminOption {
			return true
		}
	}
	return false
}

// reaches refuses accounts with SYSTEM_USER to those who have it not.
func (j *judge) reaches(users []gmsplan.UserName) error {
	for _, name := range users {
		for _, u := range j.meant(name) {
			if u != j.me && has(privilegesIn(j.db, j.rd, u), systemUser) && !has(j.mine, systemUser) {
				return Needs(systemUser)
			}
		}
	}
	return nil
}

// Give is for GRANT and REVOKE of privileges.
func (j *judge) give(users []gmsplan.UserName, privileges []gmsplan.Privilege, level gmsplan.PrivilegeLevel, revoke bool) error {
	if err := j.reaches(users); err != nil {
		return err
	}
	if level.Database == "" {
		level.Database = j.here
	}
	if !j.hasAt(gms.PrivilegeType_GrantOption, level) {
		return Needs("GRANT OPTION")
	}
	for _, p := range privileges {
		switch p.Type {
		case gmsplan.PrivilegeType_Usage:
			continue
		case gmsplan.PrivilegeType_All:
			if err := j.giveAll(users, level, revoke); err != nil {
				return err
			}
			continue
		case gmsplan.PrivilegeType_Dynamic:
			if !has(j.mine, strings.ToUpper(p.Dynamic)) {
				return Needs(strings.ToUpper(p.Dynamic))
			}
			continue
		}
		if static, ok := staticOf(p.Type); !ok || !j.hasAt(static, level) {
			return Needs(static.String())
		}
	}
	return nil
}

// giveAll is for ALL: at *.* one must hold every privilege, below it all that can be
// granted there; to take all away, all that is taken.
func (j *judge) giveAll(users []gmsplan.UserName, level gmsplan.PrivilegeLevel, revoke bool) error {
	if revoke {
		for _, name := range users {
			for _, u := range j.meant(name) {
				if err := j.over(u); err != nil {
					return err
				}
			}
		}
		return nil
	}
	all := mysql_db.NewPrivilegeSetWithAllPrivileges().ToSlice()
	if level.Database != "*" {
		all = belowGlobal
	}
	for _, p := range all {
		if !j.hasAt(p, level) {
			return Needs(p.String())
		}
	}
	return nil
}

// belowGlobal are the privileges that ALL on a table holds; ALL on a database has more,
// which are about what this server has not: routines, events and locks.
var belowGlobal = []gms.PrivilegeType{
	gms.PrivilegeType_Alter, gms.PrivilegeType_Create, gms.PrivilegeType_CreateView, gms.PrivilegeType_Delete, gms.PrivilegeType_Drop,
	gms.PrivilegeType_Index, gms.PrivilegeType_Insert, gms.PrivilegeType_References, gms.PrivilegeType_Select, gms.PrivilegeType_ShowView,
	gms.PrivilegeType_Trigger, gms.PrivilegeType_Update,
}

// hasAt reports whether one holds a privilege at a level or above it.
func (j *judge) hasAt(p gms.PrivilegeType, level gmsplan.PrivilegeLevel) bool {
	if j.mine.Has(gms.PrivilegeType_Super) || j.mine.Has(p) {
		return true
	}
	if level.Database == "*" {
		return false
	}
	db := j.mine.Database(level.Database)
	return db.Has(p) || level.TableRoutine != "*" && db.Table(level.TableRoutine).Has(p)
}

// holdsAll reports whether all privileges of theirs are among mine.
func holdsAll(mine, theirs mysql_db.PrivilegeSet) bool {
	if mine.Has(gms.PrivilegeType_Super) {
		return true
	}
	if !mine.Has(theirs.ToSlice()...) || !mine.HasDynamic(theirs.ToSliceDynamic(true)...) || !mine.HasDynamic(theirs.ToSliceDynamic(false)...) {
		return false
	}
	for _, db := range theirs.GetDatabases() {
		if !holdsAllOn(mine, db) {
			return false
		}
	}
	return true
}

func holdsAllOn(mine mysql_db.PrivilegeSet, theirs gms.PrivilegeSetDatabase) bool {
	own := mine.Database(theirs.Name())
	all := func(privileges []gms.PrivilegeType, on func(gms.PrivilegeType) bool) bool {
		return !slices.ContainsFunc(privileges, func(p gms.PrivilegeType) bool { return !mine.Has(p) && !own.Has(p) && !on(p) })
	}
	nowhere := func(gms.PrivilegeType) bool { return false }
	if !all(theirs.ToSlice(), nowhere) {
		return false
	}
	for _, t := range theirs.GetTables() {
		on := own.Table(t.Name())
		if !all(t.ToSlice(), func(p gms.PrivilegeType) bool { return on.Has(p) }) {
			return false
		}
		for _, c := range t.GetColumns() {
			if !all(c.ToSlice(), func(p gms.PrivilegeType) bool { return on.Has(p) || on.Column(c.Name()).Has(p) }) {
				return false
			}
		}
	}
	for _, r := range theirs.GetRoutines() {
		on := own.Routine(r.RoutineName(), strings.EqualFold(r.RoutineType(), "procedure"))
		if !all(r.ToSlice(), func(p gms.PrivilegeType) bool { return on.Has(p) }) {
			return false
		}
	}
	return true
}
