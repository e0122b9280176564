package account

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// Accounts and statements about them, as the engine has them, become those of the judge here.

// bookOf are the accounts of the engine.
func bookOf(db *mysql_db.MySQLDb) *book {
	rd := db.Reader()
	defer rd.Close()
	b := &book{users: map[name]*userAccount{}, byUser: map[string][]*userAccount{}, roles: map[name][]given{}}
	rd.VisitUsers(func(u *mysql_db.User) {
		b.add(&userAccount{
			name: name{u.Host, u.User}, plugin: u.Plugin, verifier: u.AuthString, tls: u.SslType, locked: u.Locked, role: u.IsRole,
			connections: attributesOf(u).MaxUserConnections, own: holdingsOf(u.PrivilegeSet),
		})
	})
	for to := range b.users { // order: each by itself
		for _, e := range rd.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: to.host, ToUser: to.user}) {
			b.give(to, given{name{e.FromHost, e.FromUser}, e.WithAdminOption})
		}
	}
	b.hold()
	return b
}

// setOf are privileges of the engine: its numbers are those of names.
func setOf(list []gms.PrivilegeType) (s set) {
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

// holdingsOf are an account's privileges.
func holdingsOf(p mysql_db.PrivilegeSet) *holdings {
	h := &holdings{global: setOf(p.ToSlice()), dynamic: map[string]bool{}, databases: map[string]*onDatabase{}}
	for _, option := range []bool{false, true} {
		for _, name := range p.ToSliceDynamic(option) {
			h.dynamic[strings.ToLower(name)] = option
		}
	}
	for _, of := range p.GetDatabases() {
		d := &onDatabase{whole: setOf(of.ToSlice()), tables: map[string]*onTable{}, routines: map[routine]set{}}
		for _, table := range of.GetTables() {
			t := &onTable{whole: setOf(table.ToSlice()), columns: map[string]set{}}
			for _, c := range table.GetColumns() {
				t.columns[strings.ToLower(c.Name())] = setOf(c.ToSlice())
			}
			d.tables[strings.ToLower(table.Name())] = t
		}
		for _, r := range of.GetRoutines() {
			d.routines[routine{strings.ToLower(r.RoutineName()), strings.EqualFold(r.RoutineType(), "procedure")}] = setOf(r.ToSlice())
		}
		h.databases[strings.ToLower(of.Name())] = d
	}
	return h
}

// mayChange is nil if the session's user may do a statement about accounts.
func mayChange(ctx *gms.Context, n gms.Node, db *mysql_db.MySQLDb) error {
	client := ctx.Session.Client()
	b := bookOf(db)
	me := b.users[name{client.Address, client.User}]
	if me == nil {
		return mysql.NewSQLError(codeAccessDenied, "28000", "Access denied for user '%s'@'%s': the account was dropped", client.User, client.Address)
	}
	j := &judge{b, me, ctx.GetCurrentDatabase()}
	switch n := n.(type) {
	case *gmsplan.CreateUser:
		if a, alters := alterationOf(n); alters {
			return j.alterUsers(authenticated(a.Users), a.passwordOnly())
		}
		return j.create("CREATE USER", authenticated(n.Users))
	case *gmsplan.CreateRole:
		return j.create("CREATE ROLE", named(n.Roles))
	case *gmsplan.DropUser:
		return j.alter("DROP USER", named(n.Users))
	case *gmsplan.DropRole:
		return j.dropRoles(named(n.Roles))
	case *gmsplan.Grant:
		return j.give(named(n.Users), grantedBy(n.Privileges), level{n.PrivilegeLevel.Database, n.PrivilegeLevel.TableRoutine}, false)
	case *gmsplan.Revoke:
		return j.give(named(n.Users), grantedBy(n.Privileges), level{n.PrivilegeLevel.Database, n.PrivilegeLevel.TableRoutine}, true)
	case *gmsplan.GrantRole:
		return j.giveRoles(named(n.Roles), named(n.TargetUsers))
	case *gmsplan.RevokeRole:
		return j.giveRoles(named(n.Roles), named(n.TargetUsers))
	}
	return Needs("SUPER")
}

// named are the accounts that a statement names, exactly.
func named(users []gmsplan.UserName) (out []name) {
	for _, u := range users {
		key := keyOf(u)
		out = append(out, name{key.Host, key.User})
	}
	return out
}

func authenticated(users []gmsplan.AuthenticatedUser) (out []name) {
	for _, u := range users {
		out = append(out, named([]gmsplan.UserName{u.UserName})...)
	}
	return out
}

func grantedBy(privileges []gmsplan.Privilege) (out []granted) {
	for _, p := range privileges {
		one := granted{none: p.Type == gmsplan.PrivilegeType_Usage, all: p.Type == gmsplan.PrivilegeType_All}
		if static, ok := staticTypes[p.Type]; ok {
			one.static = 1 << static
		}
		if p.Type == gmsplan.PrivilegeType_Dynamic {
			one.dynamic = strings.ToUpper(p.Dynamic)
		}
		out = append(out, one)
	}
	return out
}
