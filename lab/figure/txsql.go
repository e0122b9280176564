package figure

import (
	"time"

	"isochron/lab"
)

// txsqlBase is a server of 80 cores with clients beside it, as in section 6.1 of the
// TXSQL paper. It has no replica for which a commit would wait (asynchronous
// replication), see synchronous. A client that is aborted tries again at once.
func txsqlBase(workload string) lab.Spec {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.ClientRegions, s.ClientRTT = workload, "uniform:1ms:1", 1, 1, 100*time.Microsecond
	s.Zipf, s.Keys, s.ReadShare = 0, 1_000_000, 0
	s.Cores, s.Loop = 80, true
	s.RequestCPU, s.CommitCPU, s.StatementCPU, s.StoreCPU = lab.RequestCPU, lab.CommitCPU, lab.StatementCPU, lab.StoreCPU
	s.LockCPU, s.StepCPU = lab.LockCPU, lab.StepCPU
	s.Tries, s.LockWait = 1000, 50*time.Second
	s.Warmup, s.Duration, s.Check = time.Second, time.Second, 2000
	return s
}

// synchronous has two replicas a millisecond away, of which one must have a commit on
// its disk.
func synchronous(s lab.Spec) lab.Spec {
	s.WAN = "uniform:1ms:3"
	return s
}

// fewRows has as many as a table of sysbench by default.
func fewRows(s lab.Spec) lab.Spec {
	s.Keys = 10_000
	return s
}

// threads has so many clients.
func threads(s lab.Spec, n int) lab.Spec {
	s.Clients = n
	return s
}

// statements has so many of them in a transaction, of which a part only reads.
func statements(s lab.Spec, n int, readShare float64) lab.Spec {
	s.Length, s.ReadShare = n, readShare
	return s
}

// longer is for long transactions of a thousand clients, each of which waits for seconds.
func longer(s lab.Spec) lab.Spec {
	s.Warmup, s.Duration = 3*time.Second, 3*time.Second
	return s
}

// uniform is a setting in which nobody waits for anybody: it needs no time to settle.
func uniform(s lab.Spec) lab.Spec {
	s.Warmup, s.Duration = 100*time.Millisecond, 400*time.Millisecond
	return s
}

var (
	txsqlThreads = Axis{
		Label: "threads", Values: []int{1, 8, 32, 128, 512, 1024}, Quick: []int{8, 1024}, Log: true,
		Set: func(s *lab.Spec, v int) { s.Clients = v },
	}
	txsqlWrites = Axis{
		Label: "share of statements that write", Values: []int{100, 250, 500, 750, 1000}, Quick: []int{100, 1000}, Milli: true,
		Set: func(s *lab.Spec, v int) { s.ReadShare = 1 - float64(v)/1000 },
	}
	txsqlLength = Axis{
		Label: "statements of a transaction", Values: []int{1, 2, 5, 10, 15, 20}, Quick: []int{1, 20},
		Set: func(s *lab.Spec, v int) { s.Length = v },
	}
	txsqlRollbacks = Axis{
		Label: "share of transactions rolled back by their clients", Values: []int{0, 10, 20, 50, 100, 200}, Quick: []int{0, 200}, Milli: true,
		Set: func(s *lab.Spec, v int) { s.Rollback = float64(v) / 1000 },
	}
	txsqlZipf = Axis{
		Label: "Zipf coefficient", Values: []int{500, 600, 700, 800, 900, 990}, Quick: []int{700, 990}, Milli: true,
		Set: func(s *lab.Spec, v int) { s.Zipf = float64(v) / 1000 },
	}
	txsqlWarehouses = Axis{
		Label: "warehouses", Values: []int{1, 2, 4, 8, 16, 32}, Quick: []int{1, 32}, Log: true,
		Set: func(s *lab.Spec, v int) { s.Warehouses = v },
	}
)

var (
	txsqlAblation = []string{"txsql", "o2", "o1", "mysql"}
	txsqlRivals   = []string{"txsql", "bamboo", "aria", "mysql"}
	txsqlShows    = []Measure{throughput, tail, lockWait, cpuUse, locks}
)

// txsqlOver compares txsql's throughput with mysql's, as the paper does where it says
// "up to", and with the other rows, for which it has no number.
func txsqlOver(rows []string, where Where, mysql float64) (out []Claim) {
	for i := len(rows) - 1; i > 0; i-- {
		c := Claim{throughput, "txsql", rows[i], where, Times, 0}
		if rows[i] == "mysql" {
			c.Paper = mysql
		}
		out = append(out, c)
	}
	return out
}
