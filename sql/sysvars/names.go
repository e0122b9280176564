package sysvars

// The names of variables.
const (
	RetryMax               = "isochron_retry_max"
	RetryTimeout           = "isochron_retry_timeout"
	Priority               = "isochron_priority"
	SourceTimeout          = "isochron_source_timeout"
	CommitTimeout          = "isochron_commit_timeout"
	StatementTimeout       = "isochron_statement_timeout"
	IdleTransactionTimeout = "isochron_idle_transaction_timeout"
	StatementMemory        = "isochron_statement_memory"
	StatementFiles         = "isochron_statement_files"
	ConnectionMemory       = "isochron_connection_memory"
	NodeMemory             = "isochron_node_memory"
	NodeFiles              = "isochron_node_files"
	StatementDepth         = "isochron_statement_depth"
	StatementTokens        = "isochron_statement_tokens"
	SetOperationsMax       = "isochron_set_operations_max"
	ListMax                = "isochron_list_max"
	JoinTablesMax          = "isochron_join_tables_max"
	ProceduresMax          = "isochron_procedures_max"

	// MySQL's.
	AutoCommit         = "autocommit"
	Isolation          = "transaction_isolation"
	IsolationOld       = "tx_isolation" // its name before MySQL 8
	ReadOnly           = "transaction_read_only"
	ReadOnlyOld        = "tx_read_only"
	LockWait           = "innodb_lock_wait_timeout"
	DefinitionLockWait = "lock_wait_timeout"
	WaitTimeout        = "wait_timeout"
	InteractiveTimeout = "interactive_timeout"
	NetWriteTimeout    = "net_write_timeout"
	MaxExecutionTime   = "max_execution_time"
	MaxAllowedPacket   = "max_allowed_packet"
	UserConnections    = "max_user_connections"
	LongQueryTime      = "long_query_time"
	TimeZone           = "time_zone"
	ForeignKeyChecks   = "foreign_key_checks"
	SecureFilePriv     = "secure_file_priv"
	VersionComment     = "version_comment"
)

// The values of Isolation.
const (
	ReadUncommitted = "READ-UNCOMMITTED"
	ReadCommitted   = "READ-COMMITTED"
	RepeatableRead  = "REPEATABLE-READ"
	Serializable    = "SERIALIZABLE"
)

// NextMark begins the values of Isolation that are for the next transaction only: the engine does not
// distinguish SET TRANSACTION from SET SESSION TRANSACTION, so package sql's parser marks the first.
// NextReadOnly and NextReadWrite are such values without the mark.
const (
	NextMark      = "NEXT "
	NextReadOnly  = "READ-ONLY"
	NextReadWrite = "READ-WRITE"
)

// Defaults.
const (
	RetryMaxDefault         = 100
	RetryTimeoutDefault     = 30 // s
	LockWaitDefault         = 5  // s; means the cluster's bound, txn.Params.LockWait
	CommitTimeoutDefault    = 20 // s; means the cluster's bound, txn.Params.CommitWait, which is longer where round trips exceed 1/3 s
	WaitTimeoutDefault      = 28800
	NetWriteTimeoutDefault  = 60
	IdleTransactionDefault  = 600
	StatementDepthDefault   = 2000
	StatementTokensDefault  = 2_000_000
	StatementFilesDefault   = 1 << 30 // bytes
	NodeFilesDefault        = 8 << 30 // bytes
	SetOperationsMaxDefault = 150
	ListMaxDefault          = 250_000
	JoinTablesMaxDefault    = 61  // MySQL's bound
	ProceduresMaxDefault    = 256 // every gateway holds all procedures

	// StatementDepthMost is the largest depth that can be set; tests reach it within the stack.
	StatementDepthMost = 10_000
	// StatementBytes is the length of the longest statement.
	StatementBytes = 64 << 20
	// NoDirectory is the directory from which LOAD DATA INFILE may read: no such directory can
	// exist.
	NoDirectory = "/dev/null/none"
)
