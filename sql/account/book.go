package account

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"isochron/sql/legacy"
)

// The ways to prove a password.
const (
	Native = "mysql_native_password"
	Sha2   = "caching_sha2_password"
)

// Name is that of an account: its user and the host as it is stored.
type Name struct{ Host, User string }

// User is an account. It does not change once it is in a Book.
type User struct {
	Name
	Plugin, Verifier string // how it proves who it is; "": it has no password
	Identity         string // the verifier, where a statement has named one
	TLS              string // "ANY": it must come with TLS; "": it need not
	Locked, Role     bool
	PasswordChanged  time.Time
	Attributes       *string // JSON; nil: none
	Own              *Holdings
	Rest             any // what else is stored, for the Codec

	held        *Holdings // with those of its roles
	connections int64     // MAX_USER_CONNECTIONS; 0: as others
}

// Given is a role that an account has.
type Given struct {
	Role  Name
	Admin bool // WITH ADMIN OPTION
}

// Stored are accounts as they are stored. An account and a role that was given may stand there several times.
type Stored struct {
	Users []*User
	Roles map[Name][]Given // by the account that has them
}

// Codec reads and writes the stored form, and shows accounts to the engine.
type Codec interface {
	Decode(data []byte) (Stored, error)
	Encode(s Stored) ([]byte, error)
	Show(s Stored) error
}

// Book are all accounts at one time. It does not change.
type Book struct {
	users  map[Name]*User
	byUser map[string][]*User
	roles  map[Name][]Given
}

// bookOf is a book of stored accounts. It has each of them once: of several rows of an account that which was changed last
// counts. Accounts that a former release has stored with a loopback address get the host localhost; where there is one of
// localhost already, no client could be of them, and they are left out.
func bookOf(s Stored) *Book {
	b := &Book{users: map[Name]*User{}, byUser: map[string][]*User{}, roles: map[Name][]Given{}}
	for _, u := range s.Users {
		if old := b.users[u.Name]; old == nil || later(u, old) {
			b.users[u.Name] = u
		}
	}
	shadowed := b.moveLoopback()
	for _, u := range b.users { // order: sorted below
		u.held, u.connections = u.Own, attributesOf(u).MaxUserConnections
		b.byUser[u.User] = append(b.byUser[u.User], u)
	}
	for _, list := range b.byUser { // order: each by itself
		slices.SortFunc(list, func(a, b *User) int { return cmp.Compare(a.Host, b.Host) })
	}
	for to, list := range s.Roles { // order: each by itself
		for _, g := range list {
			if !shadowed[to] && !shadowed[g.Role] {
				b.give(to.canonical(), Given{g.Role.canonical(), g.Admin})
			}
		}
	}
	for _, u := range b.users { // order: each by itself
		for _, g := range b.roles[u.Name] {
			if role := b.users[g.Role]; role != nil {
				u.held = u.held.with(role.Own)
			}
		}
	}
	return b
}

func later(u, old *User) bool {
	c := u.PasswordChanged.Compare(old.PasswordChanged)
	return c > 0 || c == 0 && u.Verifier > old.Verifier
}

// moveLoopback gives accounts of loopback addresses the host localhost. shadowed are those that are left out, as the name has
// an account there.
func (b *Book) moveLoopback() (shadowed map[Name]bool) {
	var all []*User
	for name, u := range b.users { // order: sorted below
		if name != name.canonical() {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *User) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Host, b.Host)) // 127.0.0.1 before ::1
	})
	shadowed = map[Name]bool{}
	for _, u := range all {
		delete(b.users, u.Name)
		if b.users[u.canonical()] != nil {
			shadowed[u.Name] = true
			continue
		}
		moved := *u
		moved.Name = u.canonical()
		b.users[moved.Name] = &moved
	}
	return shadowed
}

func (n Name) canonical() Name { return Name{canonicalHost(n.Host), n.User} }

// give gives a role, once. It keeps its ADMIN OPTION when it is given again without.
func (b *Book) give(to Name, g Given) {
	for i, old := range b.roles[to] {
		if old.Role == g.Role {
			b.roles[to][i].Admin = old.Admin || g.Admin
			return
		}
	}
	b.roles[to] = append(b.roles[to], g)
}

// stored is the book as it is stored.
func (b *Book) stored() Stored {
	s := Stored{Roles: b.roles}
	for _, u := range b.users { // order: the codec's
		s.Users = append(s.Users, u)
	}
	return s
}

// named is the account of exactly this name and host, as a session has them; nil if there is none.
func (b *Book) named(user, host string) *User { return b.users[Name{canonicalHost(host), user}] }

// attributes are what is kept of an account beside what its stored form has fields for.
type attributes struct {
	MaxUserConnections int64 `json:"max_user_connections,omitempty"`
}

// attributesOf reads them; what is not ours is none.
func attributesOf(u *User) (a attributes) {
	if u.Attributes != nil {
		_ = json.Unmarshal([]byte(*u.Attributes), &a) // of a comment, say
	}
	return a
}

// limitConnections sets how many connections an account may have at a node; 0: as others.
func (u *User) limitConnections(most int64) error {
	if most < 0 {
		return legacy.NewError(codeNotSupported, "42000", "MAX_USER_CONNECTIONS %d is not a number of connections", most)
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
