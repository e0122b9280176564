package sysvars

import (
	"time"

	"isochron/txn"
)

// Variable is a system variable. Its type is an integer if Max is not 0, an enumeration if it has
// Values, otherwise a text.
type Variable struct {
	Name     string
	OfEngine bool // the engine defines it: only Name, Unit and Meaning are set
	Global   bool // set for the node only, not for a session
	Fixed    bool // cannot be set
	Min, Max int64
	Values   []string
	Default  any // int64 or string
	Unit     string
	Meaning  string
}

const (
	year    = 31_536_000 // s
	hour    = 3600       // s
	bytes   = "bytes"
	seconds = "s"
	millis  = "ms"
)

// isolationValues are the values that clients write, and those of the parser.
var isolationValues = []string{
	ReadUncommitted, ReadCommitted, RepeatableRead, Serializable,
	NextMark + ReadUncommitted, NextMark + ReadCommitted, NextMark + RepeatableRead, NextMark + Serializable,
	NextMark + NextReadOnly, NextMark + NextReadWrite,
}

// All has the variables by name.
var All = []Variable{
	{Name: AutoCommit, OfEngine: true, Meaning: "on: a statement outside a transaction is a transaction of its own"},
	{Name: ForeignKeyChecks, OfEngine: true, Meaning: "off: foreign keys are not checked, and may refer to tables that do not exist"},
	{Name: LockWait, Min: 1, Max: 1 << 30, Default: int64(LockWaitDefault), Unit: seconds, Meaning: "longest wait of a statement for a lock of a row or of a table's definition; then error 1205"},
	{Name: InteractiveTimeout, Min: 1, Max: year, Default: int64(WaitTimeoutDefault), Unit: seconds, Meaning: "first value of wait_timeout for interactive clients"},
	{Name: CommitTimeout, Min: 1, Max: hour, Default: int64(CommitTimeoutDefault), Unit: seconds, Meaning: "longest wait of COMMIT for its outcome; then error 1180. The default is longer where round trips exceed a third of a second"},
	{Name: ConnectionMemory, Max: 1 << 50, Default: int64(0), Unit: bytes, Meaning: "memory of a connection's variables and long values; 0: a quarter of the memory for all statements of the node"},
	{Name: IdleTransactionTimeout, Max: year, Default: int64(IdleTransactionDefault), Unit: seconds, Meaning: "time without a statement after which an open transaction is rolled back; 0: never"},
	{Name: JoinTablesMax, Min: 2, Max: JoinTablesMaxDefault, Default: int64(JoinTablesMaxDefault), Unit: "tables", Meaning: "tables of one join"},
	{Name: ListMax, Min: 1, Max: 10_000_000, Default: int64(ListMaxDefault), Unit: "values", Meaning: "values of one list, such as that after IN"},
	{Name: NodeFiles, Global: true, Max: 1 << 50, Default: int64(NodeFilesDefault), Unit: bytes, Meaning: "temporary files of all statements of the node; then error 1041"},
	{Name: NodeMemory, Global: true, Max: 1 << 50, Default: int64(0), Unit: bytes, Meaning: "memory of all statements of the node; 0: a quarter of the node's memory"},
	{Name: Priority, Values: []string{txn.PriorityLow.String(), txn.PriorityHigh.String()}, Default: txn.PriorityLow.String(), Meaning: "priority of the session's transactions; high needs the privilege RESOURCE_GROUP_USER"},
	{Name: ProceduresMax, Global: true, Max: 65_536, Default: int64(ProceduresMaxDefault), Unit: "procedures", Meaning: "stored procedures of a database"},
	{Name: RetryMax, Max: 10_000, Default: int64(RetryMaxDefault), Unit: "retries", Meaning: "retries by the gateway of a statement or transaction that conflicted and of which the client has received no result; 0: none"},
	{Name: RetryTimeout, Max: hour, Default: int64(RetryTimeoutDefault), Unit: seconds, Meaning: "time after the first try at which the last retry by the gateway may start"},
	{Name: SetOperationsMax, Min: 1, Max: 5000, Default: int64(SetOperationsMaxDefault), Unit: "operations", Meaning: "UNION, INTERSECT and EXCEPT of one statement"},
	{Name: SourceTimeout, Min: 1, Max: hour, Default: int64(txn.SourceSilence / time.Second), Unit: seconds, Meaning: "time without any reply of an external database after which a statement there fails"},
	{Name: StatementDepth, Min: 100, Max: StatementDepthMost, Default: int64(StatementDepthDefault), Unit: "levels", Meaning: "nesting of a statement's expressions and length of its operator chains; then error 1436"},
	{Name: StatementFiles, Max: 1 << 50, Default: int64(StatementFilesDefault), Unit: bytes, Meaning: "temporary files of a statement whose rows exceed its memory; then error 3170. 0: none"},
	{Name: StatementMemory, Max: 1 << 50, Default: int64(0), Unit: bytes, Meaning: "memory of a statement; 0: a quarter of the memory for all statements of the node"},
	{Name: StatementTimeout, Max: 1<<31 - 1, Default: int64(0), Unit: millis, Meaning: "longest time of a statement; then error 3024. 0: no limit"},
	{Name: StatementTokens, Min: 1000, Max: 20_000_000, Default: int64(StatementTokensDefault), Unit: "tokens", Meaning: "length of a statement; then error 3170"},
	{Name: DefinitionLockWait, OfEngine: true, Unit: seconds, Meaning: "SET also sets innodb_lock_wait_timeout of the session; SET GLOBAL is refused"},
	{Name: LongQueryTime, OfEngine: true, Unit: seconds, Meaning: "statements that take longer than the global value are counted in the status variable Slow_queries"},
	{Name: MaxAllowedPacket, Global: true, Fixed: true, Min: 1024, Max: StatementBytes, Default: int64(StatementBytes), Unit: bytes, Meaning: "length of a statement; then error 1153"},
	{Name: MaxExecutionTime, OfEngine: true, Unit: millis, Meaning: "longest time of a SELECT; then error 3024. 0: no limit"},
	{Name: UserConnections, OfEngine: true, Unit: "connections", Meaning: "connections of one account to the node; 0: 80 % of the node's"},
	{Name: NetWriteTimeout, Min: 1, Max: year, Default: int64(NetWriteTimeoutDefault), Unit: seconds, Meaning: "time that a client may take to receive a part of a result in an open transaction; then the connection is closed"},
	{Name: SecureFilePriv, Global: true, Fixed: true, Default: NoDirectory, Meaning: "no client reads or writes files of the node, whatever its privileges"},
	{Name: TimeZone, OfEngine: true, Meaning: "time zone of the session, at external databases too; SYSTEM: the node's"},
	{Name: Isolation, Values: isolationValues, Default: Serializable, Meaning: "isolation level of the session's transactions; READ-UNCOMMITTED is READ-COMMITTED"},
	{Name: ReadOnly, OfEngine: true, Meaning: "on: the session's transactions cannot write (error 1792)"},
	{Name: IsolationOld, Values: isolationValues, Default: Serializable, Meaning: "the former name of transaction_isolation"},
	{Name: ReadOnlyOld, OfEngine: true, Meaning: "the former name of transaction_read_only"},
	{Name: VersionComment, Global: true, Fixed: true, Default: "Isochron", Meaning: "the name of this server"},
	{Name: WaitTimeout, Min: 1, Max: year, Default: int64(WaitTimeoutDefault), Unit: seconds, Meaning: "time without a statement after which a connection is closed (error 4031) and its transaction is rolled back"},
}
