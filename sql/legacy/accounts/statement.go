package accounts

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"

	"isochron/sql/account"
)

// StatementOf is a plan as a statement about accounts.
func StatementOf(n gms.Node) (account.Statement, error) {
	switch n := n.(type) {
	case *gmsplan.CreateUser:
		return usersOf(n)
	case *gmsplan.CreateRole:
		return &account.CreateRoles{Roles: written(n.Roles), IfNotExists: n.IfNotExists}, nil
	case *gmsplan.DropUser:
		return &account.Drop{Names: written(n.Users), IfExists: n.IfExists}, nil
	case *gmsplan.DropRole:
		return &account.Drop{Names: written(n.Roles), IfExists: n.IfExists, Roles: true}, nil
	case *gmsplan.Grant:
		return &account.Grant{Privileges: privileges(n.Users, n.Privileges, n.PrivilegeLevel, n.ObjectType), GrantOption: n.WithGrantOption}, nil
	case *gmsplan.Revoke:
		return &account.Revoke{
			Privileges: privileges(n.Users, n.Privileges, n.PrivilegeLevel, n.ObjectType),
			Everything: n.ObjectType == everyObject, IgnoreUnknown: n.IgnoreUnknownUser,
		}, nil
	case *gmsplan.GrantRole:
		return &account.GrantRoles{Roles: written(n.Roles), Users: written(n.TargetUsers), Admin: n.WithAdminOption}, nil
	case *gmsplan.RevokeRole:
		return &account.RevokeRoles{Roles: written(n.Roles), Users: written(n.TargetUsers), IfExists: n.IfExists, IgnoreUnknown: n.IgnoreUnknownUser}, nil
	}
	return nil, account.Needs("SUPER")
}

// usersOf is a CREATE USER, or the ALTER USER that stands as one.
func usersOf(n *gmsplan.CreateUser) (account.Statement, error) {
	users := make([]account.Authenticated, len(n.Users))
	for i, u := range n.Users {
		users[i].Written = written([]gmsplan.UserName{u.UserName})[0]
		if u.Auth1 == nil {
			continue
		}
		verifier, err := u.Auth1.AuthString()
		if err != nil {
			return nil, err
		}
		users[i].Proof = &account.Proof{Plugin: u.Auth1.Plugin(), Verifier: verifier, Identity: u.Identity}
	}
	o := account.Options{SSL: n.TLSOptions != nil && n.TLSOptions.SSL, Others: n.TLSOptions != nil || n.AccountLimits != nil || n.PasswordOptions != nil}
	if n.AccountLimits != nil {
		o.MaxConnections = n.AccountLimits.MaxUserConnections
	}
	if !strings.HasPrefix(n.Attribute, alterMark) {
		o.Lock = n.Locked
		return &account.CreateUsers{Users: users, IfNotExists: n.IfNotExists, Options: o}, nil
	}
	o.Lock, o.Unlock, o.NoTLS = flagged(n.Attribute, flagLock), flagged(n.Attribute, flagUnlock), flagged(n.Attribute, flagNoTLS)
	return &account.AlterUsers{Users: users, IfExists: n.IfNotExists, Options: o}, nil // IF EXISTS, as it was written
}

// written are the accounts that a statement names.
func written(users []gmsplan.UserName) (out []account.Written) {
	for _, u := range users {
		if u.AnyHost {
			u.Host = "%"
		}
		out = append(out, account.Written{User: u.Name, Host: u.Host})
	}
	return out
}

func privileges(users []gmsplan.UserName, list []gmsplan.Privilege, on gmsplan.PrivilegeLevel, object gmsplan.ObjectType) account.Privileges {
	out := account.Privileges{Users: written(users), Level: account.Level{Database: on.Database, Object: on.TableRoutine}, Procedure: object == gmsplan.ObjectType_Procedure}
	for _, p := range list {
		one := account.Granted{None: p.Type == gmsplan.PrivilegeType_Usage, All: p.Type == gmsplan.PrivilegeType_All}
		if static, ok := staticTypes[p.Type]; ok {
			one.Static = 1 << static
		}
		if p.Type == gmsplan.PrivilegeType_Dynamic {
			one.Dynamic = strings.ToUpper(p.Dynamic)
		}
		out.List = append(out.List, one)
	}
	return out
}
