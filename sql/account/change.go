package account

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"
)

// Statements about accounts change the account that they name, and no other. The engine
// takes a host for a pattern when it looks for the account of a statement (`u`@`10.0.0.1`
// may be `u`@`%`, or the anonymous user), and its ALTER USER lacks most options. So it makes
// new accounts, and everything else is done here.

// doAccounts does a statement about accounts on db, which is a copy.
func doAccounts(ctx *gms.Context, n gms.Node, db *mysql_db.MySQLDb) error {
	switch n := n.(type) {
	case *gmsplan.CreateUser:
		if _, alters := alterationOf(n); !alters {
			return createUser(ctx, n, db)
		}
	case *gmsplan.CreateRole:
		c := *n
		c.MySQLDb = db
		c.Roles = slices.Clone(n.Roles)
		for i := range c.Roles {
			c.Roles[i].Host = canonicalHost(c.Roles[i].Host)
		}
		_, err := rowexec.NewBuilder(nil, gms.EngineOverrides{}).Build(ctx, &c, nil)
		return err
	}
	ed := db.Editor()
	defer ed.Close()
	var err error
	switch n := n.(type) {
	case *gmsplan.CreateUser:
		err = alterUsers(ctx, alteration{n}, ed)
	case *gmsplan.DropUser:
		err = dropAccounts(n.Users, n.IfExists, ed, func(who string) error { return gms.ErrUserDeletionFailure.New(who) })
	case *gmsplan.DropRole:
		err = dropAccounts(n.Roles, n.IfExists, ed, func(who string) error { return gms.ErrRoleDeletionFailure.New(who) })
	case *gmsplan.Grant:
		err = grant(ctx, n, ed)
	case *gmsplan.Revoke:
		err = revoke(ctx, n, ed)
	case *gmsplan.GrantRole:
		err = grantRoles(ctx, n, ed)
	case *gmsplan.RevokeRole:
		err = revokeRoles(ctx, n, ed)
	default:
		err = Needs("SUPER")
	}
	if err != nil {
		return err
	}
	return db.Persist(ctx, ed)
}

// keyOf is the account that a statement names, exactly.
func keyOf(name gmsplan.UserName) mysql_db.UserPrimaryKey {
	if name.AnyHost {
		name.Host = anyHost
	}
	return mysql_db.UserPrimaryKey{Host: canonicalHost(name.Host), User: name.Name}
}

// createUser makes accounts, and those of their options that the engine forgets.
func createUser(ctx *gms.Context, n *gmsplan.CreateUser, db *mysql_db.MySQLDb) error {
	made := map[mysql_db.UserPrimaryKey]bool{}
	rd := db.Reader()
	for _, u := range n.Users {
		key := keyOf(u.UserName)
		_, known := rd.GetUser(key)
		made[key] = !known
	}
	rd.Close()
	c := *n
	c.MySQLDb = db
	c.Users = slices.Clone(n.Users)
	for i := range c.Users {
		c.Users[i].Host = canonicalHost(c.Users[i].Host)
	}
	if _, err := rowexec.NewBuilder(nil, gms.EngineOverrides{}).Build(ctx, &c, nil); err != nil {
		return err
	}
	ed := db.Editor()
	defer ed.Close()
	for key, isNew := range made { // order: each is changed by itself
		u, ok := ed.GetUser(key)
		if !ok || !isNew {
			continue
		}
		u.Locked = n.Locked
		if n.AccountLimits != nil && n.AccountLimits.MaxUserConnections != nil {
			if err := limitConnections(u, *n.AccountLimits.MaxUserConnections); err != nil {
				return err
			}
		}
	}
	return db.Persist(ctx, ed)
}

func dropAccounts(names []gmsplan.UserName, ifExists bool, ed *mysql_db.Editor, unknown func(who string) error) error {
	for _, name := range names {
		key := keyOf(name)
		if _, ok := ed.GetUser(key); !ok {
			if ifExists {
				continue
			}
			return unknown(name.String("'"))
		}
		ed.RemoveUser(key)
		ed.RemoveRoleEdgesFromKey(mysql_db.RoleEdgesFromKey{FromHost: key.Host, FromUser: key.User})
		ed.RemoveRoleEdgesToKey(mysql_db.RoleEdgesToKey{ToHost: key.Host, ToUser: key.User})
	}
	return nil
}

// grantedOn is what privileges are about: "*" and "*" is everything, a table of "*" all of
// a database.
func grantedOn(ctx *gms.Context, level gmsplan.PrivilegeLevel) (db, table string, err error) {
	db, table = level.Database, level.TableRoutine
	if db == "" {
		if db = ctx.GetCurrentDatabase(); db == "" {
			return "", "", gms.ErrNoDatabaseSelected.New()
		}
	}
	if db == "*" && table != "*" {
		return "", "", gms.ErrGrantRevokeIllegalPrivilege.New()
	}
	return db, table, nil
}

func grant(ctx *gms.Context, of *gmsplan.Grant, ed *mysql_db.Editor) error {
	db, table, err := grantedOn(ctx, of.PrivilegeLevel)
	if err != nil {
		return err
	}
	n := *of
	static, dynamic, err := splitDynamic(n.Privileges, db)
	if err != nil {
		return err
	}
	n.Privileges = static
	for _, name := range n.Users {
		u, ok := ed.GetUser(keyOf(name))
		if !ok {
			return gms.ErrGrantUserDoesNotExist.New()
		}
		for _, p := range dynamic {
			u.PrivilegeSet.AddGlobalDynamic(n.WithGrantOption, p)
		}
		var own []gms.PrivilegeType
		if n.WithGrantOption {
			own = []gms.PrivilegeType{gms.PrivilegeType_GrantOption}
		}
		switch {
		case n.ObjectType == gmsplan.ObjectType_Procedure:
			err = n.HandleRoutinePrivileges(u, db, table, true)
			u.PrivilegeSet.AddRoutine(db, table, true, own...)
		case db == "*":
			err = n.HandleGlobalPrivileges(u)
			u.PrivilegeSet.AddGlobalStatic(own...)
		case table == "*":
			err = n.HandleDatabasePrivileges(u, db)
			if len(own) > 0 {
				u.PrivilegeSet.AddDatabase(db, own...)
			}
		default:
			err = n.HandleTablePrivileges(u, db, table)
			if len(own) > 0 {
				u.PrivilegeSet.AddTable(db, table, own...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func revoke(ctx *gms.Context, of *gmsplan.Revoke, ed *mysql_db.Editor) error {
	n := *of
	everywhere := n.ObjectType == everyObject && n.PrivilegeLevel.Database == "*"
	db, table, err := grantedOn(ctx, n.PrivilegeLevel)
	if err != nil {
		return err
	}
	static, dynamic, err := splitDynamic(n.Privileges, db)
	if err != nil {
		return err
	}
	n.Privileges = static
	for _, name := range n.Users {
		u, ok := ed.GetUser(keyOf(name))
		if !ok {
			err := gms.ErrRevokeUserDoesNotExist.New(name.Name, keyOf(name).Host)
			if n.IgnoreUnknownUser {
				ctx.Warn(3162, "%s", err.Error())
				continue
			}
			return err
		}
		for _, p := range dynamic {
			u.PrivilegeSet.RemoveGlobalDynamic(p)
		}
		switch {
		case everywhere:
			u.PrivilegeSet.ClearAll()
		case n.ObjectType == gmsplan.ObjectType_Procedure:
			err = n.HandleRoutinePrivileges(u, db, table, true)
		case db == "*":
			err = n.HandleGlobalPrivileges(u)
		case table == "*":
			below := u.PrivilegeSet.Copy().Database(db)
			err = n.HandleDatabasePrivileges(u, db)
			keepBelow(u.PrivilegeSet, db, below)
		default:
			err = n.HandleTablePrivileges(u, db, table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepBelow gives back what an account has on tables and procedures of a database: with the
// last privilege on all of it the engine takes these, too.
func keepBelow(p mysql_db.PrivilegeSet, db string, had gms.PrivilegeSetDatabase) {
	for _, t := range had.GetTables() {
		p.AddTable(db, t.Name(), t.ToSlice()...)
	}
	for _, r := range had.GetRoutines() {
		p.AddRoutine(db, r.RoutineName(), strings.EqualFold(r.RoutineType(), "procedure"), r.ToSlice()...)
	}
}

func grantRoles(ctx *gms.Context, n *gmsplan.GrantRole, ed *mysql_db.Editor) error {
	return eachRole(ctx, ed, n.TargetUsers, n.Roles, false, false, func(from, to mysql_db.UserPrimaryKey) {
		putRole(ed, &mysql_db.RoleEdge{FromHost: from.Host, FromUser: from.User, ToHost: to.Host, ToUser: to.User, WithAdminOption: n.WithAdminOption})
	})
}

// eachRole does something for each account and each role of a statement. Unknown ones are an error,
// or a warning where the statement leaves them out.
func eachRole(ctx *gms.Context, ed *mysql_db.Editor, users, roles []gmsplan.UserName, skipUsers, skipRoles bool, do func(from, to mysql_db.UserPrimaryKey)) error {
	known := func(name gmsplan.UserName, skip bool, code int) (key mysql_db.UserPrimaryKey, ok bool, err error) {
		key = keyOf(name)
		if _, ok = ed.GetUser(key); ok {
			return key, true, nil
		}
		if err = gms.ErrGrantRevokeRoleDoesNotExist.New(name.String("`")); skip {
			ctx.Warn(code, "%s", err.Error())
			err = nil
		}
		return key, false, err
	}
	for _, name := range users {
		to, ok, err := known(name, skipUsers, 1362)
		if err != nil {
			return err
		}
		for i := 0; ok && i < len(roles); i++ {
			from, there, err := known(roles[i], skipRoles, 3523)
			if err != nil {
				return err
			}
			if there {
				do(from, to)
			}
		}
	}
	return nil
}

// putRole gives a role, once. It keeps its ADMIN OPTION when it is given again without.
func putRole(ed *mysql_db.Editor, e *mysql_db.RoleEdge) {
	for _, old := range ed.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: e.ToHost, ToUser: e.ToUser}) {
		if old.FromHost == e.FromHost && old.FromUser == e.FromUser {
			e.WithAdminOption = e.WithAdminOption || old.WithAdminOption
		}
	}
	removeRole(ed, mysql_db.RoleEdgesPrimaryKey{FromHost: e.FromHost, FromUser: e.FromUser, ToHost: e.ToHost, ToUser: e.ToUser})
	ed.PutRoleEdge(e)
}

func removeRole(ed *mysql_db.Editor, key mysql_db.RoleEdgesPrimaryKey) {
	for range 2 { // of rows that are doubled
		ed.RemoveRoleEdge(key)
	}
}

func revokeRoles(ctx *gms.Context, n *gmsplan.RevokeRole, ed *mysql_db.Editor) error {
	return eachRole(ctx, ed, n.TargetUsers, n.Roles, n.IgnoreUnknownUser, n.IfExists, func(from, to mysql_db.UserPrimaryKey) {
		removeRole(ed, mysql_db.RoleEdgesPrimaryKey{FromHost: from.Host, FromUser: from.User, ToHost: to.Host, ToUser: to.User})
	})
}

// mendLoaded mends what the engine has read of data. It leaves one row of each account and of
// each role that was given: of several of an account that which was changed last counts. Accounts
// that a former release has stored with a loopback address get the host localhost; where there is
// one of localhost already, no client could be of them, and they are left out. And it reads which
// roles were given WITH ADMIN OPTION, for the engine does not.
func mendLoaded(ed *mysql_db.Editor, data []byte) {
	users := map[mysql_db.UserPrimaryKey][]*mysql_db.User{}
	ed.VisitUsers(func(u *mysql_db.User) {
		key := mysql_db.UserPrimaryKey{Host: u.Host, User: u.User}
		users[key] = append(users[key], u)
	})
	for key, rows := range users { // order: each is changed by itself
		if len(rows) < 2 {
			continue
		}
		last := rows[0]
		for _, u := range rows[1:] {
			if c := u.PasswordLastChanged.Compare(last.PasswordLastChanged); c > 0 || c == 0 && u.AuthString > last.AuthString {
				last = u
			}
		}
		putAccount(ed, key, last)
	}
	shadowed := moveLoopback(ed)
	stored, e := serial.GetRootAsMySQLDb(data, 0), new(serial.RoleEdge)
	for i := range stored.RoleEdgesLength() {
		if !stored.RoleEdges(e, i) {
			continue
		}
		from := mysql_db.UserPrimaryKey{Host: string(e.FromHost()), User: string(e.FromUser())}
		to := mysql_db.UserPrimaryKey{Host: string(e.ToHost()), User: string(e.ToUser())}
		if len(shadowed) > 0 || from.Host != canonicalHost(from.Host) || to.Host != canonicalHost(to.Host) {
			removeRole(ed, mysql_db.RoleEdgesPrimaryKey{FromHost: from.Host, FromUser: from.User, ToHost: to.Host, ToUser: to.User})
		}
		if !shadowed[from] && !shadowed[to] {
			putRole(ed, &mysql_db.RoleEdge{FromHost: canonicalHost(from.Host), FromUser: from.User, ToHost: canonicalHost(to.Host), ToUser: to.User, WithAdminOption: e.WithAdminOption()})
		}
	}
}

// moveLoopback gives accounts of loopback addresses the host localhost. shadowed are those that
// are left out, as the name has an account there.
func moveLoopback(ed *mysql_db.Editor) (shadowed map[mysql_db.UserPrimaryKey]bool) {
	var all []*mysql_db.User
	ed.VisitUsers(func(u *mysql_db.User) {
		if u.Host != canonicalHost(u.Host) {
			all = append(all, u)
		}
	})
	slices.SortFunc(all, func(a, b *mysql_db.User) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Host, b.Host)) // 127.0.0.1 before ::1
	})
	shadowed = map[mysql_db.UserPrimaryKey]bool{}
	for _, u := range all {
		old, moved := mysql_db.UserPrimaryKey{Host: u.Host, User: u.User}, *u
		moved.Host = canonicalHost(u.Host)
		ed.RemoveUser(old)
		if _, taken := ed.GetUser(mysql_db.UserPrimaryKey{Host: moved.Host, User: u.User}); taken {
			shadowed[old] = true
			continue
		}
		ed.PutUser(&moved)
	}
	return shadowed
}

// putAccount stores an account in the place of what is stored of it. The engine compares
// whole rows, so its PutUser adds a second of one that differs.
func putAccount(ed *mysql_db.Editor, key mysql_db.UserPrimaryKey, u *mysql_db.User) {
	for before := len(ed.GetUsersByUsername(key.User)) + 1; before > len(ed.GetUsersByUsername(key.User)); {
		before = len(ed.GetUsersByUsername(key.User))
		ed.RemoveUser(key)
	}
	ed.PutUser(u)
}

// attributes are what is kept of an account beside what the engine has fields for.
type attributes struct {
	MaxUserConnections int64 `json:"max_user_connections,omitempty"`
}

// attributesOf reads them; what is not ours is none.
func attributesOf(u *mysql_db.User) (a attributes) {
	if u.Attributes != nil {
		_ = json.Unmarshal([]byte(*u.Attributes), &a) // of a comment, say
	}
	return a
}

// limitConnections sets how many connections an account may have at a node; 0: as others.
func limitConnections(u *mysql_db.User, most int64) error {
	if most < 0 {
		return mysql.NewSQLError(codeNotSupported, "42000", "MAX_USER_CONNECTIONS %d is not a number of connections", most)
	}
	all := map[string]any{}
	if u.Attributes != nil {
		_ = json.Unmarshal([]byte(*u.Attributes), &all)
	}
	delete(all, "max_user_connections")
	if most > 0 {
		all["max_user_connections"] = most
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	said := string(text)
	if u.Attributes = &said; len(all) == 0 {
		u.Attributes = nil
	}
	return nil
}
