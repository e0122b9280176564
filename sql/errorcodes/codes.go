package errorcodes

// Error is an error number that a client of a gateway can receive.
type Error struct {
	Number int
	State  string // SQLSTATEs, separated by commas; or OfSource, or Warning
	Name   string // MySQL's
	When   string // why the client receives it
	Do     string // what the application does, a sentence
}

// States that are no SQLSTATE.
const (
	OfSource = "source"  // the SQLSTATE of the external database
	Warning  = "warning" // it is sent as a warning: the statement succeeds
)

// Advice that several errors have.
const (
	fixStatement    = "Correct the statement."
	fixData         = "Correct the data."
	useExisting     = "Use a name that exists."
	useOther        = "Use another name."
	askForPrivilege = "Have an administrator grant the privilege (`isochron privileges`)."
)

// All lists the errors by number.
var All = []Error{
	{1007, "HY000", "ER_DB_CREATE_EXISTS", "CREATE DATABASE of an existing database", useOther},
	{1021, OfSource, "ER_DISK_FULL", "the disk of a PostgreSQL source is full", "Free space at the source, then retry."},
	{1040, "08004", "ER_CON_COUNT_ERROR", "the node has its maximum number of connections, or all connections to a source are in use", "Use a connection pool; retry later."},
	{1041, "HY000", "ER_OUT_OF_RESOURCES", "the statements of the account or of the node need more memory than they may use, or a source lacks resources", "Retry later, or read less at a time."},
	{1044, "42000", "ER_DBACCESS_DENIED_ERROR", "the account has no privilege on the database", askForPrivilege},
	{1045, "28000", "ER_ACCESS_DENIED_ERROR", "login with a wrong password or an unknown account, or a source refuses the account of its agent", "Correct the account or its password."},
	{1046, "3D000", "ER_NO_DB_ERROR", "a table is named without a database and none is selected", "USE a database, or write database.table."},
	{1048, "23000", "ER_BAD_NULL_ERROR", "NULL for a NOT NULL column", fixData},
	{1049, "42000", "ER_BAD_DB_ERROR", "the database does not exist", useExisting},
	{1050, "42S01", "ER_TABLE_EXISTS_ERROR", "CREATE or RENAME to an existing table", useOther},
	{1051, "42S02", "ER_BAD_TABLE_ERROR", "DROP of a table that does not exist", useExisting},
	{1052, "23000", "ER_NON_UNIQ_ERROR", "a column name is ambiguous", "Qualify the column with its table."},
	{1053, "08S01", "ER_SERVER_SHUTDOWN", "the node or the source is shutting down or drained", "Connect to another node and run the transaction again."},
	{1054, "42S22", "ER_BAD_FIELD_ERROR", "the column does not exist", useExisting},
	{1055, OfSource, "ER_WRONG_FIELD_WITH_GROUP", "at a PostgreSQL source: a column is neither grouped nor aggregated", fixStatement},
	{1059, "42000", "ER_TOO_LONG_IDENT", "the name of a procedure is too long or missing", useOther},
	{1060, "42S21", "ER_DUP_FIELDNAME", "two columns of a table have the same name", useOther},
	{1061, "42000", "ER_DUP_KEYNAME", "two indexes of a table have the same name", useOther},
	{1062, "23000", "ER_DUP_ENTRY", "a row with the same primary or unique key exists", "Use another key, or INSERT ... ON DUPLICATE KEY UPDATE."},
	{1064, "42000", "ER_PARSE_ERROR", "syntax error", fixStatement},
	{1065, "42000", "ER_EMPTY_QUERY", "a statement for a source is empty", fixStatement},
	{1068, "42000", "ER_MULTIPLE_PRI_KEY", "a table has two primary keys", fixStatement},
	{1071, "HY000", "ER_TOO_LONG_KEY", "the key of an index is longer than 3072 bytes", "Index fewer columns, or a prefix."},
	{1072, "HY000", "ER_KEY_COLUMN_DOES_NOT_EXIST", "an index names a column that does not exist", fixStatement},
	{1075, "HY000", "ER_WRONG_AUTO_KEY", "AUTO_INCREMENT on several columns, or on one without an index", fixStatement},
	{1089, "HY000", "ER_WRONG_SUB_KEY", "the prefix of an index column is longer than the column, or the column is no string", fixStatement},
	{1091, "42000", "ER_CANT_DROP_FIELD_OR_KEY", "DROP of a column or index that does not exist", useExisting},
	{1102, "42000", "ER_WRONG_DB_NAME", "the database name is not valid", useOther},
	{1104, "42000", "ER_TOO_BIG_SELECT", "the result of a source has too many rows or bytes", "Read fewer rows at a time."},
	{1105, "HY000, 72000", "ER_UNKNOWN_ERROR", "an error without a number of its own; with 72000 the read timestamp is too old", "Read the text; with 72000 start a new transaction."},
	{1109, "42S02", "ER_UNKNOWN_TABLE", "a column is qualified with a table that the statement does not name", fixStatement},
	{1110, "42000", "ER_FIELD_SPECIFIED_TWICE", "INSERT or UPDATE names a column twice", fixStatement},
	{1140, "HY000", "ER_MIX_OF_GROUP_FUNC_AND_FIELDS", "columns and aggregates are mixed without GROUP BY", fixStatement},
	{1142, "42000", "ER_TABLEACCESS_DENIED_ERROR", "the account has no privilege on the table", askForPrivilege},
	{1146, "42S02", "ER_NO_SUCH_TABLE", "the table does not exist", useExisting},
	{1153, "08S01", "ER_NET_PACKET_TOO_LARGE", "a statement is longer than max_allowed_packet", "Send it in parts."},
	{1158, "08S01", "ER_NET_READ_ERROR", "the cluster did not reply in time, before anything was prepared; the transaction is rolled back", "Run the transaction again."},
	{1170, "HY000", "ER_BLOB_KEY_WITHOUT_LENGTH", "an index of a BLOB or TEXT column has no prefix length", fixStatement},
	{1180, "08007", "ER_ERROR_DURING_COMMIT", "the outcome of the commit is unknown; the connection is closed", "Reconnect and read a row that the transaction writes before running it again."},
	{1197, "HY000", "ER_TRANS_CACHE_FULL", "the transaction writes more than one may", "Split the transaction."},
	{1203, "42000", "ER_TOO_MANY_USER_CONNECTIONS", "the account has its maximum number of connections at this node", "Use a connection pool."},
	{1205, "HY000", "ER_LOCK_WAIT_TIMEOUT", "a lock was not granted within innodb_lock_wait_timeout, or the node is busy; the statement is rolled back", "Retry the statement, or ROLLBACK."},
	{1210, "HY000", "ER_WRONG_ARGUMENTS", "wrong arguments of a function, or a wrong number of values for placeholders", fixStatement},
	{1213, "40001", "ER_LOCK_DEADLOCK", "the transaction is rolled back because it conflicts with another one; the text has the reason", "Run the transaction again on the same connection."},
	{1226, "42000", "ER_USER_LIMIT_REACHED", "the account has as many connections as its MAX_USER_CONNECTIONS", "Use a connection pool, or ALTER USER."},
	{1227, "42000", "ER_SPECIFIC_ACCESS_DENIED_ERROR", "the account lacks a global privilege", askForPrivilege},
	{1231, "42000", "ER_WRONG_VALUE_FOR_VAR", "SET of a value that the variable cannot have, or a source's session has another setting than statements need", "Use a valid value; at a source, allow the agent's account to set it."},
	{1235, "42000", "ER_NOT_SUPPORTED_YET", "the statement, or a part of it, is not supported; the text names an alternative if there is one", "Change the statement."},
	{1241, "HY000", "ER_OPERAND_COLUMNS", "a subquery or row has the wrong number of columns", fixStatement},
	{1242, "HY000", "ER_SUBQUERY_NO_1_ROW", "a scalar subquery returned several rows", "Add LIMIT 1 or a condition."},
	{1264, "22003", "ER_WARN_DATA_OUT_OF_RANGE", "a number is out of the column's range", fixData},
	{1287, Warning, "ER_WARN_DEPRECATED_SYNTAX", "a procedure was called by its former name", "Use the name that the text gives."},
	{1292, "22007", "ER_TRUNCATED_WRONG_VALUE", "a date or time is not valid, or a value cannot be converted", fixData},
	{1295, "HY000", "ER_UNSUPPORTED_PS", "the statement cannot be prepared", "Send it as text."},
	{1298, "HY000", "ER_UNKNOWN_TIME_ZONE", "the session's time zone is not known at a MySQL source", "Load the zones there (mysql_tzinfo_to_sql), or use an offset."},
	{1300, Warning, "ER_INVALID_CHARACTER_STRING", "a LIKE pattern or text is not valid in its character set; it matches nothing", fixData},
	{1301, Warning, "ER_WARN_ALLOWED_PACKET_OVERFLOWED", "the result of a function is too long; it is NULL", "Compute shorter values."},
	{1304, "42000", "ER_SP_ALREADY_EXISTS", "CREATE of an existing procedure", useOther},
	{1305, "42000", "ER_SP_DOES_NOT_EXIST", "the procedure, function or savepoint does not exist", useExisting},
	{1312, "0A000", "ER_SP_BADSELECT", "CALL of a procedure with several results by a client without CLIENT_MULTI_STATEMENTS, or as a prepared statement", "Connect with CLIENT_MULTI_STATEMENTS and send CALL as text."},
	{1317, "70100", "ER_QUERY_INTERRUPTED", "KILL QUERY, or a timeout at a source", "Decide in the application."},
	{1318, "42000", "ER_SP_WRONG_NO_OF_ARGS", "CALL with the wrong number of arguments", fixStatement},
	{1330, "42000", "ER_SP_DUP_PARAM", "two parameters of a procedure have the same name", useOther},
	{1364, "HY000", "ER_NO_DEFAULT_FOR_FIELD", "INSERT without a value for a column that has no default", fixData},
	{1365, OfSource, "ER_DIVISION_BY_ZERO", "division by zero at a PostgreSQL source", fixData},
	{1366, "HY000", "ER_TRUNCATED_WRONG_VALUE_FOR_FIELD", "a value does not have the column's type", fixData},
	{1370, "42000", "ER_PROCACCESS_DENIED_ERROR", "the account has no privilege on the procedure", askForPrivilege},
	{1391, "HY000", "ER_KEY_PART_0", "an index prefix has length 0", fixStatement},
	{1396, "HY000", "ER_CANNOT_USER", "CREATE USER of an existing account, or ALTER or DROP of one that does not exist", useExisting},
	{1397, "XAE04", "ER_XAER_NOTA", "the transaction has ended at a source, or a name is unknown there", "Run the transaction again."},
	{1399, "XAE07", "ER_XAER_RMFAIL", "a statement for a source begins or ends a transaction, or is not allowed in its state", "Begin and end transactions at the gateway."},
	{1402, "XA100", "ER_XA_RBROLLBACK", "a source has rolled back the transaction", "Run the transaction again."},
	{1406, "22001", "ER_DATA_TOO_LONG", "a text is longer than its column", fixData},
	{1412, "HY000", "ER_TABLE_DEF_CHANGED", "the schema has changed since the transaction began; it is rolled back", "Run the transaction again."},
	{1429, "HY000", "ER_CONNECT_TO_FOREIGN_DATA_SOURCE", "a source is not reachable, or its connection broke; the transaction is rolled back", "Run the transaction again when isochron status shows the source as reachable."},
	{1436, "HY000", "ER_STACK_OVERRUN_NEED_MORE", "expressions are nested too deeply", "Use IN lists, or split the statement."},
	{1437, "42000", "ER_TOO_LONG_BODY", "a procedure is longer than 16 KiB or has more than 64 statements", "Split the procedure."},
	{1440, "XAE08", "ER_XAER_DUPID", "the name of a branch, or of an object, exists at a source", useOther},
	{1451, "23000", "ER_ROW_IS_REFERENCED_2", "the row is referenced by a foreign key", "Delete the referencing rows first."},
	{1452, "23000", "ER_NO_REFERENCED_ROW_2", "a foreign key references a row that does not exist", "Insert the referenced row first."},
	{1461, "42000", "ER_MAX_PREPARED_STMT_COUNT_REACHED", "too many prepared statements of the connection, account or node", "Close statements that are no longer needed."},
	{1524, "HY000", "ER_PLUGIN_IS_NOT_LOADED", "an account names an unknown authentication plugin", "Use mysql_native_password or caching_sha2_password."},
	{1526, "HY000", "ER_NO_PARTITION_FOR_GIVEN_VALUE", "a partition does not exist", fixStatement},
	{1553, "HY000", "ER_DROP_INDEX_FK", "DROP of an index that a foreign key needs", "Drop the foreign key first."},
	{1568, "25001", "ER_CANT_CHANGE_TX_CHARACTERISTICS", "SET TRANSACTION in an open transaction", "COMMIT or ROLLBACK first."},
	{1582, "42000", "ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT", "wrong number of arguments of a function", fixStatement},
	{1792, "25006", "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION", "a write in a read-only transaction", "Use a read-write transaction."},
	{1822, "HY000", "ER_FK_NO_INDEX_PARENT", "the columns that a foreign key references have no index", "Create the index first."},
	{1824, "HY000", "ER_FK_CANNOT_OPEN_PARENT", "the table that a foreign key references does not exist", useExisting},
	{1826, "HY000", "ER_FK_DUP_NAME", "two foreign keys have the same name", useOther},
	{1827, "HY000", "ER_PASSWORD_FORMAT", "a password hash does not have the format of its plugin", "Use a valid hash, or IDENTIFIED BY."},
	{1828, "HY000", "ER_FK_COLUMN_CANNOT_DROP", "DROP or RENAME of a column that a foreign key needs", "Drop the foreign key first."},
	{1830, "HY000", "ER_FK_COLUMN_NOT_NULL", "ON DELETE SET NULL for a NOT NULL column", fixStatement},
	{1859, OfSource, "ER_DUP_UNKNOWN_IN_INDEX", "a PostgreSQL source refuses a row by a constraint without a number of its own", fixData},
	{3024, "HY000", "ER_QUERY_TIMEOUT", "the statement took longer than isochron_statement_timeout or max_execution_time", "Decide in the application; raise the limit."},
	{3108, "HY000", "ER_DEPENDENT_BY_GENERATED_COLUMN", "DROP or RENAME of a column from which another one is computed", "Drop the generated column first."},
	{3118, "HY000", "ER_ACCOUNT_HAS_BEEN_LOCKED", "login with a locked account", "Have an administrator unlock it (ALTER USER ... ACCOUNT UNLOCK)."},
	{3140, "HY000", "ER_INVALID_JSON_TEXT", "a value for a source is not valid JSON", fixData},
	{3141, "HY000", "ER_INVALID_JSON_TEXT_IN_PARAM", "an argument of a JSON function is not valid JSON", fixData},
	{3157, "22032", "ER_JSON_DOCUMENT_TOO_DEEP", "a JSON document is nested too deeply", fixData},
	{3159, "HY000", "ER_SECURE_TRANSPORT_REQUIRED", "login without TLS where it is required", "Connect with TLS and the cluster's sql-ca.crt."},
	{3162, Warning, "ER_USER_DOES_NOT_EXIST", "REVOKE ... IGNORE UNKNOWN USER or ALTER USER IF EXISTS of an account that does not exist", useExisting},
	{3170, "HY000", "ER_CAPACITY_EXCEEDED", "a statement, a result or a connection needs more memory than its limit, which the text names", "Read or write less at a time, or raise the limit."},
	{3572, "HY000", "ER_LOCK_NOWAIT", "NOWAIT met a lock; the statement is rolled back", "Decide in the application."},
	{3586, "HY000", "ER_WINDOW_FRAME_ILLEGAL", "a window frame has a negative, NULL or non-integer bound", fixStatement},
	{3587, "HY000", "ER_WINDOW_RANGE_FRAME_ORDER_TYPE", "a RANGE frame without exactly one numeric or temporal ORDER BY", fixStatement},
	{3699, "HY000", "ER_REGEXP_TIME_OUT", "a regular expression would take too long", "Match a shorter text or pattern."},
	{3780, "HY000", "ER_FK_INCOMPATIBLE_COLUMNS", "a foreign key references a column of another type", fixStatement},
	{3819, "HY000", "ER_CHECK_CONSTRAINT_VIOLATED", "a row violates a CHECK constraint", fixData},
	{3837, "HY000", "ER_DEPENDENT_BY_FUNCTIONAL_INDEX", "DROP or RENAME of a column that a functional index needs", "Drop the index first."},
	{3959, "HY000", "ER_DEPENDENT_BY_CHECK_CONSTRAINT", "DROP or RENAME of a column that a CHECK constraint needs", "Drop the constraint first."},
	{4025, OfSource, "ER_CONSTRAINT_FAILED (MariaDB)", "a row violates a CHECK constraint at a PostgreSQL or MariaDB source", fixData},
	{4031, "HY000", "ER_CLIENT_INTERACTION_TIMEOUT", "the connection was idle for longer than wait_timeout and is closed", "Reconnect."},
}
