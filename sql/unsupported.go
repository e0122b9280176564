package sql

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/parse"
)

// instead are statements of MySQL that the parser does not know, by how they begin,
// and what to do without them.
var instead = []struct{ begins, say string }{
	{"show engine ", "SHOW ENGINE is not supported: isochron.lock_waits and isochron.hot_rows show who waits"},
	{"show create user ", "SHOW CREATE USER is not supported: SHOW GRANTS FOR shows what a user may do"},
	{"checksum table ", "CHECKSUM TABLE is not supported: compare with SELECT COUNT(*), SUM(CRC32(CONCAT_WS('#', ...)))"},
	{"set role ", "SET ROLE is not supported: all roles that were granted to a user are active"},
	{"set default role ", "SET DEFAULT ROLE is not supported: all roles that were granted to a user are active"},
	{"alter user ", "this ALTER USER cannot be read, or has an option that is not supported, and nothing was changed: ALTER USER one_account [IDENTIFIED [WITH plugin] BY '...'] [WITH MAX_USER_CONNECTIONS n]"},
	{"create user ", "this CREATE USER cannot be read, or has an option that is not supported, and nothing was changed: CREATE USER accounts [IDENTIFIED ...] [REQUIRE SSL] [WITH MAX_USER_CONNECTIONS n] [ACCOUNT LOCK]"},
	{"do ", "DO is not supported: use SELECT"},
	{"optimize table ", "OPTIMIZE TABLE is not supported, and not needed"},
	{"check table ", "CHECK TABLE is not supported: isochron check looks at a cluster's data"},
	{"repair table ", "REPAIR TABLE is not supported, and not needed"},
	{"handler ", "HANDLER is not supported: use SELECT"},
	{"install ", "plugins and components are not supported"},
	{"uninstall ", "plugins and components are not supported"},
	{"xa ", "XA is not supported: a transaction may touch any rows of the cluster"},
	{"shutdown", "SHUTDOWN is not supported: send the node SIGTERM"},
}

// unsupported is an error for people where the parser says only that it did not
// understand.
func unsupported(query string, err error) error {
	at := parse.Words(query)
	if len(at) > 4 {
		at = at[:4]
	}
	var begins strings.Builder
	for _, w := range at {
		begins.WriteString(strings.ToLower(query[w[0]:w[1]]) + " ")
	}
	for _, i := range instead {
		if strings.HasPrefix(begins.String(), i.begins) {
			return mysql.NewSQLError(codeInvalidRequest, "42000", "%s", i.say)
		}
	}
	return err
}
