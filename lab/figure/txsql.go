package figure

import (
	"fmt"
	"slices"
	"time"

	"isochron/lab"
	"isochron/reveal"
)

// txsqlBase is a server of 80 cores with clients beside it, as in section 6.1 of the TXSQL paper,
// with a disk as measured here and MariaDB's costs of locks. It has no replica for which a commit
// would wait (asynchronous replication), see synchronous. An aborted transaction is retried
// immediately, and no admission bounds conflicting tries: only ours does.
func txsqlBase(workload string) lab.Experiment {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.ClientRegions, s.ClientRTT = workload, "uniform:1ms:1", 1, 1, 100*time.Microsecond
	s.Zipf, s.Keys, s.ReadShare = 0, 1_000_000, 0
	s.Cores, s.Loop = 80, true
	s.RequestCPU, s.CommitCPU, s.StatementCPU, s.StoreCPU = lab.RequestCPU, lab.CommitCPU, lab.StatementCPU, lab.StoreCPU
	s.LockCPU, s.StepCPU, s.PageCPU, s.ListCPU = lab.LockCPU, lab.WalkCPU, lab.PageCPU, lab.ListCPU
	s.Fsync = lab.DiskSync
	s.Tries, s.LockWait, s.AdmissionOff = 1000, 50*time.Second, true
	s.Warmup, s.Duration, s.Check = time.Second, time.Second, 2000
	return s
}

// synchronous has two replicas a millisecond away, of which one must have a commit on its disk.
func synchronous(s lab.Experiment) lab.Experiment {
	s.WAN = "uniform:1ms:3"
	return s
}

// fewRows has as many as a table of sysbench by default.
func fewRows(s lab.Experiment) lab.Experiment {
	s.Keys = 10_000
	return s
}

// settled is for many rows of which some are overloaded: it takes seconds until all clients wait
// for these.
func settled(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 4*time.Second, 500*time.Millisecond
	return s
}

// brief is for a few hundred transactions a second.
func brief(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 500*time.Millisecond, time.Second
	return s
}

// half is for thousands of long transactions a second: an experiment takes a minute.
func half(s lab.Experiment) lab.Experiment {
	s.Duration = 500 * time.Millisecond
	return s
}

// In these figures txsql is exactly the paper's protocol: a row that is not hot is held until its
// commit is on disk. The protocol txsql of a cluster releases it before. The others are in the best
// form known to us: rows of bamboo are revealed when the commit that wrote them is in the log, as
// those of txsql are, and aria has a sequencer before it, with the batch size that does best over a
// hot row and over skewed ones. Each by itself is in txsql/ablation and txsql/ariabatch.
const (
	txsqlRow     = "txsql-hot"
	txsqlCluster = "txsql of a cluster"
	ariaBatch    = 16
)

var fairest = map[string]Variant{
	"txsql":  {Protocol: txsqlRow},
	"bamboo": {"bamboo", early},
	"aria":   {"aria", func(s *lab.Experiment) { sequenced(s, ariaBatch) }},
}

// early reveals the commits of one shard's entry as soon as it is in its leader's log.
func early(s *lab.Experiment) { s.Reveal = reveal.OnAppend }

// late reveals them when the disk has the entry.
func late(s *lab.Experiment) { s.Reveal = reveal.OnDecision }

// sequenced has a sequencer before the database, with batches of this size. An aborted transaction
// is in the next batch, whatever the client's manner; nothing else bounds tries.
func sequenced(s *lab.Experiment, batch int) {
	s.Sequence, s.Tries = batch, 1000
}

// inBestForm replaces the protocols of the figures by those.
func inBestForm(of ...[]*Figure) []*Figure {
	all := slices.Concat(of...)
	for _, f := range all {
		if f.Variants == nil {
			f.Variants = map[string]Variant{}
		}
		for name, v := range fairest { // order: into a map
			if _, ok := f.Variants[name]; !ok {
				f.Variants[name] = v
			}
		}
	}
	return all
}

// threads has so many clients.
func threads(s lab.Experiment, n int) lab.Experiment {
	s.Clients = n
	return s
}

// statements sets their number in a transaction, of which a fraction only reads. One of several
// that is aborted is dropped, as in sysbench, and another is begun, of other rows.
func statements(s lab.Experiment, n int, readShare float64) lab.Experiment {
	s.Length, s.ReadShare = n, readShare
	if n > 1 {
		s.Tries = 1
	}
	return s
}

// longer is for long transactions of a thousand clients, which wait for seconds.
func longer(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 2*time.Second, time.Second
	return s
}

// uniform is a setting without waits: it settles when all have committed once.
func uniform(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 400*time.Millisecond, 500*time.Millisecond
	return s
}

// soonHot makes a row hot with few waiters, so that 32 threads suffice.
func soonHot(s lab.Experiment) lab.Experiment {
	s.HotWaiters = 4
	return s
}

// crowds is figure 11: three applications send a thousand transactions a second, a tenth of them
// payments on one account; at times a spike makes payments on it, the last of which stays. Two
// replicas are 2.5 ms away, a lock wait lasts at most a second, and nothing is retried.
func crowds() lab.Experiment {
	s := txsqlBase("hotspots")
	s.WAN, s.Cores, s.Rate, s.Spikes = "uniform:2.5ms:3", 24, 1000, "1s+1s:1500,4s+1s:3500,7s+1s:3500,9500ms+3500ms:8000"
	s.Tries, s.LockWait, s.HotWaiters = 1, time.Second, 8
	s.Warmup, s.Duration, s.Series = time.Second, 15*time.Second, 250*time.Millisecond
	return s
}

// payments is FiT.
func payments(clients int) func(*lab.Experiment) {
	return func(s *lab.Experiment) { *s = threads(*s, clients) }
}

// sixteen is transactions of sixteen statements, of which one updates a hot row: sysbench's hotspot
// update, or read/write.
func sixteen(readShare float64, clients int) func(*lab.Experiment) {
	return func(s *lab.Experiment) {
		s.Workload = "hotspot-once"
		*s = threads(statements(*s, 16, readShare), clients)
	}
}

// alone is the same without group commit.
func alone(set func(*lab.Experiment)) func(*lab.Experiment) {
	return func(s *lab.Experiment) {
		set(s)
		s.SyncEach = true
	}
}

var (
	txsqlOnce   = Axis{Label: "seconds", Values: []int{15}, Quick: []int{15}, Set: func(*lab.Experiment, int) {}}
	txsqlGroups = Axis{
		Label: "transactions of a group", Values: []int{1, 5, 10, 50, 256}, Quick: []int{1, 256}, Log: true,
		Set: func(s *lab.Experiment, v int) { s.GroupSize = v },
	}
	txsqlReplicas = Axis{
		Label: "replicas (1: asynchronous, 3: synchronous)", Values: []int{1, 3}, Quick: []int{1, 3},
		Set: func(s *lab.Experiment, v int) { s.WAN = fmt.Sprintf("uniform:1ms:%d", v) },
	}
)

var (
	txsqlThreads = Axis{
		Label: "threads", Values: []int{1, 8, 32, 128, 512, 1024}, Quick: []int{8, 1024}, Log: true,
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	txsqlFewThreads = Axis{
		Label: "threads", Values: []int{8, 128, 1024}, Quick: []int{8, 1024}, Log: true,
		Set: txsqlThreads.Set,
	}
	txsqlWrites = Axis{
		Label: "share of statements that write", Values: []int{100, 500, 1000}, Quick: []int{100, 1000}, Milli: true,
		Set: func(s *lab.Experiment, v int) { s.ReadShare = 1 - float64(v)/1000 },
	}
	txsqlLength = Axis{
		Label: "statements of a transaction", Values: []int{1, 5, 10, 20}, Quick: []int{1, 20},
		Set: func(s *lab.Experiment, v int) { *s = statements(*s, v, s.ReadShare) },
	}
	txsqlRollbacks = Axis{
		Label: "share of transactions rolled back by their clients", Values: []int{0, 20, 100, 200}, Quick: []int{0, 200}, Milli: true,
		Set: func(s *lab.Experiment, v int) { s.Rollback = float64(v) / 1000 },
	}
	txsqlZipf = Axis{
		Label: "Zipf coefficient", Values: []int{700, 800, 900, 990}, Quick: []int{700, 990}, Milli: true,
		Set: func(s *lab.Experiment, v int) { s.Zipf = float64(v) / 1000 },
	}
	txsqlWarehouses = Axis{
		Label: "warehouses", Values: []int{1, 4, 16}, Quick: []int{1, 16}, Log: true,
		Set: func(s *lab.Experiment, v int) { s.Warehouses = v },
	}
)

var (
	txsqlAblation = []string{"txsql", "o2", "o1", "mysql"}
	txsqlRivals   = []string{"txsql", "bamboo", "aria", "mysql"}
	txsqlShows    = []Measure{throughput, tail, lockWait, cpuUse, locks}
)

// txsqlOver compares txsql's throughput with mysql's, with the paper's "up to", and with the other
// protocols, for which it has no number.
func txsqlOver(rows []string, where Where, mysql float64) (out []Claim) {
	for i := len(rows) - 1; i > 0; i-- {
		c := claim(throughput, "txsql", rows[i], where, Times, 0)
		if rows[i] == "mysql" {
			c.Paper, c.Reason = mysql, seeDisk
		}
		out = append(out, c)
	}
	return out
}
