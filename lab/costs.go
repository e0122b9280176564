package lab

import "time"

// Costs of the machines of an experiment, unless an Experiment specifies others.
const (
	// MessageCPU is the cost of one message at its receiver: decoding, the work of the node
	// (storage in memory), encoding the messages it sends. BenchmarkMessage of package sim measures
	// it, on retwis with 150 clients and one processor of 2.5 GHz, as the mean over all messages:
	// 21.5 us on 2pc+occ (a Prepare 35, an Access 25, a Raft message 19, a Vote 17), 19.6 on
	// d2pc+occ. Sockets, encryption and a disk's engine are not included.
	MessageCPU = 20 * time.Microsecond
	// Fsync is an assumption: one write made durable on the network-attached solid state disk of a
	// cloud.
	Fsync = time.Millisecond
	// DiskSync is one write made durable on the machine on which the costs of statements were
	// measured (2026-11-21 and 22): 0.24 ms of a commit's time in the server, 0.12 to 0.3 by
	// MeasureSync, depending on other load. The figures of hot rows use it.
	DiskSync = 250 * time.Microsecond
	// Cores of a node: those of the machines of the D2PC paper's section 5.1.
	Cores = 4
)

// Costs of statements, for experiments that separate them from messages, as the figures of hot rows
// do. The first two are of the node's loop (Experiment.Loop), measured by BenchmarkRequest of
// package sim; the next two are an SQL server's costs on top of them, by
// docs/laboratory/performance.md (64 connections: 77 us a point select, 213 us an update); the last
// two were measured by benchmarks of package yield. All of them on one processor of 2.5 GHz, on
// 2026-11-21.
const (
	RequestCPU   = 7 * time.Microsecond   // a read of a row under a lock
	CommitCPU    = 40 * time.Microsecond  // a commit with writes: logged, applied, its locks released
	StatementCPU = 65 * time.Microsecond  // parsing a statement, and the sockets
	StoreCPU     = 100 * time.Microsecond // the disk's engine and the log on it
	LockCPU      = 200 * time.Nanosecond
	StepCPU      = 150 * time.Nanosecond
)

// StatementCosts describes the origin of these costs in one line.
const StatementCosts = "Measured on one processor of 2.5 GHz (Xeon), 2026-11-21: requests and commits by BenchmarkRequest of sim, statements and storing from a server " +
	"of SQL under 64 connections (docs/laboratory/performance.md), locks and steps by benchmarks of yield."

// costSource describes the origin of an experiment's costs.
func (s Experiment) costSource() string {
	disk := costFrom(s.Fsync, Fsync, "assumed: a cloud's disk")
	if s.Fsync == DiskSync {
		disk = "measured: isochron lab fsync"
	}
	return "cpu " + costFrom(s.CPU, MessageCPU, "measured: BenchmarkMessage") + "; fsync " + disk
}

// costFrom describes the origin of a cost that is the usual one, or its half or double, as in
// figures.
func costFrom(cost, usual time.Duration, from string) string {
	switch cost {
	case usual:
		return from
	case usual / 2:
		return "half of the one " + from
	case 2 * usual:
		return "twice the one " + from
	}
	return "as requested"
}

// Costs of an external database, in the figures of GeoTP: measured on PostgreSQL 15 and MariaDB
// 10.11 with their agent on the same machine (BenchmarkCosts of server/sourcedb, one client, one
// processor of 2.5 GHz with other load, 2026-11-23), the fastest tenth and the median:
//
//	                                             PostgreSQL        MariaDB
//	a statement that reads nothing: a round trip    50,  85 us     20,  24 us
//	on top of it, reading a row of 1 KB by key      28,  41 us     13,  16 us
//	on top of it, writing all of it                 60,  74 us     55,  69 us
//	a prepare                                      300, 790 us    190, 270 us
//	a commit of a prepared transaction             290, 880 us    160, 200 us
//	a commit in one phase                          290, 800 us    170, 250 us
//
// SourceWork is about the mean of reading and writing. The last three are mainly a sync of this
// machine's disk (DiskSync); models of databases have the disk of their experiment
// (Experiment.SourceSync), which the figures vary from Fsync to a tenth of it. Beside round trips
// of 27 to 251 ms none of these matters much, which the figures show with it halved and doubled.
const (
	SourceWork = 50 * time.Microsecond
	AgentRTT   = 50 * time.Microsecond
)
