package protocol

import (
	"fmt"
	"slices"
	"strings"

	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/yield"
)

// leftOut are the omissions common to all protocols without a log.
const leftOut = "members are fixed; FOR UPDATE locks nothing and is checked at the commit; no snapshot reads; a read waits at its replica for undecided writers"

// Texts shared by several protocols.
const (
	probed      = "deadlocks over several shards are found by probes, confirmed by a second pass, and ended by aborting the youngest transaction"
	readersWait = "transactions that only read wait until the rows are committed; written rows are published at the end of each statement and at the vote"
	onHotRow    = "on a hot row of one shard: execution"
)

// literals are the protocols as written: the base of each, and what differs.
var literals = []Spec{
	{
		Name: "2pc+2pl", Admission: yield.AdmitByAbortRate, Arrive: schedule.AtOnce, Reads: ReadNearest, RetryReads: RetryReadsAtLeader, ReadOnly: ByLease, Yield: yield.WoundWait,
		Validates: Leaders, Replicates: ByLog, Decide: decide.LeaderVotes, Prepares: decide.Parallel, Reveal: reveal.OnDecision,
		Isolation: StrictSerializability, RunsOn: InClusters,
		CommitRTT: "2 (own region's quorum when one shard)", SpanRTT: "2", Source: "D2PC (PVLDB 17(10), 2024) section 5.1",
	},
	{
		Name: "2pc+2pl-home", Base: "2pc+2pl", Reads: ReadHome,
		SpanRTT: "2; execution + 2 in the client's region", Source: "2pc+2pl; addition: locks from the first read where the leader is in the client's region",
	},
	{
		Name: "2pc+2pl-nro", Base: "2pc+2pl", Reads: ReadLeader,
		SpanRTT: "execution + 2", Source: "D2PC section 5.1, without read optimization",
	},
	{
		Name: "2pc+2pl-together", Base: "2pc+2pl-nro", Arrive: schedule.AlignReplies, RunsOn: SimulationOnly,
		SpanRTT: "the farthest participant's round trip + 2", Source: "GeoTP section 4.2, over shards; without its estimates of execution",
	},
	{
		Name: "2pc+2pl-logged", Base: "2pc+2pl", Decide: decide.LoggedDecision, RunsOn: SimulationOnly,
		CommitRTT: "2 + 1 to log the decision", SpanRTT: "3", Source: "textbook two-phase commit with presumed abort; GeoTP section 5",
	},
	{
		Name: "2pc+2pl-postponed", Base: "2pc+2pl-logged", Admission: yield.AdmitByForecast, Arrive: schedule.Postponed, Reads: ReadLeader,
		SpanRTT: "the slowest participant's round trip with its waits + 3",
		Source:  "GeoTP section 4.3, over shards; without decentralized prepare",
	},
	{
		Name: "2pc+2pl-at-leader", Base: "2pc+2pl", Decide: decide.AtLeader, RunsOn: SimulationOnly,
		CommitRTT: "2.5", SpanRTT: "2", Source: "D2PC section 2.2, figure 1; the leaders of the participants coordinate in turn, as in its prototype",
	},
	{Name: "2pc+2pl-nro-at-leader", Base: "2pc+2pl-at-leader", Reads: ReadLeader, SpanRTT: "execution + 2", Source: "2pc+2pl-nro; 2pc+2pl-at-leader"},
	{Name: "2pc+occ-at-leader", Base: "2pc+2pl-at-leader", RetryReads: RetryReadsUnchanged, Yield: yield.Validate, Source: "2pc+occ; 2pc+2pl-at-leader"},
	{
		Name: "2pc+2pl-through-leader", Base: "2pc+2pl-at-leader", Decide: decide.ThroughLeader, CommitRTT: "3", SpanRTT: "2 (3 at that leader)",
		Source: "the public prototype of D2PC, in the mode in which a participant coordinates",
	},
	{Name: "2pc+2pl-nro-through-leader", Base: "2pc+2pl-through-leader", Reads: ReadLeader, SpanRTT: "execution + 2", Source: "2pc+2pl-nro; 2pc+2pl-through-leader"},
	{
		Name: "2pc+occ-through-leader", Base: "2pc+2pl-through-leader", RetryReads: RetryReadsUnchanged, Yield: yield.Validate,
		Source: "2pc+occ; 2pc+2pl-through-leader",
	},
	{Name: "2pc+occ", Base: "2pc+2pl", RetryReads: RetryReadsUnchanged, Yield: yield.Validate, Source: "D2PC section 5.1"},
	{
		Name: "2pc+2pl-group", Base: "2pc+2pl-home", Yield: yield.WoundWaitGroup, Reveal: reveal.OnAppend,
		SpanRTT: "2; " + onHotRow, Source: "2pc+2pl-home; TXSQL section 4, over wound-wait",
	},

	// D2PC: followers acknowledge past the leader, and a pre-commit reveals.
	{
		Name: "d2pc+2pl", Base: "2pc+2pl", Decide: decide.CoCoordinators, Reveal: reveal.OnPreCommit,
		CommitRTT: "1 with three replicas, else 1.5", SpanRTT: "0.5", Source: "D2PC section 4",
	},
	{
		Name: "d2pc+2pl-home", Base: "d2pc+2pl", Reads: ReadHome,
		SpanRTT: "0.5; execution + 1 in the client's region", Source: "D2PC section 4",
	},
	{
		Name: "d2pc+2pl-group", Base: "d2pc+2pl-home", Yield: yield.WoundWaitGroup, Reveal: reveal.OnAppendOrPreCommit,
		SpanRTT: "0.5; execution + 0.5 in the client's region; " + onHotRow, Source: "d2pc+2pl-home; TXSQL section 4, over wound-wait",
		Notes: "a transaction that follows one of several shards in a chain on a hot row votes when that one has pre-committed, and depends on it",
	},
	{
		Name: "d2pc+2pl-nro", Base: "d2pc+2pl", Reads: ReadLeader,
		SpanRTT: "execution + 0.5", Source: "D2PC section 4",
	},
	{Name: "d2pc+occ", Base: "d2pc+2pl", RetryReads: RetryReadsUnchanged, Yield: yield.Validate, Source: "D2PC section 4"},

	// Spanner, and its four round trips one reduction after the other.
	{
		Name: "spanner", Base: "2pc+2pl-logged", Reads: ReadLeader, Yield: yield.WaitDie, Reveal: reveal.OnLog,
		CommitRTT: "3", SpanRTT: "execution + 4", Source: "Spanner (OSDI'12) as described in Bonspiel section 6.1",
	},
	{Name: "spanner-no-wait", Base: "spanner", Yield: yield.NoWait, Source: "the public prototype of Bonspiel, in which Spanner's locks do not wait"},

	// R4: every node that waits for a decision counts the acknowledgements that force it.
	{
		Name: "r4", Base: "2pc+occ", Reads: ReadLeader, Decide: decide.Participants, RunsOn: SimulationOnly,
		CommitRTT: "1 with three replicas, one of them beside the client, else 1.5", SpanRTT: "1 or 1.5",
		Source: "R4, Occam's Razor for Distributed Protocols (SoCC'24), reductions 1, 3 and 4; the base of Bonspiel",
		Notes:  "followers receive the writes with the leader's entry (reduction 2 saves bandwidth but no time)",
	},
	{
		Name: "r4+gams", Base: "r4", Reads: ReadByTemperature,
		Source: "Bonspiel (PVLDB 18(11), 2025) section 3.2 and figure 13, without its concurrency control",
		Notes:  "temperatures are kept per record, not per page; replies report them where the client's region has no replica",
	},
	{
		Name: "r4-logged", Base: "r4", Decide: decide.LoggedDecision, CommitRTT: "2 + 1 to log the decision", SpanRTT: "3",
		Source: "r4 without reductions 1 and 3",
	},
	{Name: "r4-held", Base: "r4", Reveal: reveal.OnLog, SpanRTT: "2 or 2.5", Source: "r4 without reduction 4"},
	{Name: "r4+no-wait", Base: "r4", Yield: yield.NoWait, SpanRTT: "execution + 1", Source: "Bonspiel section 6.1, baseline"},
	{Name: "r4+wait-die", Base: "r4+no-wait", Yield: yield.WaitDie, Source: "Bonspiel section 6.1, baseline"},
	{Name: "r4+wound-wait", Base: "r4+no-wait", Yield: yield.WoundWait, Source: "Bonspiel section 6.1, baseline"},

	{
		Name: "r4+sundial", Base: "r4+no-wait", ReadOnly: AsOthers, Yield: yield.Lease, Isolation: Serializability,
		SpanRTT: "execution + 1 for writers, 0 for readers", Source: "Sundial (PVLDB 11(10), 2018) without its caches, as the baseline in Bonspiel section 6.1",
		Notes: "no snapshot reads; a read waits for a voted writer of its row; read-only transactions are logged too, because a lease is durable by the votes that renewed it",
	},

	{
		Name: "r4+polaris", Base: "r4", Yield: yield.ReservePatiently, Source: "Polaris, as described in Bonspiel section 3.1",
		Notes: "reservations of equal priority may coexist, as in r4+gdcc",
	},
	{
		Name: "r4+gdcc", Base: "r4", Yield: yield.Reserve, Reveal: reveal.OnValidation,
		SpanRTT: "execution + 1 or 1.5; of a single-region writer, 0 for readers", Source: "Bonspiel section 3.1",
		Notes: "rows written without a read are not reserved",
	},
	{
		Name: "bonspiel", Base: "r4+gdcc", Reads: ReadByTemperature, RunsOn: InClusters, Source: "Bonspiel (PVLDB 18(11), 2025) section 3",
		Notes: "rows written without a read are not reserved; temperatures are kept per record, not per page",
	},
	{
		Name: "bonspiel+wait-die", Base: "bonspiel", Yield: yield.ReserveByAge, Source: "a variant of Bonspiel section 3.1.3",
		Notes: "conflicting multi-region votes wait by age alone",
	},
	{
		Name: "bonspiel+no-wait", Base: "bonspiel", Yield: yield.ReserveGivingWay, RunsOn: SimulationOnly, Source: "a variant after the public prototype of Bonspiel",
		Notes: "no vote waits",
	},

	// Replication and concurrency control in one: every replica validates, no log orders.
	{
		Name: "carousel-fast", Base: "2pc+occ", Reads: ReadAnyReplica, ReadOnly: AsOthers, Yield: yield.EachValidates,
		Validates: EveryReplica, Replicates: Unordered, Decide: decide.FastWithLeader, RunsOn: SimulationOnly,
		CommitRTT: "1, else 2", SpanRTT: "1", Source: "Carousel (SIGMOD'18), D2PC section 5",
		Notes: leftOut + "; views in place of Raft terms, and no ordered log",
	},
	{
		Name: "tapir", Base: "carousel-fast", Yield: yield.EachByTimestamp, Decide: decide.FastQuorum, Isolation: Serializability,
		Source: "TAPIR (SOSP'15), D2PC section 5",
		Notes:  leftOut + "; a node that ends another coordinator's attempt first changes the views of its shards",
	},
	{
		Name: "starry", Base: "carousel-fast", Decide: decide.FastUnanimous,
		CommitRTT: "1, else 2.5", SpanRTT: "1, else 2.5", Source: "STARRY (VLDB'22) as described in D2PC section 5",
		Notes: leftOut + "; an interpretation, made without the paper itself",
	},
	{
		Name: "gpac", Base: "carousel-fast", Reads: ReadLeading, Decide: decide.GPAC,
		CommitRTT: "2, to a majority", SpanRTT: "2, to a majority", Source: "G-PAC (PVLDB 12(5), 2019) section 4; reads at leaders, as in Bonspiel section 4.1",
		Notes: leftOut + "; validation as in the public prototype of Bonspiel, whose table 7 has locks and wait-die",
	},

	// TXSQL and its baselines: the handling of hot rows.
	{
		Name: "mysql", Base: "2pc+2pl-nro", Yield: yield.DetectEager,
		Source: "TXSQL section 6.1.2, baseline", Notes: probed,
	},
	{Name: "o1", Base: "mysql", Yield: yield.Detect, Source: "TXSQL section 3.1"},
	{Name: "o2", Base: "mysql", Yield: yield.DetectQueue, Source: "TXSQL section 3.2"},
	{
		Name: "txsql", Base: "o2", Yield: yield.DetectGroup, Reveal: reveal.OnAppend,
		SpanRTT: onHotRow, Source: "TXSQL sections 3.3 and 4; addition: rows that are not hot are revealed at the append too",
	},
	{
		Name: "txsql-hot", Base: "txsql", Reveal: reveal.OnHotAppend, RunsOn: SimulationOnly, // no cluster needs it: txsql is never worse
		Source: "TXSQL sections 3.3 and 4, without additions",
	},
	{
		Name: "bamboo", Base: "2pc+2pl-nro", Yield: yield.WoundWaitRetire,
		SpanRTT: "execution", Source: "Bamboo (SIGMOD'21) as described in TXSQL section 3.3", Notes: readersWait,
	},
	{
		Name: "aria", Base: "2pc+occ-nro", Yield: yield.ValidateInBatches, Reveal: reveal.OnAppend,
		SpanRTT: "one batch", Source: "Aria (VLDB'20) as described in TXSQL section 6.1.2; an interpretation",
	},
	{Name: "2pc+occ-nro", Base: "2pc+occ", Reads: ReadLeader, Source: "2pc+occ with leader reads"},

	// Natto, its foundation and its baselines: 2FI transactions.
	{
		Name: "carousel-basic", Base: "2pc+occ-nro", Decide: decide.Carousel, Reveal: reveal.OnLog, RunsOn: SimulationOnly,
		CommitRTT: "2, with the reads of a 2FI transaction", SpanRTT: "3", Source: "Carousel Basic (SIGMOD'18) as described in Natto section 2.1",
		Notes: "transactions that are not 2FI read and commit as under 2pc+occ-nro; read-only ones end by a round of checks",
	},

	{
		Name: "natto-ts", Base: "carousel-basic", Arrive: schedule.AtArrivalTime, Yield: yield.InArrivalOrder, Source: "Natto (SIGMOD'22) section 3.2",
	},
	{
		Name: "natto-lecsf", Base: "natto-ts", Reveal: reveal.OnDecision, SpanRTT: "2", Source: "Natto section 3.4, local forwarding",
	},
	{Name: "natto-pa", Base: "natto-lecsf", Yield: yield.InArrivalOrderPreempting, Source: "Natto section 3.3.1"},
	{
		Name: "natto-cp", Base: "natto-pa", Yield: yield.InArrivalOrderConditional, Source: "Natto section 3.3.2",
		Notes: "a transaction whose condition fails is aborted and retried; in the paper it continues with new reads",
	},
	{
		Name: "natto-recsf", Base: "natto-cp", Reads: ReadForwarded, RunsOn: InClusters, Source: "Natto section 3.4, remote forwarding",
		Notes: "a read is forwarded if it waits for a single transaction, which has voted",
	},
	{
		Name: "natto-2pl", Base: "spanner", Yield: yield.WoundWaitAlike, Source: "Natto sections 4 and 5.1, baseline 2PL+2PC",
		Notes: "a retry keeps the age of its transaction; the public prototype of Natto gives it a new one",
	},
	{Name: "natto-2pl-p", Base: "natto-2pl", Yield: yield.WoundWaitPreempting, Source: "Natto section 4, baseline 2PL+2PC(P)"},
	{
		Name: "natto-2pl-pow", Base: "natto-2pl", Yield: yield.WoundWaitOnWait, Source: "Natto section 4, baseline 2PL+2PC(POW)",
		Notes: "whether a holder waits is checked when the high-priority request arrives, and at that shard only",
	},

	// GeoTP and its baselines: participants are external databases.
	{
		Name: "ssp", Base: "2pc+2pl-logged", Reads: ReadLeader, Yield: yield.OfItsSource, Prepares: decide.Sequential, RunsOn: InClusters,
		CommitRTT: "1 per prepare + 1 per commit + 1 to log the decision", SpanRTT: "execution and the commit",
		Source: "ShardingSphere, baseline in GeoTP section 6.1",
		Notes:  "XA END is sent with XA PREPARE, and XA START with the first statement; ShardingSphere sends each by itself",
	},
	{
		Name: "ssp-parallel", Base: "ssp", Prepares: decide.Parallel, CommitRTT: "2 + 1 to log the decision", SpanRTT: "execution + 3",
		Source: "ssp; addition: prepares and commits in parallel",
	},
	{
		Name: "ssp-local", Base: "ssp-parallel", Prepares: decide.NoPrepare, Isolation: NoAtomicity, RunsOn: SimulationOnly, CommitRTT: "1", SpanRTT: "execution + 1",
		Source: "ShardingSphere's local transactions, baseline in GeoTP section 6.1",
		Notes:  "for measurements only: of a transaction over several sources one may commit and another abort",
	},
	{
		Name: "quro", Base: "ssp-parallel", Arrive: schedule.WritesLast, Source: "QURO (PVLDB 9(5), 2016), baseline in GeoTP section 6.1, over the same sources",
		Notes: "reorders the statements that a client sends in one message; QURO reorders those of a program",
	},
	{
		Name: "geotp-o1", Base: "ssp-parallel", Prepares: decide.Decentralized, CommitRTT: "1 + 1 to log the decision", SpanRTT: "execution + 2",
		Source: "GeoTP section 4.1",
	},
	{
		Name: "geotp-o1o2", Base: "geotp-o1", Arrive: schedule.AlignReplies, SpanRTT: "its own round trip, execution and the log write",
		Source: "GeoTP sections 4.1 and 4.2; without its estimates of execution",
	},
	{
		Name: "chiller", Base: "geotp-o1", Arrive: schedule.InnerLast, SpanRTT: "execution + 2; in the gateway's region its own round trip, execution and the log write",
		Source: "Chiller (SIGMOD'20), baseline in GeoTP section 6.1: prepares with the last statement, in the own region after the others",
		Notes:  "the own region prepares as the others do; Chiller's inner region commits by itself and decides",
	},
	{
		Name: "scalardb", Base: "ssp-parallel", Yield: yield.OverItsSource, Prepares: decide.PrepareThenValidate, RunsOn: SimulationOnly,
		CommitRTT: "3 + 1 to log the decision", SpanRTT: "2, and the log write", Source: "ScalarDB (PVLDB 16(12), 2023), baseline in GeoTP section 7.1",
		Notes: "faster than ScalarDB: agents beside the sources, statements sent in rounds, one transaction of a source for all records prepared there; a prepared record is ended by its agent, not by its readers",
	},
	{
		Name: "scalardb+", Base: "scalardb", Admission: yield.AdmitByForecast, Arrive: schedule.Postponed,
		Source: "GeoTP section 7.1, ScalarDB with the scheduling of sections 4.2 and 4.3 and without decentralized prepare",
	},
	{
		Name: "geotp", Base: "geotp-o1o2", Admission: yield.AdmitByForecast, Arrive: schedule.Postponed, SpanRTT: "its own round trip, its waits and the log write",
		Source: "GeoTP sections 4 and 5",
	},
}

// table has the literals, each filled in from its base. An inconsistent protocol
// would be a bug, and TestTheTable finds it.
var table = mustResolve(literals)

// Table returns every protocol. The caller may change the result.
func Table() []Spec { return slices.Clone(table) }

// Default is the protocol of a cluster for which none was chosen.
const Default = "d2pc+2pl-group"

// Live returns the protocols that a cluster can be started with.
func Live() []Spec {
	return slices.DeleteFunc(Table(), func(r Spec) bool { return r.RunsOn == SimulationOnly })
}

// ByName returns a protocol; the error lists the existing names.
func ByName(name string) (Spec, error) { return byName(Table(), name) }

// OverShards returns the protocols of Live that differ over shards: of those made for
// external databases, the one with all their choices represents the others.
func OverShards() []Spec {
	return slices.DeleteFunc(Live(), func(r Spec) bool { return r.OverSources() && !r.Forecasts() })
}

// LiveByName returns a protocol that a cluster can be started with.
func LiveByName(name string) (Spec, error) {
	if r, err := ByName(name); err == nil && r.RunsOn == SimulationOnly {
		return Spec{}, fmt.Errorf("the protocol %s runs in simulations only: isochron sim --protocol %s", name, name)
	}
	return byName(Live(), name)
}

func byName(specs []Spec, name string) (Spec, error) {
	var names []string
	for _, r := range specs {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Spec{}, fmt.Errorf("there is no protocol %q; choose one of: %s", name, strings.Join(names, ", "))
}
