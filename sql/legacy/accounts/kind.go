package accounts

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// ownProcedures is the database of the procedures that are part of Isochron.
const ownProcedures = "isochron"

// KindOf names the kind of a statement, by which Rights has its row; empty if it is
// of a type that this release does not know.
func KindOf(stmt sqlparser.Statement) string {
	switch n := stmt.(type) {
	case sqlparser.SelectStatement:
		if into := n.GetInto(); into != nil && (into.Outfile != "" || into.Dumpfile != "") {
			return "SELECT INTO OUTFILE"
		}
		return "SELECT"
	case *sqlparser.Insert:
		return strings.ToUpper(n.Action)
	case *sqlparser.Load:
		if bool(n.Local) {
			return "LOAD DATA LOCAL"
		}
		return "LOAD DATA"
	case *sqlparser.Set:
		for _, e := range n.Exprs {
			if setsGlobal(e) {
				return "SET GLOBAL"
			}
		}
		return "SET"
	case *sqlparser.DBDDL:
		return strings.ToUpper(n.Action) + " DATABASE"
	case *sqlparser.DDL:
		return kindOfDDL(n)
	case *sqlparser.AlterTable:
		if len(n.Statements) == 1 {
			return kindOfDDL(n.Statements[0])
		}
		return "ALTER TABLE"
	case *sqlparser.Show:
		return kindOfShow(n)
	}
	return kindOfType(stmt)
}

// setsGlobal reports whether an assignment reaches beyond the session.
func setsGlobal(e *sqlparser.SetVarExpr) bool {
	switch e.Scope {
	case sqlparser.SetScope_Global, sqlparser.SetScope_Persist, sqlparser.SetScope_PersistOnly:
		return true
	case sqlparser.SetScope_Session, sqlparser.SetScope_User:
		return false
	}
	name := strings.ToLower(sqlparser.String(e.Name)) // @@global.x, as some read it
	name = strings.NewReplacer("`", "", " ", "").Replace(name)
	for _, prefix := range []string{"@@global.", "@@persist.", "@@persist_only."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// kindOfType is for types all of whose statements are of one kind.
func kindOfType(stmt sqlparser.Statement) string {
	switch n := stmt.(type) {
	case *sqlparser.Update:
		return "UPDATE"
	case *sqlparser.Delete:
		return "DELETE"
	case *sqlparser.Explain:
		return "EXPLAIN"
	case *sqlparser.Use:
		return "USE"
	case *sqlparser.Begin:
		return "BEGIN"
	case *sqlparser.Commit:
		return "COMMIT"
	case *sqlparser.Rollback:
		return "ROLLBACK"
	case *sqlparser.Savepoint:
		return "SAVEPOINT"
	case *sqlparser.RollbackSavepoint:
		return "ROLLBACK TO SAVEPOINT"
	case *sqlparser.ReleaseSavepoint:
		return "RELEASE SAVEPOINT"
	case *sqlparser.Flush:
		return "FLUSH"
	case *sqlparser.Kill:
		return "KILL"
	case *sqlparser.Analyze:
		return "ANALYZE"
	case *sqlparser.Call:
		if strings.EqualFold(n.ProcName.Qualifier.String(), ownProcedures) {
			return "CALL isochron.import_table"
		}
		return "CALL"
	case *sqlparser.LockTables:
		return "LOCK TABLES"
	case *sqlparser.UnlockTables:
		return "UNLOCK TABLES"
	case *sqlparser.Prepare:
		return "PREPARE"
	case *sqlparser.Execute:
		return "EXECUTE"
	case *sqlparser.Deallocate:
		return "DEALLOCATE"
	case *sqlparser.ShowPrivileges:
		return "SHOW"
	}
	return kindOfRare(stmt)
}

func kindOfRare(stmt sqlparser.Statement) string {
	switch n := stmt.(type) {
	case sqlparser.InjectedStatement:
		if about, ok := n.Statement.(*Node); ok {
			return about.Kind
		}
	case *sqlparser.ChangeReplicationSource, *sqlparser.ChangeReplicationFilter:
		return "CHANGE REPLICATION"
	case *sqlparser.StartReplica:
		return "START REPLICA"
	case *sqlparser.StopReplica:
		return "STOP REPLICA"
	case *sqlparser.ResetReplica:
		return "RESET REPLICA"
	case *sqlparser.PurgeBinaryLogs:
		return "PURGE BINARY LOGS"
	case *sqlparser.Binlog:
		return "BINLOG"
	case *sqlparser.CreateSpatialRefSys:
		return "CREATE SPATIAL REFERENCE SYSTEM"
	case *sqlparser.BeginEndBlock, *sqlparser.CaseStatement, *sqlparser.IfStatement, *sqlparser.Signal, *sqlparser.Resignal,
		*sqlparser.Declare, *sqlparser.OpenCursor, *sqlparser.CloseCursor, *sqlparser.FetchCursor, *sqlparser.Loop,
		*sqlparser.Repeat, *sqlparser.While, *sqlparser.Leave, *sqlparser.Return, *sqlparser.Iterate:
		return "block of a routine"
	}
	return ""
}

// kindOfDDL tells statements apart that the parser keeps in one type.
func kindOfDDL(n *sqlparser.DDL) string {
	action := strings.ToUpper(n.Action)
	switch {
	case !n.User.IsEmpty():
		return "" // an ALTER USER that account.Read has not seen
	case n.TriggerSpec != nil:
		return action + " TRIGGER"
	case n.ProcedureSpec != nil:
		return action + " PROCEDURE"
	case n.EventSpec != nil:
		return action + " EVENT"
	case n.ViewSpec != nil || len(n.FromViews) > 0:
		return action + " VIEW"
	case n.Action == sqlparser.TruncateStr:
		return action
	case n.Action == sqlparser.AlterStr && n.IndexSpec != nil && keysOnOrOff(n.IndexSpec.Action):
		return "ALTER TABLE"
	case n.Action == sqlparser.AlterStr && n.IndexSpec != nil:
		return strings.ToUpper(n.IndexSpec.Action) + " INDEX"
	case n.Action == sqlparser.CreateStr && n.Temporary:
		return "CREATE TEMPORARY TABLE"
	}
	return action + " TABLE"
}

// keysOnOrOff reports whether it is DISABLE KEYS or ENABLE KEYS, which dumps have around the
// rows of each table, and which do nothing.
func keysOnOrOff(action string) bool {
	return strings.EqualFold(action, "disable") || strings.EqualFold(action, "enable")
}

// kindOfShow knows which of them show what belongs to somebody.
func kindOfShow(n *sqlparser.Show) string {
	switch what := strings.ToLower(n.Type); what {
	case "create table", "create view", "create database", "create schema", "create trigger", "create event",
		"columns", "fields", "index", "indexes", "keys":
		return "SHOW CREATE"
	case "create procedure":
		return "SHOW CREATE PROCEDURE"
	case "table status", "tables", "triggers", "events":
		if ShowsDatabase(n) != "" {
			return "SHOW CREATE"
		}
		return "SHOW"
	case "processlist":
		return "SHOW PROCESSLIST"
	case "binary logs", "binary log status", "master status":
		return "SHOW BINARY LOGS"
	case "replica status", "slave status", "replicas":
		return "SHOW REPLICA STATUS"
	case "charset", "character set", "databases", "schemas", "engines", "plugins", "procedure status", "function status",
		"status", "variables", "collation", "warnings", "errors":
		return "SHOW"
	}
	return ""
}

// ShowsDatabase is the database that a SHOW names, empty if it is the current one.
func ShowsDatabase(n *sqlparser.Show) string {
	if n.Database != "" {
		return n.Database
	}
	if n.ShowTablesOpt != nil && n.ShowTablesOpt.DbName != "" {
		return n.ShowTablesOpt.DbName
	}
	return n.Table.DbQualifier.String()
}
