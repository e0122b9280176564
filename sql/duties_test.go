package sql

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/sql/parse"
	"isochron/sql/session"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// Every statement is owed the same, whatever way it came in and whatever plan it has. A
// duty that one of them leaves out fails by name.
func TestEveryStatementIsOwedTheSame(t *testing.T) {
	o := newWays(t)
	for _, w := range allWays() {
		for _, f := range allForms {
			for _, d := range duties {
				t.Run(w.name+"/"+f.name+"/"+d.name, func(t *testing.T) { d.check(o.begin(t, w, f)) })
			}
		}
	}
}

// gaveUp is how a read ends that was called off.
var gaveUp = txn.Errorf(txn.KindLockTimeout, "it waited in vain")

var duties = []struct {
	name  string
	check func(k *walk)
}{
	{"it has the plan that is tested", func(k *walk) {
		g := k.of.server.gateway
		points, cached := g.pointUpdates.Load(), g.cached.Load()
		k.must(k.run())
		got := wholeEngine
		switch {
		case g.pointUpdates.Load() > points:
			got = pointPlan
		case g.cached.Load() > cached:
			got = coreKind
		}
		if want := k.form.kindBy(k.way); got != want {
			k.t.Errorf("its plan is of kind %d, not %d", got, want)
		}
	}},
	{"it is let in", func(k *walk) {
		adm := k.of.server.gateway.admission
		free := sync.OnceFunc(adm.Occupy()) // a statement waits
		ended := make(chan error, 1)
		go func() { ended <- k.run() }()
		defer free() // also if the test fails
		eventually(k.t, "it queues", func() bool { _, queued := adm.Working(); return queued == 2 })
		free()
		k.must(<-ended)
	}},
	{"it is seen", func(k *walk) {
		running := func() string { return k.of.root.query("SHOW GLOBAL STATUS LIKE 'Threads_running'") }
		before := running()
		var during string
		list := k.waits(func() string {
			during = running()
			return k.of.root.query("SHOW FULL PROCESSLIST")
		})
		if after := running(); during == before || after != before {
			k.t.Errorf("%q, while it runs %q, after it %q", before, during, after)
		}
		if !strings.Contains(list, "Query") || !strings.Contains(list, k.words()) {
			k.t.Errorf("the list of processes is\n%s", list)
		}
	}},
	{"it can be killed", func(k *walk) {
		k.code(1317, k.waiting(gaveUp, func() { k.of.server.gateway.engine.ProcessList.Kill(k.session.ID()) }))
		k.exec("ROLLBACK")
		k.enterTransaction()
		k.must(k.run())
	}},
	{"it has its time", func(k *walk) {
		k.exec("SET isochron_statement_timeout = 20")
		k.code(3024, k.waiting(gaveUp, func() {
			eventually(k.t, "its time is up", func() bool { return k.session.interruption.Reason() != nil })
		}))
	}},
	{"it ends with its client", func(k *walk) {
		_ = k.waiting(gaveUp, func() {
			k.hangUp()
			eventually(k.t, "it is cut short", func() bool {
				k.of.server.gateway.cutGone(time.Now())
				return k.session.interruption.Reason() == session.ErrClientGone
			})
		})
	}},
	{"it is tried again", func(k *walk) {
		var tries atomic.Int64
		k.failing(func() error {
			if tries.Add(1) <= 2 {
				return txn.Errorf(txn.KindAborted, "lost")
			}
			return nil
		})
		before, _ := k.of.observed()
		k.must(k.run())
		after, _ := k.of.observed()
		again := 0
		for _, s := range after[len(before):] {
			again += s.Again
		}
		if again != 2 && !(k.way.several && k.way.inside) { // there the packet is tried again
			k.t.Errorf("it was tried again %d times", again)
		}
	}},
	{"it fails with MySQL's numbers", func(k *walk) {
		for kind, number := range map[txn.Kind]int{txn.KindLockTimeout: 1205, txn.KindUnavailable: 1158, txn.KindTooLarge: 1197} { // order: each by itself
			k.failing(func() error { return txn.Errorf(kind, "it fails") })
			k.code(number, k.run())
			k.of.cluster.BeforeRead = nil
			k.exec("ROLLBACK")
			k.enterTransaction()
		}
	}},
	{"it is counted", func(k *walk) {
		names := []string{"Questions", k.form.counter}
		before := k.counted(names)
		was, _ := k.of.observed()
		k.must(k.run())
		now, _ := k.of.observed()
		after := k.counted(names)
		more := 1
		if k.way.several {
			more = 2 // SET behind it
		}
		if after[0]-before[0] != more || after[1]-before[1] != 1 {
			k.t.Errorf("%v grew by %d and %d", names, after[0]-before[0], after[1]-before[1])
		}
		if n := len(now) - len(was); n != more {
			k.t.Errorf("the observer heard of %d statements, not %d", n, more)
		}
		if len(now) > len(was) && !now[len(was)].Planned && k.form.kindBy(k.way) != wholeEngine {
			k.t.Error("the observer heard of no plan")
		}
	}},
	{"it forgets the warnings of others", func(k *walk) {
		k.exec("SELECT 'a' + 1")
		k.must(k.run())
		k.expect("SHOW WARNINGS", "")
	}},
	{"what it holds is accounted for", func(k *walk) {
		open := k.waits(func() string {
			if k.session.account.Load() == nil {
				return "no account"
			}
			return ""
		})
		if open != "" || k.session.account.Load() != nil {
			k.t.Errorf("%s; after it: %v", open, k.session.account.Load())
		}
	}},
	{"it needs its right", func(k *walk) {
		k.exec("ROLLBACK")
		k.of.root.exec("REVOKE ALL ON d.* FROM u")
		defer k.of.root.exec("GRANT ALL ON d.* TO u")
		k.enterTransaction()
		if err := k.run(); numberOf(err) != 1142 && numberOf(err) != 1044 && numberOf(err) != 1045 {
			k.t.Errorf("without its right: %v", err)
		}
	}},
	{"it does not write where it must not", func(k *walk) {
		k.exec("ROLLBACK")
		k.exec("SET SESSION TRANSACTION READ ONLY")
		k.enterTransaction()
		if err := k.run(); k.form.writes {
			k.code(1792, err)
		} else {
			k.must(err)
		}
	}},
	{"it runs at its level", func(k *walk) {
		k.exec("ROLLBACK")
		k.exec("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
		k.enterTransaction()
		var level atomic.Int64
		me := uint64(k.session.ID())
		k.of.cluster.OnBegin = func(opt txn.Options) {
			if opt.SessionID == me {
				level.Store(int64(opt.Level))
			}
		}
		defer func() { k.of.cluster.OnBegin = nil }()
		level.Store(-1)
		k.must(k.run())
		if txn.Level(level.Load()) != txn.ReadCommitted {
			k.t.Errorf("its transaction has level %v", level.Load())
		}
	}},
	{"its transaction ends if it is its own", func(k *walk) {
		_, before := k.of.observed()
		k.must(k.run())
		_, after := k.of.observed()
		if ended := after > before; ended == k.way.inside {
			k.t.Errorf("%d transactions were committed", after-before)
		}
		if open := k.session.open != nil && k.session.open.real != nil; open != k.way.inside {
			k.t.Errorf("its transaction is open: %v", open)
		}
	}},
	{"it is logged if it is slow", func(k *walk) {
		slow := k.of.server.gateway.slow
		slow.mu.Lock()
		slow.tokens = slowBurst
		slow.mu.Unlock()
		k.of.log.taken()
		k.must(k.run())
		if k.way.inside {
			k.exec("COMMIT")
		}
		if line := k.of.log.taken(); !strings.Contains(line, parse.Digest(k.words())) {
			k.t.Errorf("the log says %q", line)
		}
	}},
	{"its rows are counted", func(k *walk) {
		want := "1"
		switch {
		case !k.form.writes || k.way.several: // SET is the last of several
			want = "-1"
		case strings.HasPrefix(k.form.text, "DELETE"):
			want = "0"
		}
		k.must(k.run())
		k.expect("SELECT ROW_COUNT()", want)
	}},
}

// countedRows are status variables of the session.
func (k *walk) counted(names []string) (out []int) {
	k.t.Helper()
	for _, name := range names {
		v, err := k.session.GetStatusVariable(nil, name)
		k.must(err)
		n, _ := v.(uint64)
		out = append(out, int(n))
	}
	return out
}

// waits gives what is seen while the statement waits.
func (k *walk) waits(look func() string) (seen string) {
	k.t.Helper()
	k.must(k.waiting(nil, func() { seen = look() }))
	return seen
}

// words are the first of the statement.
func (k *walk) words() string { return k.form.text[:strings.Index(k.form.text, "?")] }

// failing has the statement's reads fail.
func (k *walk) failing(why func() error) {
	me := uint64(k.session.ID())
	k.of.cluster.BeforeRead = func(x *sqltest.Txn, _ txn.Read) error {
		if x.Options().SessionID != me {
			return nil
		}
		return why()
	}
	k.t.Cleanup(func() { k.of.cluster.BeforeRead = nil })
}

func (k *walk) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *walk) code(want int, err error) {
	k.t.Helper()
	if numberOf(err) != want {
		k.t.Errorf("it ends with %v, not %d", err, want)
	}
}
