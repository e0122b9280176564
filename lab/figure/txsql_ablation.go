package figure

import "isochron/lab"

// Figures of our own: the effect of each part of TXSQL, of a batch's size on Aria, and of
// replication.

// The lines of the ablation: the handling of waiters, and when the row is released.
const (
	heldPages  = "2PL, locks as MySQL"
	held       = "2PL"
	heldQueue  = "queue"
	heldGroups = "groups"
	heldRetire = "retire (bamboo)"
	freed      = "2PL + early"
	freedQueue = "queue + early"
	freedAll   = "groups + early (txsql)"
	freedRet   = "retire + early"
	freedAlone = "groups + early, a sync each"
	heldAlone  = "2PL, a sync each"
)

// ablated are the protocols by their differences. A row is released when its commit is on disk, or
// early: when it is in the log.
var ablated = map[string]Variant{
	heldPages:  {"mysql", late},
	held:       {"o1", late},
	heldQueue:  {"o2", late},
	heldGroups: {"txsql", late},
	heldRetire: {"bamboo", late},
	freed:      {"o1", early},
	freedQueue: {"o2", early},
	freedAll:   {Protocol: txsqlRow},
	freedRet:   {"bamboo", early},
	freedAlone: {txsqlRow, func(s *lab.Experiment) { s.SyncEach = true }},
	heldAlone:  {"o1", func(s *lab.Experiment) { late(s); s.SyncEach = true }},
}

var ablatedRows = []string{heldPages, held, heldQueue, heldGroups, heldRetire, freed, freedQueue, freedAll, freedRet, freedAlone, heldAlone}

// ablation compares each step with the one before, at the end of the axis. The paper has no such
// numbers.
func ablation() (out []Claim) {
	for _, c := range [][2]string{
		{held, heldPages}, {heldQueue, held}, {heldGroups, held}, {heldRetire, held},
		{freed, held}, {freedQueue, heldQueue}, {freedAll, heldGroups}, {freedRet, heldRetire},
		{freedQueue, freed}, {freedAll, freedQueue}, {freedAll, freedRet}, {freedAll, freedAlone}, {held, heldAlone},
	} {
		out = append(out, claim(throughput, c[0], c[1], AtTheEnd, Times, 0))
	}
	return out
}

var txsqlOurs = []*Figure{
	{
		Name: "txsql/ablationrow", Title: "Updates of one hot row: the effect of each part",
		Source:    "ours; the parts are those of TXSQL, sections 3 and 4",
		Protocols: ablatedRows, Axis: txsqlFewThreads, Base: statements(txsqlBase("hotspot"), 1, 0),
		Shows:    []Measure{throughput, tail, locks},
		Claims:   ablation(),
		Variants: ablated,
	},
	{
		Name: "txsql/ablation", Title: "Payments on a hot account (FiT): the effect of each part",
		Source:    "ours; the parts are those of TXSQL, sections 3 and 4",
		Protocols: ablatedRows, Axis: txsqlFewThreads, Base: txsqlBase("fit"),
		Shows:    []Measure{throughput, tail, locks},
		Claims:   ablation(),
		Variants: ablated,
	},
	{
		Name: "txsql/ablationsync", Title: "The same with synchronous replication",
		Source:    "ours; the parts are those of TXSQL, sections 3 and 4",
		Protocols: ablatedRows, Axis: txsqlFewThreads, Base: synchronous(txsqlBase("fit")),
		Shows:    []Measure{throughput, tail, locks},
		Claims:   ablation(),
		Variants: ablated,
	},
	{
		Name: "txsql/ariabatch", Title: "Aria with larger and larger batches, 512 threads",
		Source:    "ours; TXSQL, section 6.1.2, has the best size without a number",
		Protocols: []string{"one row", "FiT", "Zipf 0.9"}, Axis: txsqlBatches, Base: threads(txsqlBase("fit"), 512),
		Shows: []Measure{throughput, tail, abortRate},
		Variants: map[string]Variant{
			"one row":  {"aria", oneRow},
			"FiT":      {Protocol: "aria"},
			"Zipf 0.9": {"aria", skewed},
		},
	},
	{
		Name: "txsql/replication", Title: "Payments on a hot account (FiT), 1024 threads: the cost of replication",
		Source:    "TXSQL, section 6.3.2: 8.2 times MySQL asynchronously, 22.3 times synchronously",
		Protocols: txsqlRivals, Axis: txsqlReplicas, Base: threads(txsqlBase("fit"), 1024),
		Shows: []Measure{throughput, tail, lockWait},
		Claims: []Claim{
			claim(throughput, "txsql", "mysql", AtTheStart, Times, 8.2).because(seeDisk),
			claim(throughput, "txsql", "mysql", AtTheEnd, Times, 22.3).because(seeDisk),
			claim(throughput, "bamboo", "aria|mysql", AtTheEnd, Ahead, 0),
		},
		Purpose: whyMySQL,
	},
}

// oneRow is updates of one hot row.
func oneRow(s *lab.Experiment) {
	s.Workload = "hotspot"
	*s = statements(*s, 1, 0)
}

// skewed is updates of single rows of ten thousand.
func skewed(s *lab.Experiment) {
	s.Workload, s.Zipf = "sysbench", 0.9
	*s = fewRows(statements(*s, 1, 0))
}

var txsqlBatches = Axis{
	Label: "transactions of a batch", Values: []int{1, 4, 16, 64, 256}, Quick: []int{1, 16, 64, 256}, Log: true,
	Set: func(s *lab.Experiment, v int) { sequenced(s, v) },
}
