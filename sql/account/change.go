package account

import (
	"maps"
	"slices"
	"strings"
	"time"

	"isochron/sql/legacy"
)

// Statements about accounts change the account that they name exactly, and no other: the host of a name is no pattern.

// Session is on whose behalf a statement is done.
type Session struct {
	User, Host string                                  // of the account
	Database   string                                  // the current one; empty: none
	Warn       func(code int, format string, a ...any) // of the statement
}

// draft are accounts that are being changed.
type draft struct {
	*Session
	users map[Name]*User
	roles map[Name][]Given
	own   map[Name]bool // the draft has its own copy of the account
}

func (b *Book) draft() *draft {
	return &draft{users: maps.Clone(b.users), roles: maps.Clone(b.roles), own: map[Name]bool{}}
}

func (d *draft) stored() Stored {
	s := Stored{Roles: d.roles}
	for _, u := range d.users { // order: the codec's
		s.Users = append(s.Users, u)
	}
	return s
}

// user is an account that may be changed; false: there is none.
func (d *draft) user(n Name) (*User, bool) {
	u, ok := d.users[n]
	if ok && !d.own[n] {
		one := *u
		one.Own = nothing.with(u.Own)
		u, d.users[n], d.own[n] = &one, &one, true
	}
	return u, ok
}

func (d *draft) put(u *User) { d.users[u.Name], d.own[u.Name] = u, true }

// The bounds of names.
const (
	userNameMax = 32
	hostMax     = 255
)

func (s *CreateUsers) do(d *draft) error {
	for _, a := range s.Users {
		named := Written{a.Written.User, canonicalHost(a.Host)}
		if _, known := d.users[named.name()]; known {
			if s.IfNotExists {
				continue
			}
			return legacy.ErrUserCreationFailure.New(named.quoted("'"))
		}
		switch {
		case len(named.User) > userNameMax:
			return legacy.ErrUserNameTooLong.New(named.User)
		case len(named.Host) > hostMax:
			return legacy.ErrUserHostTooLong.New(named.Host)
		}
		u := &User{Name: named.name(), Plugin: Native, PasswordChanged: time.Now().UTC(), Locked: s.Lock, Own: nothing.with(nothing)}
		if err := u.prove(a.Proof); err != nil {
			return err
		}
		if s.SSL {
			u.TLS = "ANY"
		}
		if s.MaxConnections != nil {
			if err := u.limitConnections(*s.MaxConnections); err != nil {
				return err
			}
		}
		d.put(u)
	}
	return nil
}

func (s *CreateRoles) do(d *draft) error {
	for _, w := range s.Roles {
		if _, known := d.users[w.name()]; known {
			if s.IfNotExists {
				continue
			}
			return legacy.ErrRoleCreationFailure.New(Written{w.User, w.name().Host}.quoted("'"))
		}
		d.put(&User{Name: w.name(), Plugin: Native, PasswordChanged: time.Now().UTC(), Locked: true, Role: true, Own: nothing.with(nothing)})
	}
	return nil
}

// do changes the accounts that a statement names: all, or none of them.
func (s *AlterUsers) do(d *draft) error {
	var unknown []string
	for _, a := range s.Users {
		u, ok := d.user(a.name())
		if !ok {
			unknown = append(unknown, a.quoted("'"))
			continue
		}
		if err := s.alter(u, a.Proof); err != nil {
			return err
		}
	}
	for _, who := range unknown {
		if !s.IfExists {
			return legacy.ErrUserAlterFailure.New(strings.Join(unknown, ","))
		}
		d.Warn(codeUnknownUser, "Authorization ID %s does not exist.", who)
	}
	if s.Lock {
		return d.keepAdministrator()
	}
	return nil
}

// prove sets how an account proves who it is; nil: it stays.
func (u *User) prove(p *Proof) (err error) {
	if p != nil {
		u.Plugin, u.Identity, u.PasswordChanged = p.Plugin, p.Identity, time.Now().UTC()
		u.Verifier, err = p.verifier()
	}
	return err
}

func (s *AlterUsers) alter(u *User, proof *Proof) error {
	if err := u.prove(proof); err != nil {
		return err
	}
	switch {
	case s.SSL:
		u.TLS = "ANY"
	case s.NoTLS:
		u.TLS = ""
	}
	switch {
	case s.Lock:
		u.Locked = true
	case s.Unlock:
		u.Locked = false
	}
	if s.MaxConnections != nil {
		return u.limitConnections(*s.MaxConnections)
	}
	return nil
}

// keepAdministrator refuses to lock the last account that has every privilege and can log in.
func (d *draft) keepAdministrator() error {
	for _, u := range d.users { // order: any
		if !u.Locked && holdsAll(u.Own, &Holdings{Global: all}) {
			return nil
		}
	}
	return legacy.NewError(codeNotSupported, "42000", "ACCOUNT LOCK would lock the last account that has every privilege: nothing was changed. Grant every privilege to another account first")
}

func (s *Drop) do(d *draft) error {
	for _, w := range s.Names {
		name := w.name()
		if _, ok := d.users[name]; !ok {
			switch {
			case s.IfExists:
				continue
			case s.Roles:
				return legacy.ErrRoleDeletionFailure.New(w.quoted("'"))
			}
			return legacy.ErrUserDeletionFailure.New(w.quoted("'"))
		}
		delete(d.users, name)
		delete(d.roles, name)
		for to, list := range d.roles { // order: each by itself
			d.roles[to] = without(list, name)
		}
	}
	return nil
}

// without are roles that were given, but for one.
func without(list []Given, role Name) []Given {
	return slices.DeleteFunc(slices.Clone(list), func(g Given) bool { return g.Role == role })
}

func (s *GrantRoles) do(d *draft) error {
	return d.eachRole(s.Users, s.Roles, false, false, func(role, to Name) {
		g := Given{role, s.Admin}
		for _, old := range d.roles[to] {
			g.Admin = g.Admin || old == Given{role, true} // it stays when the role is given again without
		}
		d.roles[to] = append(without(d.roles[to], role), g)
	})
}

func (s *RevokeRoles) do(d *draft) error {
	return d.eachRole(s.Users, s.Roles, s.IgnoreUnknown, s.IfExists, func(role, to Name) {
		d.roles[to] = without(d.roles[to], role)
	})
}

// Numbers of warnings about accounts that a statement leaves out.
const (
	codeUnknownUser = 3162
	unknownTarget   = 1362
	unknownRole     = 3523
)

// eachRole does something for each account and each role of a statement. Unknown ones are an error,
// or a warning where the statement leaves them out.
func (d *draft) eachRole(users, roles []Written, skipUsers, skipRoles bool, do func(role, to Name)) error {
	known := func(w Written, skip bool, code int) (ok bool, err error) {
		if _, ok = d.users[w.name()]; ok {
			return true, nil
		}
		if err = legacy.ErrGrantRevokeRoleDoesNotExist.New(w.quoted("`")); skip {
			d.Warn(code, "%s", err.Error())
			err = nil
		}
		return false, err
	}
	for _, to := range users {
		ok, err := known(to, skipUsers, unknownTarget)
		if err != nil {
			return err
		}
		for i := 0; ok && i < len(roles); i++ {
			there, err := known(roles[i], skipRoles, unknownRole)
			if err != nil {
				return err
			}
			if there {
				do(roles[i].name(), to.name())
			}
		}
	}
	return nil
}
