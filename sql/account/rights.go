package account

// Right says what a user must have been granted to do a kind of statement.
type Right struct {
	// Statement is the kind, as kindOf names it.
	Statement string `json:"statement"`
	// Needs are the privileges, all of them; "A or B" is either. None: everybody may.
	Needs []string `json:"needs"`
	// On is where they must be granted: "global", or "object" for the tables, databases
	// or routines that the statement names (or all of them, by a global grant).
	On string `json:"on,omitempty"`
	// Note says what else holds.
	Note string `json:"note,omitempty"`
	// Example is such a statement, on database d with table t and view v.
	Example string `json:"example"`
}

// Where a privilege must be granted.
const (
	OnGlobal = "global"
	onObject = "object"
)

// AnyPrivilege stands among Needs for any privilege at all on what is named.
const AnyPrivilege = "any privilege"

// Rights is the table of all kinds of statements: what is not in it is refused.
// SUPER is a privilege that stands for every other.
//
// Global privileges are checked by permit, those on objects by the engine, but for
// anyPrivilege; the rules in Notes about accounts by a judge. A test walks the table
// as users who have nothing, all but what a row needs, and just that; another walks
// the parser's types of statements.
func Rights() []Right { return append([]Right{}, rights...) }

func everybody(statement, example string) Right {
	return Right{Statement: statement, Needs: []string{}, Example: example}
}

func globally(statement, example string, needs ...string) Right {
	return Right{Statement: statement, Needs: needs, On: OnGlobal, Example: example}
}

func onNamed(statement, example string, needs ...string) Right {
	return Right{Statement: statement, Needs: needs, On: onObject, Example: example}
}

func (r Right) note(text string) Right {
	r.Note = text
	return r
}

const (
	noteStronger = "an account with SYSTEM_USER, or with a privilege that one has not, needs SYSTEM_USER too"
	noteGiven    = "only privileges that one has, WITH GRANT OPTION; to or from an account with SYSTEM_USER with SYSTEM_USER only"
	noteRoles    = "or the role WITH ADMIN OPTION; a role with privileges that one has not needs SYSTEM_USER too"
	noteUnbuilt  = "not supported: refused after the check"
)

var rights = []Right{
	onNamed("SELECT", "SELECT * FROM d.t", "SELECT"),
	globally("SELECT INTO OUTFILE", "SELECT 1 INTO OUTFILE '/f'", "FILE").note("no node writes files for clients"),
	onNamed("INSERT", "INSERT INTO d.t VALUES (7, 7)", "INSERT"),
	onNamed("REPLACE", "REPLACE INTO d.t VALUES (7, 7)", "INSERT", "DELETE"),
	onNamed("UPDATE", "UPDATE d.t SET n = 1 WHERE id = 1", "UPDATE"),
	onNamed("DELETE", "DELETE FROM d.t WHERE id = 1", "DELETE"),
	globally("LOAD DATA", "LOAD DATA INFILE '/f' INTO TABLE d.t", "FILE").note("no node reads files for clients"),
	onNamed("LOAD DATA LOCAL", "LOAD DATA LOCAL INFILE '/f' INTO TABLE d.t", "FILE").note("FILE is needed here too"),
	onNamed("TRUNCATE", "TRUNCATE TABLE d.t", "DROP"),
	onNamed("EXPLAIN", "EXPLAIN SELECT * FROM d.t", "SELECT").note("as the statement that is explained"),
	onNamed("CALL", "CALL d.p()", "EXECUTE").note("and what the statements of the procedure need: it runs with the rights of who calls it"),
	globally("CALL isochron.import_table", "CALL isochron.import_table('s')", "CREATE").note("and the other procedures of the database isochron: they give access to what the agents' accounts may do"),
	onNamed("LOCK TABLES", "LOCK TABLES d.t READ", "SELECT", "LOCK TABLES"),
	everybody("UNLOCK TABLES", "UNLOCK TABLES"),
	onNamed("ANALYZE", "ANALYZE TABLE d.t", "SELECT", "INSERT"),

	onNamed("CREATE DATABASE", "CREATE DATABASE d9", "CREATE"),
	onNamed("ALTER DATABASE", "ALTER DATABASE d COLLATE utf8mb4_bin", "ALTER"),
	onNamed("DROP DATABASE", "DROP DATABASE d8", "DROP"),
	onNamed("CREATE TABLE", "CREATE TABLE d.t9 (id INT PRIMARY KEY)", "CREATE"),
	onNamed("CREATE TEMPORARY TABLE", "CREATE TEMPORARY TABLE d.t9 (id INT PRIMARY KEY)", "CREATE TEMPORARY TABLES").note("of the session; what is done with it needs nothing more"),
	onNamed("ALTER TABLE", "ALTER TABLE d.t ADD COLUMN x INT", "ALTER"),
	onNamed("CREATE INDEX", "CREATE INDEX i9 ON d.t (n)", "INDEX"),
	onNamed("DROP INDEX", "DROP INDEX i8 ON d.t", "INDEX"),
	onNamed("RENAME TABLE", "RENAME TABLE d.t TO d.t8", "ALTER", "DROP", "CREATE", "INSERT"),
	onNamed("DROP TABLE", "DROP TABLE d.t", "DROP"),
	onNamed("CREATE VIEW", "CREATE VIEW d.v9 AS SELECT 1", "CREATE VIEW").note("and SELECT on what it reads"),
	onNamed("DROP VIEW", "DROP VIEW d.v", "DROP"),
	onNamed("CREATE TRIGGER", "CREATE TRIGGER d.g BEFORE INSERT ON d.t FOR EACH ROW SET @x = 1", "TRIGGER").note(noteUnbuilt),
	onNamed("DROP TRIGGER", "DROP TRIGGER d.g", "TRIGGER").note(noteUnbuilt),
	onNamed("CREATE PROCEDURE", "CREATE PROCEDURE d.p() SELECT 1", "CREATE ROUTINE").note("OR REPLACE needs ALTER ROUTINE too; whoever makes one is granted nothing on it"),
	onNamed("DROP PROCEDURE", "DROP PROCEDURE d.p", "ALTER ROUTINE"),
	onNamed("CREATE EVENT", "CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO SELECT 1", "EVENT").note(noteUnbuilt),
	onNamed("ALTER EVENT", "ALTER EVENT d.e DISABLE", "EVENT").note(noteUnbuilt),
	onNamed("DROP EVENT", "DROP EVENT d.e", "EVENT").note(noteUnbuilt),
	globally("CREATE SPATIAL REFERENCE SYSTEM", "CREATE SPATIAL REFERENCE SYSTEM 4711 NAME 'n' DEFINITION 'd'", "SUPER").note("of one process, and forgotten at its end"),

	globally("CREATE USER", "CREATE USER u9", "CREATE USER"),
	globally("ALTER USER", "ALTER USER plain IDENTIFIED BY 'x'", "CREATE USER").note("one's own password: everybody; " + noteStronger),
	globally("DROP USER", "DROP USER plain", "CREATE USER").note(noteStronger),
	globally("RENAME USER", "RENAME USER plain TO other", "CREATE USER").note(noteUnbuilt),
	globally("CREATE ROLE", "CREATE ROLE r9", "CREATE ROLE or CREATE USER"),
	globally("DROP ROLE", "DROP ROLE r", "DROP ROLE or CREATE USER").note(noteStronger),
	globally("GRANT", "GRANT CREATE ON *.* TO plain", "GRANT OPTION", "CREATE").note(noteGiven),
	globally("REVOKE", "REVOKE CREATE ON *.* FROM plain", "GRANT OPTION", "CREATE").note(noteGiven),
	globally("GRANT ROLE", "GRANT r TO plain", "ROLE_ADMIN").note(noteRoles),
	globally("REVOKE ROLE", "REVOKE r FROM plain", "ROLE_ADMIN").note(noteRoles),
	globally("GRANT PROXY", "GRANT PROXY ON plain TO u", "SUPER").note(noteUnbuilt),
	globally("REVOKE PROXY", "REVOKE PROXY ON plain FROM u", "SUPER").note(noteUnbuilt),
	globally("FLUSH", "FLUSH PRIVILEGES", "RELOAD"),

	everybody("SET", "SET @x = 1").note("of the session; isochron_priority = 'high' needs RESOURCE_GROUP_USER or RESOURCE_GROUP_ADMIN, and so does a START TRANSACTION that says so"),
	globally("SET GLOBAL", "SET GLOBAL isochron_priority = 'low'", "SYSTEM_VARIABLES_ADMIN").note("and SET PERSIST"),
	globally("KILL", "KILL QUERY 4711", "CONNECTION_ADMIN").note("one's own: everybody; a session of an account with SYSTEM_USER needs SYSTEM_USER too"),
	everybody("USE", "USE information_schema").note("of a database on which one has any privilege"),
	everybody("BEGIN", "BEGIN"), everybody("COMMIT", "COMMIT"), everybody("ROLLBACK", "ROLLBACK"),
	everybody("SAVEPOINT", "SAVEPOINT s"), everybody("ROLLBACK TO SAVEPOINT", "ROLLBACK TO SAVEPOINT s"), everybody("RELEASE SAVEPOINT", "RELEASE SAVEPOINT s"),
	everybody("PREPARE", "PREPARE p FROM 'SELECT 1'").note("as the statement that is prepared"),
	everybody("EXECUTE", "EXECUTE p").note("as the statement that was prepared"),
	everybody("DEALLOCATE", "DEALLOCATE PREPARE p"),
	everybody("block of a routine", "BEGIN SELECT 1; END").note("as the statements in it"),

	globally("CHANGE REPLICATION", "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'h'", "REPLICATION_SLAVE_ADMIN").note(noteUnbuilt),
	globally("START REPLICA", "START REPLICA", "REPLICATION_SLAVE_ADMIN").note(noteUnbuilt),
	globally("STOP REPLICA", "STOP REPLICA", "REPLICATION_SLAVE_ADMIN").note(noteUnbuilt),
	globally("RESET REPLICA", "RESET REPLICA", "RELOAD").note(noteUnbuilt),
	globally("PURGE BINARY LOGS", "PURGE BINARY LOGS TO 'x'", "BINLOG_ADMIN").note(noteUnbuilt),
	globally("BINLOG", "BINLOG 'eA=='", "BINLOG_ADMIN or REPLICATION_APPLIER").note(noteUnbuilt),

	everybody("SHOW", "SHOW WARNINGS").note("of what is the same for everybody, or of one's own: DATABASES, TABLES, VARIABLES, STATUS, WARNINGS, ..."),
	onNamed("SHOW CREATE", "SHOW CREATE TABLE d.t", AnyPrivilege).note("on the table, view or database; so SHOW COLUMNS, INDEX, TABLE STATUS and TABLES FROM"),
	onNamed("SHOW CREATE PROCEDURE", "SHOW CREATE PROCEDURE d.p", "SELECT or CREATE ROUTINE or ALTER ROUTINE or EXECUTE"),
	globally("SHOW BINARY LOGS", "SHOW BINARY LOGS", "REPLICATION CLIENT"),
	globally("SHOW REPLICA STATUS", "SHOW REPLICA STATUS", "REPLICATION CLIENT"),
	everybody("SHOW PROCESSLIST", "SHOW PROCESSLIST").note("one's own; with PROCESS those of all"),
	everybody("SHOW GRANTS", "SHOW GRANTS").note("one's own"),
	globally("SHOW GRANTS FOR", "SHOW GRANTS FOR plain", "SELECT").note("on the database mysql, or on all; one's own: everybody"),
}

// RightOf is the row of a kind of statements, nil if it has none.
func RightOf(kind string) *Right { return rightsByKind[kind] }

var rightsByKind = func() map[string]*Right {
	m := make(map[string]*Right, len(rights))
	for i := range rights {
		m[rights[i].Statement] = &rights[i]
	}
	return m
}()
