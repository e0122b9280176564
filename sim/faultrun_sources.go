package sim

import (
	"context"
	"slices"
	"strings"
	"time"

	"isochron/history"
	"isochron/protocol"
	"isochron/routing"
	"isochron/source"
	"isochron/txn"
	"isochron/workload"
)

// Protocols for external databases are run over models of them, beside shards: a bank and lists
// whose rows are in both, while databases crash and are cut off from their agents, as nodes crash
// and are cut off from each other.

// sourceFaultRun is that part of a run.
type sourceFaultRun struct {
	h    *faultRun
	dbs  *Databases
	load workload.Sourced

	banking, listing history.History
}

// faultRunSources is the number of databases of a run.
const faultRunSources = 4

// sourcesOf adds sources to the directory of a run if one of its protocols is for sources; nil:
// none is.
func (h *faultRun) sourcesOf(dir *routing.Directory, spec protocol.Spec) *sourceFaultRun {
	if !slices.ContainsFunc(h.cfg.rowsOf(spec), protocol.Spec.OverSources) {
		return nil
	}
	s := &sourceFaultRun{h: h, dbs: &Databases{ReportWaits: true}}
	next := uint64(0)
	for _, e := range dir.Shards {
		next = max(next, e.ID+1)
	}
	for i := range faultRunSources {
		n := dir.Nodes[i%len(dir.Nodes)]
		dir.Shards = append(dir.Shards, routing.Shard{ID: next, Replicas: []uint32{n.ID}, Leader: n.Region, Kind: source.Kind})
		s.load.Sources = append(s.load.Sources, txn.ShardID(next))
		next++
	}
	s.load.Parts, s.load.Accounts, s.load.Lists, s.load.Each = h.bank.Parts, 10, 6, 100
	return s
}

// waitsLookedFor returns, in half of the seeds, how long a wait at a database lasts before it is
// checked for a deadlock over several databases; in the others there is no check, as in the
// laboratory. Other choices depend on whether a seed is even: each is combined with both.
func waitsLookedFor(seed uint64) time.Duration {
	if (seed+1)/2%2 == 1 { // 1, 2, 5, 6, ...
		return 0
	}
	return FaultRunParams(txn.InjectedBugs{}).DetectAfter
}

// databases returns those of the run's cluster.
func (s *sourceFaultRun) databases() *Databases {
	if s == nil {
		return nil
	}
	return s.dbs
}

// setup opens the accounts.
func (s *sourceFaultRun) setup() bool {
	if s == nil {
		return true
	}
	failed := s.h.opened(func(error) bool { return true }, 2*faultRunUnit, s.load.Setup, s.load.SetupEach)
	if failed != nil {
		s.h.violation("no-setup", "the accounts at sources cannot be opened without a fault: %v", failed)
	}
	return failed == nil
}

// start starts a client of the bank and one of the lists at every node.
func (s *sourceFaultRun) start() (all []*Client) {
	if s == nil {
		return nil
	}
	for _, host := range s.h.w.hosts {
		all = append(all,
			s.h.w.Go(host.id, func(c *Client) { s.h.work(c, &s.banking, s.load.Bank) }),
			s.h.w.Go(host.id, func(c *Client) { s.h.work(c, &s.listing, s.load.Append) }))
	}
	s.plan()
	s.catch()
	s.loseEnds()
	return all
}

// How long a disk delays the end that loseEnds loses, and how many there are in a run.
const (
	endWithheldUnits = 14
	endsLost         = 4
)

// loseEnds prevents, in some runs, the end of a prepared transaction from reaching its database's
// disk: the agent's node crashes while it waits for the end and restarts immediately, so that it
// requests the end again; what the database is ending then is listed and not found. Then the
// database crashes too.
func (s *sourceFaultRun) loseEnds() {
	n, draws, left := s.h.n, stream(s.h.w.cfg.Seed, streamEnds), endsLost
	if !n.faults.Crashes || draws.IntN(4) == 0 {
		return
	}
	odds := 1 + draws.IntN(4)
	for _, d := range s.dbs.all {
		d.onEnding = func(x *dbTxn) time.Duration {
			h := x.owner.host
			if !n.active || n.resting || left == 0 || !h.up() || d.dialect != source.MySQL || draws.IntN(odds) > 0 {
				return 0
			}
			left--
			n.counts["ends that are lost with an agent and its database"]++
			n.w.After(2*d.latency, func() { n.crash(h, "crashes of an agent whose source ends something", strictly, n.unit/20) })
			n.w.After((endWithheldUnits-1)*n.unit, func() { d.crash(n.unit) })
			return endWithheldUnits * n.unit
		}
	}
}

// catch crashes a database, in some runs, when a prepared transaction depends on its reads there;
// the database is soon back: the decision is still in transit, or votes are.
func (s *sourceFaultRun) catch() {
	n := s.h.n
	if !n.faults.Crashes || n.rand.IntN(2) == 0 {
		return
	}
	for _, d := range s.dbs.all {
		d.onPrepared = func(x *dbTxn) {
			if n.active && !n.resting && !d.down && !d.cut && x.reads() && n.rand.IntN(8) == 0 {
				n.counts["crashes of a database that has prepared reads"]++
				n.w.After(4*d.latency, func() { d.crash(n.between(0, 1) / 4) })
			}
		}
		d.onMarked = func(x *dbTxn) {
			h := x.owner.host
			switch {
			case !n.active || n.resting || d.down || d.cut || n.rand.IntN(16) > 0:
			case h.up() && n.rand.IntN(2) == 0: // the agent has not received the answer
				n.crash(h, "crashes of an agent whose source has prepared or ended something", strictly, n.between(0, 1)/4)
			default:
				n.counts["crashes of a database that has prepared or ended something"]++
				d.crash(n.between(0, 1) / 4)
			}
		}
	}
}

// plan adds databases to the targets of the nemesis, for the faults it may use.
func (s *sourceFaultRun) plan() {
	n := s.h.n
	n.w.After(n.between(1, n.pace), func() {
		if !n.active {
			return
		}
		d := s.dbs.all[n.rand.IntN(len(s.dbs.all))]
		switch {
		case n.resting || d.down || d.cut:
		case n.faults.Crashes && n.rand.IntN(2) == 0:
			n.counts["crashes of a database"]++
			d.crash(n.between(1, 8))
		case n.faults.Partitions:
			n.counts["cuts of a database"]++
			d.cut = true
			n.w.After(n.between(1, 8), func() { d.cut = false })
		}
		s.plan()
	})
}

// unsettled describes what this cluster has left at the databases.
func (s *sourceFaultRun) unsettled() []string {
	if s == nil {
		return nil
	}
	ours, _ := s.dbs.left()
	return ours
}

// reads returns the last reads.
func (s *sourceFaultRun) reads() []func(*Client) bool {
	if s == nil {
		return nil
	}
	return []func(*Client) bool{
		func(c *Client) bool { return s.load.ReadBank(context.Background(), c.finalReader(&s.banking), true) },
		func(c *Client) bool { return s.load.ReadLists(context.Background(), c.finalReader(&s.listing), true) },
	}
}

// judge checks what clients of the sources observed, and that foreign transactions are untouched.
func (s *sourceFaultRun) judge() {
	if s == nil {
		return
	}
	s.h.judge(history.CheckBank(&s.banking, s.load.Rules()).Violations)
	s.h.judge(history.CheckLists(&s.listing).Violations)
	if _, touched := s.dbs.left(); len(touched) > 0 {
		s.h.violation("foreign-branch-ended", "%s", strings.Join(touched, "; "))
	}
	if late := s.dbs.late; len(late) > 0 {
		s.h.violation("begun-after-its-end", "%d times, first: %s", len(late), late[0])
	}
	counts := s.h.n.counts
	for _, one := range []*history.History{&s.banking, &s.listing} {
		for _, r := range one.Records {
			counts["at sources: "+string(r.Outcome)]++
		}
	}
	for _, d := range s.dbs.all {
		counts["waits for locks at databases"] += d.waits
		counts["deadlocks at databases"] += d.dead
		counts["prepared branches committed"] += d.finished
		counts["branches over versions that were prepared and ended"] += d.unmarked
	}
}
