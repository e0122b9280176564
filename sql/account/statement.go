package account

import (
	"crypto/sha1" // it is MySQL's way
	"encoding/hex"
	"strings"

	"isochron/sql/legacy"
)

// Statement is a statement about accounts. Its type is one of this package.
type Statement interface {
	may(j *judge) error // nil if one may do it
	do(d *draft) error  // does it on a draft
}

// Written is an account as a statement names it.
type Written struct{ User, Host string }

func (w Written) name() Name { return Name{w.Host, w.User}.canonical() }

// quoted is the account as MySQL writes it.
func (w Written) quoted(quote string) string {
	twice := quote + quote
	return quote + strings.ReplaceAll(w.User, quote, twice) + quote + "@" + quote + strings.ReplaceAll(w.Host, quote, twice) + quote
}

func namesOf(list []Written) (out []Name) {
	for _, w := range list {
		out = append(out, w.name())
	}
	return out
}

// Authenticated is an account, and how it proves who it is.
type Authenticated struct {
	Written
	Proof *Proof // nil: the statement does not say it
}

// Proof is how an account proves who it is: by a password, or by one of which Identity is the verifier.
type Proof struct{ Plugin, password, Identity string }

// verifier is what is stored. It has another salt at each call.
func (p *Proof) verifier() (string, error) {
	switch {
	case p.password == "":
		return p.Identity, nil
	case p.Plugin == Sha2:
		return legacy.NewSha2Verifier(p.password)
	}
	once := sha1.Sum([]byte(p.password))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:])), nil
}

func namesOfAuthenticated(list []Authenticated) (out []Name) {
	for _, a := range list {
		out = append(out, a.name())
	}
	return out
}

// Options are what CREATE USER and ALTER USER say of all accounts that they name.
type Options struct {
	SSL, NoTLS     bool   // REQUIRE SSL, REQUIRE NONE
	Lock, Unlock   bool   // ACCOUNT LOCK, ACCOUNT UNLOCK
	MaxConnections *int64 // MAX_USER_CONNECTIONS
	Others         bool   // there are options that say what holds anyway
}

// CreateUsers is a CREATE USER.
type CreateUsers struct {
	Users       []Authenticated
	IfNotExists bool
	Options
}

// AlterUsers is an ALTER USER.
type AlterUsers struct {
	Users    []Authenticated
	IfExists bool
	Options
}

// CreateRoles is a CREATE ROLE.
type CreateRoles struct {
	Roles       []Written
	IfNotExists bool
}

// Drop is a DROP USER or a DROP ROLE.
type Drop struct {
	Names    []Written
	Roles    bool
	IfExists bool
}

// Granted is a privilege of a GRANT or REVOKE.
type Granted struct {
	None    bool   // USAGE
	All     bool   // ALL
	Dynamic string // in upper case
	Static  Set    // 0: it is not known
}

// Level is what privileges are about: "*" of "*" is everything, "*" of a database all of it. No database: the current one.
type Level struct{ Database, Object string }

// Privileges are those of a GRANT or REVOKE, and what they are about.
type Privileges struct {
	Users     []Written
	List      []Granted
	Level     Level
	Procedure bool // Object is a procedure
}

// Grant is a GRANT of privileges.
type Grant struct {
	Privileges
	GrantOption bool
}

// Revoke is a REVOKE of privileges.
type Revoke struct {
	Privileges
	Everything    bool // REVOKE ALL, GRANT OPTION
	IgnoreUnknown bool // users
}

// GrantRoles is a GRANT of roles.
type GrantRoles struct {
	Roles, Users []Written
	Admin        bool // WITH ADMIN OPTION
}

// RevokeRoles is a REVOKE of roles.
type RevokeRoles struct {
	Roles, Users  []Written
	IfExists      bool // roles
	IgnoreUnknown bool // users
}

func (s *CreateUsers) may(j *judge) error {
	return j.create("CREATE USER", namesOfAuthenticated(s.Users))
}

func (s *AlterUsers) may(j *judge) error {
	return j.alterUsers(namesOfAuthenticated(s.Users), s.Options == Options{})
}

func (s *CreateRoles) may(j *judge) error { return j.create("CREATE ROLE", namesOf(s.Roles)) }

func (s *Drop) may(j *judge) error {
	if s.Roles {
		return j.dropRoles(namesOf(s.Names))
	}
	return j.alter("DROP USER", namesOf(s.Names))
}

// informationSchema is a database on which nothing is granted.
const informationSchema = "information_schema"

func (p *Privileges) deniedTo(j *judge) error {
	if strings.EqualFold(p.Level.Database, informationSchema) {
		return legacy.ErrDatabaseAccessDeniedForUser.New(j.me.User, p.Level.Database)
	}
	return nil
}

func (s *Grant) may(j *judge) error {
	if err := s.deniedTo(j); err != nil {
		return err
	}
	return j.give(namesOf(s.Users), s.List, s.Level, false)
}

func (s *Revoke) may(j *judge) error {
	if err := s.deniedTo(j); err != nil {
		return err
	}
	return j.give(namesOf(s.Users), s.List, s.Level, true)
}

func (s *GrantRoles) may(j *judge) error { return j.giveRoles(namesOf(s.Roles), namesOf(s.Users)) }

func (s *RevokeRoles) may(j *judge) error { return j.giveRoles(namesOf(s.Roles), namesOf(s.Users)) }
