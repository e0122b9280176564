package account

import (
	"strconv"

	"isochron/sql/legacy"
	"isochron/sql/parse"
)

// What MySQL's CREATE USER and ALTER USER can say, and is not done here, is refused: else an account would be weaker than its
// owner thinks. An option that asks for what holds anyway (PASSWORD EXPIRE NEVER, a limit of 0) passes.

// Errors of MySQL about how an account proves who it is.
const (
	codeNoPlugin       = 1524
	codePasswordFormat = 1827
)

func (r *reader) createUsers() (Statement, error) {
	s := &CreateUsers{IfNotExists: r.Words("if", "not", "exists")}
	err := r.users(&s.Users, &s.Options, false)
	s.NoTLS, s.Unlock = false, false
	return s, err
}

func (r *reader) alterUsers() (Statement, error) {
	s := &AlterUsers{IfExists: r.Words("if", "exists")}
	return s, r.users(&s.Users, &s.Options, true)
}

// users reads accounts with their ways to prove who they are, and the options of all.
func (r *reader) users(users *[]Authenticated, o *Options, alters bool) (err error) {
	*users, err = list(r, func() (a Authenticated, err error) {
		if a.Written, err = r.account(); err == nil && r.Take("identified") {
			a.Proof, err = r.proof(alters)
		}
		return a, err
	})
	if err != nil {
		return err
	}
	if r.Words("default", "role") {
		return NotSupported("DEFAULT ROLE", "all roles that were granted to a user are active. GRANT the role")
	}
	if r.Take("require") {
		if err := r.tls(o); err != nil {
			return err
		}
	}
	if r.Take("with") {
		if err := r.limits(o); err != nil {
			return err
		}
	}
	return r.lastOptions(o)
}

// lastOptions reads those about passwords and locks, and those about the account.
func (r *reader) lastOptions(o *Options) error {
	for {
		more, err := r.passwordOption(o)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if t := r.Peek(); t.Is("comment") || t.Is("attribute") {
		return NotSupported("COMMENT and ATTRIBUTE of an account", "keep what you know of it in a table")
	}
	return nil
}

// proof reads what follows IDENTIFIED.
func (r *reader) proof(alters bool) (*Proof, error) {
	p, says := &Proof{}, false // a password or a verifier
	var err error
	if r.Take("with") {
		if p.Plugin, err = r.part(); err != nil {
			return nil, err
		}
	} else if !r.Peek().Is("by") {
		return nil, syntax(r.Peek())
	}
	switch {
	case r.Words("by", "random", "password"):
		return nil, NotSupported("A RANDOM PASSWORD", "choose one: IDENTIFIED BY '...'")
	case r.Take("by"):
		p.password, err = r.value()
		says = p.password != "" || p.Plugin == ""
	case r.Take("as"):
		p.Identity, err = r.value()
		says = p.Identity != ""
	}
	switch next := r.Peek(); {
	case err != nil:
		return nil, err
	case next.Is("and"), next.Is("initial"):
		return nil, NotSupported("More than one way to prove who one is", "name one: IDENTIFIED BY '...'")
	case alters && !says:
		return nil, NotSupported("IDENTIFIED WITH without BY or AS", "it would leave the account without a password. Name the password: IDENTIFIED WITH "+p.Plugin+" BY '...'")
	}
	return p, p.check()
}

// check refuses what no account can be made to prove.
func (p *Proof) check() error {
	wrong := legacy.NewError(codePasswordFormat, "HY000", "The password hash doesn't have the expected format of %s. Nothing was changed", p.Plugin)
	switch p.Plugin {
	case "":
		p.Plugin = Native
	case Native:
		if p.Identity != "" && CheckVerifier(p.Identity) != nil {
			return wrong
		}
	case Sha2:
		if p.Identity == "" {
			return nil
		}
		if _, _, err := legacy.ReadSha2Verifier(p.Identity); err != nil {
			return wrong
		}
	default:
		return legacy.NewError(codeNoPlugin, "HY000", "Plugin '%.64s' is not loaded: there are %s and %s. Nothing was changed", p.Plugin, Native, Sha2)
	}
	return nil
}

// tls reads what follows REQUIRE.
func (r *reader) tls(o *Options) error {
	if o.Others = true; r.Take("none") {
		o.NoTLS = true
		return nil
	}
	const refused = "REQUIRE X509, CIPHER, ISSUER and SUBJECT"
	for {
		switch t := r.Next(); {
		case t.Is("ssl"):
			o.SSL = true
		case t.Is("x509"), t.Is("cipher"), t.Is("issuer"), t.Is("subject"):
			return NotSupported(refused, "clients have no certificates here. REQUIRE SSL demands TLS")
		default:
			return syntax(t)
		}
		if !r.Take("and") {
			return nil
		}
	}
}

// number reads a whole number.
func (r *reader) number() (int64, error) {
	t := r.Next()
	if t.Kind != parse.Word {
		return 0, syntax(t)
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	switch {
	case err == nil:
		return n, nil
	case t.Text[0] < '0' || t.Text[0] > '9':
		return 0, syntax(t)
	}
	return 0, legacy.NewError(codeNotSupported, "42000", "%.32q is not a number that an account can have. Nothing was changed", t.Text)
}

// none reads a number that must be 0.
func (r *reader) none(option, instead string) error {
	n, err := r.number()
	if err == nil && n != 0 {
		err = NotSupported(option, instead)
	}
	return err
}

// limits reads what follows WITH.
func (r *reader) limits(o *Options) error {
	o.Others = true
	for some := false; ; some = true {
		var err error
		switch t := r.Peek(); {
		case r.Take("max_queries_per_hour"), r.Take("max_updates_per_hour"), r.Take("max_connections_per_hour"):
			err = r.none("A limit per hour", "MAX_USER_CONNECTIONS bounds how many connections an account has at a time")
		case r.Take("max_user_connections"):
			var n int64
			n, err = r.number()
			o.MaxConnections = &n
		case some:
			return nil
		default:
			return syntax(t)
		}
		if err != nil {
			return err
		}
	}
}

// passwordOption reads an option about passwords or locks, if one comes next.
func (r *reader) passwordOption(o *Options) (bool, error) {
	const instead = "answers to wrong passwords wait longer with each, and no account is locked by them"
	switch {
	case r.Words("account", "lock"):
		o.Lock, o.Unlock = true, false
		return true, nil
	case r.Words("account", "unlock"):
		o.Lock, o.Unlock = false, true
		return true, nil
	case r.Take("password"):
		o.Others = true
		return true, r.aboutPasswords()
	case r.Take("failed_login_attempts"):
		o.Others = true
		return true, r.none("FAILED_LOGIN_ATTEMPTS", instead)
	case r.Take("password_lock_time"):
		o.Others = true
		if r.Take("unbounded") {
			return true, NotSupported("PASSWORD_LOCK_TIME", instead)
		}
		return true, r.none("PASSWORD_LOCK_TIME", instead)
	}
	return false, nil
}

// aboutPasswords reads what follows PASSWORD.
func (r *reader) aboutPasswords() error {
	const kept = "PASSWORD HISTORY and PASSWORD REUSE"
	switch {
	case r.Words("expire", "default"), r.Words("expire", "never"), r.Words("history", "default"), r.Words("reuse", "interval", "default"),
		r.Words("require", "current", "default"), r.Words("require", "current", "optional"):
		return nil
	case r.Words("expire", "interval"):
		return r.days("PASSWORD EXPIRE", "passwords do not expire here. Change them by ALTER USER ... IDENTIFIED BY")
	case r.Words("history"):
		return r.none(kept, "former passwords are not kept")
	case r.Words("reuse", "interval"):
		return r.days(kept, "former passwords are not kept")
	}
	return syntax(r.Peek())
}

// days reads a number of days that must be 0.
func (r *reader) days(option, instead string) error {
	if err := r.none(option, instead); err != nil {
		return err
	}
	return r.want("day")
}
