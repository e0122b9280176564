package accounts

import (
	"strconv"
	"strings"

	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/account"
	"isochron/sql/legacy"
)

// What MySQL's statements about accounts can say, and is not done here, is refused. The
// parser knows most of it and the engine forgets it, so an account would be weaker than its
// owner thinks. An option that asks for what holds anyway (PASSWORD EXPIRE NEVER, a limit
// of 0) passes.

// Errors of MySQL about how an account proves who it is.
const (
	codeNotSupported   = 1235
	codeNoPlugin       = 1524
	codePasswordFormat = 1827
)

// everyObject marks a REVOKE ALL, GRANT OPTION: the engine's plan of it is that of a REVOKE
// ALL ON *.*, which leaves what was granted on databases and tables.
const everyObject = gmsplan.ObjectType_Function

// RefuseOptions is nil if all that a statement about accounts says is done.
func RefuseOptions(stmt sqlparser.Statement) error {
	switch n := stmt.(type) {
	case *sqlparser.CreateUser:
		return refuseCreate(n)
	case *sqlparser.DDL:
		if !n.User.IsEmpty() { // withCreateUser has not seen it
			return account.NotSupported("ALTER USER inside a comment", "write it as a statement of its own")
		}
	case *sqlparser.GrantPrivilege:
		if n.As != nil {
			return account.NotSupported("GRANT ... AS", "grant as the account that holds the privileges")
		}
		return refusePrivileges(n.Privileges, n.ObjectType, &n.PrivilegeLevel)
	case *sqlparser.RevokePrivilege:
		if n.Auth.AuthType == sqlparser.AuthType_REVOKE_ALL {
			n.ObjectType = sqlparser.GrantObjectType_Function // everyObject
			return nil
		}
		return refusePrivileges(n.Privileges, n.ObjectType, &n.PrivilegeLevel)
	}
	return nil
}

func refuseCreate(n *sqlparser.CreateUser) error {
	for _, u := range n.Users {
		if u.Auth2 != nil || u.Auth3 != nil || u.AuthInitial != nil {
			return account.NotSupported("More than one way to prove who one is", "name one: IDENTIFIED BY '...'")
		}
		if a := u.Auth1; a != nil && IsAlter(n) && a.Plugin != "" && a.Password == "" && a.Identity == "" && !a.RandomPassword {
			return account.NotSupported("IDENTIFIED WITH without BY or AS", "it would leave the account without a password. Name the password: IDENTIFIED WITH "+a.Plugin+" BY '...'")
		}
		if err := refuseAuthentication(u.Auth1); err != nil {
			return err
		}
	}
	if len(n.DefaultRoles) > 0 {
		return account.NotSupported("DEFAULT ROLE", "all roles that were granted to a user are active. GRANT the role")
	}
	if t := n.TLSOptions; t != nil && (t.X509 || t.Cipher != "" || t.Issuer != "" || t.Subject != "") {
		return account.NotSupported("REQUIRE X509, CIPHER, ISSUER and SUBJECT", "clients have no certificates here. REQUIRE SSL demands TLS")
	}
	if n.Attribute != "" && !IsAlter(n) {
		return account.NotSupported("COMMENT and ATTRIBUTE of an account", "keep what you know of it in a table")
	}
	if err := refuseLimits(n.AccountLimits); err != nil {
		return err
	}
	return refusePasswordOptions(n.PasswordOptions)
}

// refuseAuthentication checks a way to prove who one is, nil for none.
func refuseAuthentication(a *sqlparser.Authentication) error {
	if a == nil {
		return nil
	}
	if a.RandomPassword {
		return account.NotSupported("A RANDOM PASSWORD", "choose one: IDENTIFIED BY '...'")
	}
	wrong := legacy.NewError(codePasswordFormat, "HY000", "The password hash doesn't have the expected format of %s. Nothing was changed", a.Plugin)
	switch a.Plugin {
	case "":
	case account.Native:
		if a.Identity != "" && account.CheckVerifier(a.Identity) != nil {
			return wrong
		}
	case account.Sha2:
		if a.Identity == "" {
			return nil
		}
		if _, _, err := legacy.ReadSha2Verifier(a.Identity); err != nil {
			return wrong
		}
	default:
		return legacy.NewError(codeNoPlugin, "HY000", "Plugin '%.64s' is not loaded: there are %s and %s. Nothing was changed", a.Plugin, account.Native, account.Sha2)
	}
	return nil
}

// above0 reports whether a number of an option is there and not 0.
func above0(v *sqlparser.SQLVal) bool {
	n, err := wholeNumber(v)
	return v != nil && (err != nil || n != 0)
}

func wholeNumber(v *sqlparser.SQLVal) (int64, error) {
	if v == nil {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(v.Val), 10, 64)
	if err != nil {
		return 0, legacy.NewError(codeNotSupported, "42000", "%.32q is not a number that an account can have. Nothing was changed", v.Val)
	}
	return n, nil
}

func refuseLimits(l *sqlparser.AccountLimits) error {
	if l != nil && (above0(l.MaxQueriesPerHour) || above0(l.MaxUpdatesPerHour) || above0(l.MaxConnectionsPerHour)) {
		return account.NotSupported("A limit per hour", "MAX_USER_CONNECTIONS bounds how many connections an account has at a time")
	}
	return nil
}

func refusePasswordOptions(p *sqlparser.PasswordOptions) error {
	const instead = "answers to wrong passwords wait longer with each, and no account is locked by them"
	switch {
	case p == nil:
		return nil
	case above0(p.ExpirationTime):
		return account.NotSupported("PASSWORD EXPIRE", "passwords do not expire here. Change them by ALTER USER ... IDENTIFIED BY")
	case above0(p.History) || above0(p.ReuseInterval):
		return account.NotSupported("PASSWORD HISTORY and PASSWORD REUSE", "former passwords are not kept")
	case above0(p.FailedAttempts):
		return account.NotSupported("FAILED_LOGIN_ATTEMPTS", instead)
	case p.LockTime == nil || above0(p.LockTime):
		return account.NotSupported("PASSWORD_LOCK_TIME", instead)
	}
	return nil
}

// refusePrivileges refuses what a GRANT or REVOKE cannot be about, and reads the name of its
// database as MySQL does.
func refusePrivileges(privileges []sqlparser.Privilege, object sqlparser.GrantObjectType, level *sqlparser.PrivilegeLevel) error {
	for _, p := range privileges {
		if len(p.Columns) > 0 {
			return account.NotSupported("A privilege on columns", "grant it on a view that shows just these")
		}
	}
	switch {
	case object == sqlparser.GrantObjectType_Function:
		return account.NotSupported("A privilege on a function", "there are no stored functions")
	case object != sqlparser.GrantObjectType_Any && level.TableRoutine == "*":
		return account.NotSupported("TABLE or PROCEDURE before *", "name the table or procedure, or leave the word out")
	case level.TableRoutine == "*" && level.Database != "*":
		if strings.Contains(strings.ReplaceAll(level.Database, `\%`, ""), "%") {
			return account.NotSupported("A pattern of databases", "grant on each of them")
		}
		level.Database = strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(level.Database)
	}
	return nil
}
