package accounts

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// The parser does not know SYSTEM_USER as a privilege. It is given another word of
// the same length, which is none here, and its statement is corrected.
const (
	systemUserWord = "system_user"
	standInWord    = "audit_admin"
)

// WithSystemUser writes the stand-in, and reports whether it did.
func WithSystemUser(query string) (string, bool) {
	if !strings.Contains(strings.ToLower(query), systemUserWord) {
		return query, false
	}
	at := parse.Words(query)
	if len(at) == 0 {
		return query, false
	}
	if first := query[at[0][0]:at[0][1]]; !strings.EqualFold(first, "grant") && !strings.EqualFold(first, "revoke") {
		return query, false
	}
	out, found := []byte(query), false
	for _, w := range at {
		switch word := query[w[0]:w[1]]; {
		case strings.EqualFold(word, systemUserWord):
			copy(out[w[0]:], standInWord)
			found = true
		case strings.EqualFold(word, standInWord):
			return query, false // it would be taken for the other
		case strings.EqualFold(word, "on"):
			return string(out), found // names of accounts follow
		}
	}
	return query, false
}

// CorrectSystemUser gives a parsed statement SYSTEM_USER in the place of the stand-in.
func CorrectSystemUser(stmt sqlparser.Statement) {
	var privileges []sqlparser.Privilege
	switch n := stmt.(type) {
	case *sqlparser.GrantPrivilege:
		privileges = n.Privileges
	case *sqlparser.RevokePrivilege:
		privileges = n.Privileges
	}
	for i := range privileges {
		if privileges[i].Type == sqlparser.PrivilegeType_Dynamic && strings.EqualFold(privileges[i].DynamicName, standInWord) {
			privileges[i].DynamicName = systemUserWord
		}
	}
}

// staticTypes are the privileges of GRANT and REVOKE but those that are more than one, none or dynamic.
var staticTypes = map[gmsplan.PrivilegeType]gms.PrivilegeType{
	gmsplan.PrivilegeType_Alter: gms.PrivilegeType_Alter, gmsplan.PrivilegeType_AlterRoutine: gms.PrivilegeType_AlterRoutine,
	gmsplan.PrivilegeType_Create: gms.PrivilegeType_Create, gmsplan.PrivilegeType_CreateRole: gms.PrivilegeType_CreateRole,
	gmsplan.PrivilegeType_CreateRoutine: gms.PrivilegeType_CreateRoutine, gmsplan.PrivilegeType_CreateTablespace: gms.PrivilegeType_CreateTablespace,
	gmsplan.PrivilegeType_CreateTemporaryTables: gms.PrivilegeType_CreateTempTable, gmsplan.PrivilegeType_CreateUser: gms.PrivilegeType_CreateUser,
	gmsplan.PrivilegeType_CreateView: gms.PrivilegeType_CreateView, gmsplan.PrivilegeType_Delete: gms.PrivilegeType_Delete,
	gmsplan.PrivilegeType_Drop: gms.PrivilegeType_Drop, gmsplan.PrivilegeType_DropRole: gms.PrivilegeType_DropRole,
	gmsplan.PrivilegeType_Event: gms.PrivilegeType_Event, gmsplan.PrivilegeType_Execute: gms.PrivilegeType_Execute,
	gmsplan.PrivilegeType_File: gms.PrivilegeType_File, gmsplan.PrivilegeType_GrantOption: gms.PrivilegeType_GrantOption,
	gmsplan.PrivilegeType_Index: gms.PrivilegeType_Index, gmsplan.PrivilegeType_Insert: gms.PrivilegeType_Insert,
	gmsplan.PrivilegeType_LockTables: gms.PrivilegeType_LockTables, gmsplan.PrivilegeType_Process: gms.PrivilegeType_Process,
	gmsplan.PrivilegeType_References: gms.PrivilegeType_References, gmsplan.PrivilegeType_Reload: gms.PrivilegeType_Reload,
	gmsplan.PrivilegeType_ReplicationClient: gms.PrivilegeType_ReplicationClient, gmsplan.PrivilegeType_ReplicationSlave: gms.PrivilegeType_ReplicationSlave,
	gmsplan.PrivilegeType_Select: gms.PrivilegeType_Select, gmsplan.PrivilegeType_ShowDatabases: gms.PrivilegeType_ShowDB,
	gmsplan.PrivilegeType_ShowView: gms.PrivilegeType_ShowView, gmsplan.PrivilegeType_Shutdown: gms.PrivilegeType_Shutdown,
	gmsplan.PrivilegeType_Super: gms.PrivilegeType_Super, gmsplan.PrivilegeType_Trigger: gms.PrivilegeType_Trigger,
	gmsplan.PrivilegeType_Update: gms.PrivilegeType_Update,
}
