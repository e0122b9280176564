package accounts

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"isochron/sql/account"
)

// Codec is the stored form of accounts, which is the engine's, and the engine's tables of users.
type Codec struct{ shown *mysql_db.MySQLDb }

// NewCodec has the engine's tables of users show accounts. They are not written otherwise.
func NewCodec(shown *mysql_db.MySQLDb) *Codec {
	shown.SetEnabled(true)
	shown.SetPersister(refusePersist{})
	return &Codec{shown}
}

// refusePersist is for the users that are shown: they change through the catalogue.
type refusePersist struct{}

// Persist implements mysql_db.MySQLDbPersistence.
func (refusePersist) Persist(*gms.Context, []byte) error { return account.ErrUserTables }

// captured keeps what the engine would have stored.
type captured struct{ data []byte }

// Persist implements mysql_db.MySQLDbPersistence.
func (c *captured) Persist(_ *gms.Context, data []byte) error {
	c.data = data
	return nil
}

// Encode implements account.Codec.
func (c *Codec) Encode(s account.Stored) ([]byte, error) {
	db, saved := mysql_db.CreateEmptyMySQLDb(), new(captured)
	db.SetEnabled(true)
	db.SetPersister(saved)
	ed := db.Editor()
	defer ed.Close()
	put(ed, s)
	if err := db.Persist(gms.NewEmptyContext(), ed); err != nil {
		return nil, err
	}
	return saved.data, nil
}

// Show implements account.Codec.
func (c *Codec) Show(s account.Stored) error {
	none, err := c.Encode(account.Stored{})
	if err != nil {
		return err
	}
	ed := c.shown.Editor()
	defer ed.Close()
	if err := c.shown.OverwriteUsersAndGrantData(gms.NewEmptyContext(), ed, none); err != nil {
		return err
	}
	put(ed, s)
	return nil
}

func put(ed *mysql_db.Editor, s account.Stored) {
	for _, u := range s.Users {
		ed.PutUser(engineUser(u))
	}
	for to, list := range s.Roles { // order: the engine's
		for _, g := range list {
			ed.PutRoleEdge(&mysql_db.RoleEdge{FromHost: g.Role.Host, FromUser: g.Role.User, ToHost: to.Host, ToUser: to.User, WithAdminOption: g.Admin})
		}
	}
}

// Decode implements account.Codec. The engine does not read which roles were given WITH ADMIN OPTION.
func (c *Codec) Decode(data []byte) (account.Stored, error) {
	db := mysql_db.CreateEmptyMySQLDb()
	ed := db.Editor()
	defer ed.Close()
	out := account.Stored{Roles: map[account.Name][]account.Given{}}
	if err := db.OverwriteUsersAndGrantData(gms.NewEmptyContext(), ed, data); err != nil {
		return out, err
	}
	ed.VisitUsers(func(u *mysql_db.User) { out.Users = append(out.Users, userOf(u)) })
	stored, e := serial.GetRootAsMySQLDb(data, 0), new(serial.RoleEdge)
	for i := range stored.RoleEdgesLength() {
		if !stored.RoleEdges(e, i) {
			continue
		}
		to := account.Name{Host: string(e.ToHost()), User: string(e.ToUser())}
		role := account.Name{Host: string(e.FromHost()), User: string(e.FromUser())}
		out.Roles[to] = append(out.Roles[to], account.Given{Role: role, Admin: e.WithAdminOption()})
	}
	return out, nil
}

// userOf is an account of the engine. Rest is the engine's row.
func userOf(u *mysql_db.User) *account.User {
	return &account.User{
		Name: account.Name{Host: u.Host, User: u.User}, Plugin: u.Plugin, Verifier: u.AuthString, Identity: u.Identity, TLS: u.SslType,
		Locked: u.Locked, Role: u.IsRole, PasswordChanged: u.PasswordLastChanged, Attributes: u.Attributes, Own: HoldingsOf(u.PrivilegeSet), Rest: u,
	}
}

// engineUser is an account as the engine has it.
func engineUser(u *account.User) *mysql_db.User {
	out := &mysql_db.User{}
	if old, ok := u.Rest.(*mysql_db.User); ok {
		*out = *old
	}
	out.Host, out.User, out.Plugin, out.AuthString, out.Identity, out.SslType = u.Host, u.User, u.Plugin, u.Verifier, u.Identity, u.TLS
	out.Locked, out.IsRole, out.PasswordLastChanged, out.Attributes, out.PrivilegeSet = u.Locked, u.Role, u.PasswordChanged, u.Attributes, PrivilegeSet(u.Own)
	return out
}

// SetOf are privileges of the engine: its numbers are those of account.Set.
func SetOf(list []gms.PrivilegeType) (s account.Set) {
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

// typesOf are the engine's numbers of privileges.
func typesOf(s account.Set) (out []gms.PrivilegeType) {
	for i := 0; s>>i != 0; i++ {
		if s&(1<<i) != 0 {
			out = append(out, gms.PrivilegeType(i))
		}
	}
	return out
}

// HoldingsOf are an account's privileges.
func HoldingsOf(p mysql_db.PrivilegeSet) *account.Holdings {
	h := &account.Holdings{Global: SetOf(p.ToSlice()), Dynamic: map[string]bool{}, Databases: map[string]*account.OnDatabase{}}
	for _, option := range []bool{false, true} {
		for _, name := range p.ToSliceDynamic(option) {
			h.Dynamic[strings.ToLower(name)] = option
		}
	}
	for _, of := range p.GetDatabases() {
		d := &account.OnDatabase{Name: of.Name(), Whole: SetOf(of.ToSlice()), Tables: map[string]*account.OnTable{}, Routines: map[account.Routine]account.OnRoutine{}}
		for _, table := range of.GetTables() {
			t := &account.OnTable{Name: table.Name(), Whole: SetOf(table.ToSlice()), Columns: map[string]account.Set{}}
			for _, c := range table.GetColumns() {
				t.Columns[strings.ToLower(c.Name())] = SetOf(c.ToSlice())
			}
			d.Tables[strings.ToLower(table.Name())] = t
		}
		for _, r := range of.GetRoutines() {
			key := account.Routine{Name: strings.ToLower(r.RoutineName()), Procedure: isProcedure(r)}
			d.Routines[key] = account.OnRoutine{Name: r.RoutineName(), Set: SetOf(r.ToSlice())}
		}
		h.Databases[strings.ToLower(of.Name())] = d
	}
	return h
}

func isProcedure(r gms.PrivilegeSetRoutine) bool {
	return strings.EqualFold(r.RoutineType(), "procedure")
}

// PrivilegeSet are an account's privileges as the engine has them. What has none is left out.
func PrivilegeSet(h *account.Holdings) mysql_db.PrivilegeSet {
	p := mysql_db.NewPrivilegeSet()
	p.AddGlobalStatic(typesOf(h.Global)...)
	for name, option := range h.Dynamic { // order: a set
		p.AddGlobalDynamic(option, name)
	}
	for _, d := range h.Databases { // order: a set
		if d.Whole != 0 {
			p.AddDatabase(d.Name, typesOf(d.Whole)...)
		}
		for _, t := range d.Tables { // order: a set
			if t.Whole != 0 {
				p.AddTable(d.Name, t.Name, typesOf(t.Whole)...)
			}
			for column, s := range t.Columns { // order: a set
				p.AddColumn(d.Name, t.Name, column, typesOf(s)...)
			}
		}
		for key, r := range d.Routines { // order: a set
			if r.Set != 0 {
				p.AddRoutine(d.Name, r.Name, key.Procedure, typesOf(r.Set)...)
			}
		}
	}
	return p
}
