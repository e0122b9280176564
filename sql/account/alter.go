package account

import (
	"slices"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// The engine's ALTER USER takes one account, and of the options only a password and limits.
// Its CREATE USER has the grammar of both statements. So ALTER USER is parsed as a CREATE
// USER, and the parsed statement is marked. The mark also carries the options for which the
// parser has one value for "absent" and "off".

// alterMark is the Attribute of a CREATE USER that is an ALTER USER. A client's own
// attribute never has it: see markAlter.
const alterMark = "\x00alter:"

// The flags behind alterMark.
const (
	flagLock   = "lock,"
	flagUnlock = "unlock,"
	flagNoTLS  = "notls,"
)

// codeAccountLocked is MySQL's error for a login of a locked account.
const codeAccountLocked = 3118

// WithCreateUser rewrites the first statement of a text from ALTER USER to CREATE USER. mark
// is the Attribute for the parsed statement, empty for any other statement.
func WithCreateUser(query string) (text, mark string) {
	const alter, exists = "alter", "exists"
	if i := parse.SkipSpace(query, 0); len(query) < i+len(alter) || !strings.EqualFold(query[i:i+len(alter)], alter) {
		return query, "" // nearly every statement
	}
	at := parse.Words(query)
	word := func(i int) string {
		if i >= len(at) {
			return ""
		}
		return strings.ToLower(query[at[i][0]:at[i][1]])
	}
	if word(0) != alter || word(1) != "user" {
		return query, ""
	}
	text = query[:at[0][0]] + "CREATE" + query[at[0][1]:at[1][1]]
	rest := at[1][1]
	if word(2) == "if" && word(3) == exists {
		text += query[rest:at[3][0]] + "NOT EXISTS"
		rest = at[3][1]
	}
	lock, tls := "", ""
	for i := 2; i+1 < len(at); i++ {
		if parse.SkipSpace(query, at[i][1]) != at[i+1][0] {
			continue // names of two accounts
		}
		switch word(i) + " " + word(i+1) {
		case "account lock":
			lock = flagLock
		case "account unlock":
			lock = flagUnlock
		case "require none":
			tls = flagNoTLS
		}
	}
	return text + query[rest:], alterMark + lock + tls
}

// MarkAlter marks a statement that withCreateUser has rewritten. An ATTRIBUTE or COMMENT of
// the client stays in its place, so that it is refused.
func MarkAlter(stmt sqlparser.Statement, mark string) {
	n, ok := stmt.(*sqlparser.CreateUser)
	switch {
	case !ok:
	case n.Attribute != "":
		n.Attribute = " " + n.Attribute // never a mark
	default:
		n.Attribute = mark
	}
}

// IsAlter reports whether a parsed CREATE USER is an ALTER USER.
func IsAlter(n *sqlparser.CreateUser) bool { return strings.HasPrefix(n.Attribute, alterMark) }

// alteration is an ALTER USER, as the engine has planned it.
type alteration struct{ *gmsplan.CreateUser }

// alterationOf is the ALTER USER that a plan of a CREATE USER stands for.
func alterationOf(n *gmsplan.CreateUser) (alteration, bool) {
	return alteration{n}, strings.HasPrefix(n.Attribute, alterMark)
}

func (a alteration) has(flag string) bool {
	return slices.Contains(strings.SplitAfter(strings.TrimPrefix(a.Attribute, alterMark), ","), flag)
}

// passwordOnly reports whether the statement changes nothing but passwords.
func (a alteration) passwordOnly() bool {
	return a.Attribute == alterMark && a.TLSOptions == nil && a.AccountLimits == nil && a.PasswordOptions == nil
}

// alterUsers changes the accounts that a statement names: all, or none of them.
func alterUsers(ctx *gms.Context, n alteration, ed *mysql_db.Editor) error {
	var unknown []string
	for _, name := range n.Users {
		u, ok := ed.GetUser(keyOf(name.UserName))
		if !ok {
			unknown = append(unknown, name.UserName.String("'"))
			continue
		}
		if err := n.alter(u, name); err != nil {
			return err
		}
	}
	for _, who := range unknown {
		if !n.IfNotExists { // IF EXISTS, as it was written
			return gms.ErrUserAlterFailure.New(strings.Join(unknown, ","))
		}
		ctx.Warn(3162, "Authorization ID %s does not exist.", who)
	}
	if n.has(flagLock) {
		return keepAdministrator(ed)
	}
	return nil
}

func (a alteration) alter(u *mysql_db.User, as gmsplan.AuthenticatedUser) error {
	if as.Auth1 != nil {
		proof, err := as.Auth1.AuthString()
		if err != nil {
			return err
		}
		u.Plugin, u.AuthString, u.Identity = as.Auth1.Plugin(), proof, as.Identity
		u.PasswordLastChanged = time.Now().UTC()
	}
	switch {
	case a.TLSOptions != nil && a.TLSOptions.SSL:
		u.SslType = "ANY"
	case a.has(flagNoTLS):
		u.SslType = ""
	}
	switch {
	case a.has(flagLock):
		u.Locked = true
	case a.has(flagUnlock):
		u.Locked = false
	}
	if l := a.AccountLimits; l != nil && l.MaxUserConnections != nil {
		return limitConnections(u, *l.MaxUserConnections)
	}
	return nil
}

// keepAdministrator refuses to lock the last account that has every privilege and can log in.
func keepAdministrator(ed *mysql_db.Editor) error {
	left := false
	ed.VisitUsers(func(u *mysql_db.User) {
		left = left || !u.Locked && holdsAll(holdingsOf(u.PrivilegeSet), &holdings{global: all})
	})
	if !left {
		return mysql.NewSQLError(codeNotSupported, "42000", "ACCOUNT LOCK would lock the last account that has every privilege: nothing was changed. Grant every privilege to another account first")
	}
	return nil
}

// locked is MySQL's answer to a client that has proved the password of a locked account.
func locked(user, host string) error {
	return mysql.NewSQLError(codeAccountLocked, "HY000", "Access denied for user '%s'@'%s'. Account is locked.", user, host)
}
