package account

// name is that of an account: its user and the host as it is stored.
type name struct{ host, user string }

// userAccount is an account.
type userAccount struct {
	name
	plugin, verifier string // how it proves who it is; "": it has no password
	tls              string // "ANY": it must come with TLS; "": it need not
	locked, role     bool
	connections      int64     // MAX_USER_CONNECTIONS; 0: as others
	own, held        *holdings // without and with those of its roles
}

// given is a role that an account has.
type given struct {
	role  name
	admin bool // WITH ADMIN OPTION
}

// book are all accounts at one time. It does not change.
type book struct {
	users  map[name]*userAccount
	byUser map[string][]*userAccount
	roles  map[name][]given
}

// add adds an account. All are added before their roles.
func (b *book) add(u *userAccount) {
	b.users[u.name] = u
	b.byUser[u.user] = append(b.byUser[u.user], u)
}

// give adds a role to an account.
func (b *book) give(to name, g given) { b.roles[to] = append(b.roles[to], g) }

// hold works out what accounts hold with their roles.
func (b *book) hold() {
	for _, u := range b.users { // order: each by itself
		u.held = u.own
		for _, g := range b.roles[u.name] {
			if role := b.users[g.role]; role != nil {
				u.held = u.held.with(role.own)
			}
		}
	}
}

// named is the account of exactly this name and host, as a session has them; nil if there is none.
func (b *book) named(user, host string) *userAccount {
	return b.users[name{canonicalHost(host), user}]
}
