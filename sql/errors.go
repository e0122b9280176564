package sql

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"vitess.io/vitess/go/mysql/sqlerror"

	"isochron/txn"
)

// MySQL's numbers for what can become of a transaction.
const (
	codeDeadlock       = 1213
	codeLockTimeout    = 1205
	codeNoWait         = 3572
	codeTableStale     = 1412
	codeUnavailable    = 1158
	codeUnknown        = 1180
	codeInvalidRequest = 1235
	codeDuplicate      = 1062
	codeUnspecified    = 1105
	codeTransFull      = 1197
	codeStatements     = 1461
	codeCapacity       = 3170
	codeResources      = 1041
	codeInterrupted    = 1317
	codeNoTable        = 1146
	codeNoParent       = 1824
	codeTooLong        = 1153
	codeNoSource       = 1429
)

// ofKind is the error that a client gets for an error of a transaction: what a source has said has
// its number, but where nobody can tell the outcome. That has one number, whoever failed.
func ofKind(f *txn.Error) *mysql.SQLError {
	if f.Fault != nil && f.Fault.Code != 0 && f.Kind != txn.KindUnknown {
		if n := f.Fault.Code; n == codeNoSource || n >= 2000 && n < 3000 {
			// Numbers of a client's own, from a server, have it take the connection for broken, as
			// does a state of their class.
			return mysql.NewSQLError(codeNoSource, "HY000", "Unable to connect to foreign data source: %s", f.Reason)
		}
		return mysql.NewSQLError(int(f.Fault.Code), cmp.Or(f.Fault.State, "HY000"), "%s", f.Reason)
	}
	switch f.Kind {
	case txn.KindAborted:
		return mysql.NewSQLError(codeDeadlock, "40001", "%s; try restarting transaction (%s)", lostBy(f.Cause), f.Reason)
	case txn.KindLockTimeout:
		return mysql.NewSQLError(codeLockTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction (%s)", f.Reason)
	case txn.KindNoWait:
		return mysql.NewSQLError(codeNoWait, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	case txn.KindStale:
		return mysql.NewSQLError(codeTableStale, "HY000", "Table definition has changed, please retry transaction (%s)", f.Reason)
	case txn.KindTooOld:
		return mysql.NewSQLError(codeUnspecified, "72000", "Snapshot too old: the transaction reads at a moment of which old versions are not kept any more (ten minutes); it is rolled back, begin a new one (%s)", f.Reason)
	case txn.KindUnavailable:
		return mysql.NewSQLError(codeUnavailable, "08S01", "No answer from the cluster in time; nothing was done (%s)", f.Reason)
	case txn.KindTooLarge:
		return mysql.NewSQLError(codeTransFull, "HY000", "Multi-statement transaction required more bytes of storage than one may have (%s)", f.Reason)
	case txn.KindUnknown:
		return mysql.NewSQLError(codeUnknown, "08007", "Got error during COMMIT: it may or may not have happened (%s)", f.Reason)
	}
	return mysql.NewSQLError(codeInvalidRequest, "42000", "%s", f.Reason)
}

// lostBy says why a transaction is over. Only who has lost a lock, or would wait for one for ever,
// gets the text of a deadlock.
func lostBy(why txn.Cause) string {
	switch why {
	case txn.CauseValidation, txn.CauseWrite:
		return "Record has changed since last read"
	case txn.CauseCascade:
		return "Record has changed since last read: what had been read was rolled back"
	case txn.CauseLeader, txn.CauseUnavailable, txn.CauseProtocol:
		return "Transaction was rolled back by the cluster"
	case txn.CauseLockTimeout:
		return "Transaction was rolled back after it had waited too long"
	case txn.CauseConflict:
		return "Transaction was rolled back for another that needs the same rows"
	case txn.CauseWound:
		return "Deadlock found when trying to get lock"
	}
	return "Transaction was rolled back"
}

// messageMax bounds an error's text, in bytes: the engine puts whole values into it.
const messageMax = 2000

// sqlStates are MySQL's states of the numbers that the engine leaves without.
var sqlStates = map[int]string{
	1040: "08004", 1153: "08S01", 1044: "42000", 1045: "28000", 1046: "3D000", 1048: "23000", 1049: "42000", 1050: "42S01",
	1051: "42S02", 1052: "23000", 1054: "42S22", 1060: "42S21", 1061: "42000", 1062: "23000", 1064: "42000",
	1068: "42000", 1091: "42000", 1109: "42S02", 1110: "42000", 1142: "42000", 1231: "42000", 1146: "42S02", 1264: "22003",
	1235: "42000", 1364: "HY000", 1366: "HY000", 1406: "22001", 1451: "23000", 1452: "23000", 1792: "25006", 3819: "HY000", 1304: "42000", 1305: "42000",
}

// recognised are errors that the engine reports without a number, by how their
// text begins.
var recognised = []struct {
	prefix string
	code   int
}{
	{"syntax error", 1064},
	{"unknown error: syntax error", 1064},
	{"table with name", 1050},
	{"table not found", 1146},
	{"database not found", 1049},
	{"stored procedure \"", 1305},
	{"Access denied", 1044},
	{"command denied", 1142},
	{"column \"", 1054},
	{"unknown column", 1054},
	{"no database selected", 1046},
	{"Field '", 1364},
	{"string '", 1406},
	{"Check constraint", 3819},
	{"Duplicate key name '", 1061},
	{"can't alter column \"", 3959},
	{"missing index for foreign key", 1822},
	{"duplicate foreign key constraint", 1826},
	{"cannot use SET NULL as column", 1830},
	{"column type mismatch on", 3780},
	{"Operation ", 1396}, // CREATE USER, ALTER USER, DROP USER and of roles, on an account that is there, or is not
}

// ofEngine is an error with a number as one of the engine's library: others lose it within the engine.
func ofEngine(err error) error {
	var e *sqlerror.SQLError
	if errors.As(err, &e) {
		return mysql.NewSQLError(int(e.Num), e.State, "%s", e.Message)
	}
	return err
}

// errorOf is the error that a client gets for an error of its statement.
func errorOf(s *Session, err error) error {
	if s != nil && s.statement.unread != nil {
		err = s.statement.unread // what the engine makes of it misleads
	}
	var failure *txn.Error
	if errors.As(err, &failure) {
		return ofKind(failure)
	}
	if s != nil && s.statement.denied != nil && strings.Contains(err.Error(), s.statement.denied.Message) {
		return s.statement.denied
	}
	var e *mysql.SQLError
	if !errors.As(ofEngine(err), &e) {
		e = gms.CastSQLError(err)
	}
	if beyond := sizeError(e.Message); beyond != nil {
		return beyond
	}
	text, _, _ := strings.Cut(e.Message, " Please file an issue here: https://github.com/dolthub") // not with us
	code, message := e.Num, cut(text, messageMax)
	if _, words, ok := strings.Cut(message, ": Duplicate entry "); ok && code == codeDuplicate { // behind the engine's
		message = "Duplicate entry " + words
	}
	if parent := unopened(s, code, message); parent != "" {
		code, message = codeNoParent, fmt.Sprintf("Failed to open the referenced table '%s'", parent)
	}
	if code == codeUnspecified {
		for _, r := range recognised {
			if strings.HasPrefix(message, r.prefix) {
				code = r.code
				break
			}
		}
		if code == 1044 && strings.Contains(message, " to table ") {
			code = 1142
		}
		if strings.Contains(message, " out of range for ") {
			code = 1264
		}
		if strings.Contains(message, " can't be set to the value of ") {
			code = 1231
		}
	}
	state := e.State
	if known, ok := sqlStates[code]; ok {
		state = known
	}
	return mysql.NewSQLError(code, state, "%s", message)
}

// unopened is the table that was not found, if the statement names it as one that a
// foreign key refers to.
func unopened(s *Session, code int, message string) string {
	name, found := strings.CutPrefix(message, "table not found: ")
	if code != codeNoTable || !found || s == nil {
		return ""
	}
	said := s.shownText.Load()
	if said == nil {
		return ""
	}
	refers, err := regexp.Compile(`(?is)\breferences\s+(?:[^\s.(]+\s*\.\s*)?` + "`?" + regexp.QuoteMeta(name) + "(?:`|\\b)")
	if err != nil || !refers.MatchString(*said) {
		return ""
	}
	return name
}
