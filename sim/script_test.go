package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/source"
	"isochron/txn"
	"isochron/workload"
)

// TestScripts plays the stories in testdata. A command and its output:
//
//	cluster wan=SPEC protocol=NAME [regions=N] [sources [deadlock-after=FOR]]   a new cluster, one node a region, with a database beside each
//	exec NAME [last|commit] [named] [async]     statements at databases, a line each: region: statement; named: with the records they lock
//	begin NAME at=REGION [retry-of=NAME]        a transaction
//	read NAME KEY... [lock=shared|exclusive]    one round
//	scan NAME REGION                            all rows led from a region, one round
//	put NAME KEY=VALUE...                       buffered
//	delete NAME KEY...                          buffered
//	declare NAME [read=KEY]... [KEY=VALUE]...   a whole 2FI transaction
//	publish NAME                                publishes its writes of hot rows
//	commit NAME / rollback NAME
//	run FOR                                     let time pass
//	crash REGION / restart REGION
//	crash-when REGION sends=WORD [to=REGION] [before]   right after the next such message, or just before
//	crash-when REGION answers                   just before it answers a client
//	cut REGION REGION [one-way] / mend          both ways, or only messages of the first / everything
//	show KEY...                                 the applied value at each node
//
// A key is region/name: the region gives the shard. A command of a transaction waits for its
// answer, unless it has the word async: then the answer is printed when it arrives.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{t: t}
		datadriven.RunTest(t, path, s.play)
		s.close()
	})
}

// script is a cluster and its clients.
type script struct {
	t      *testing.T
	w      *Cluster
	actors map[string]*actor
	names  map[txn.ID]string // the story's names of transactions
	tries  []try             // attempts to commit, in the order of their Prepares
	dbs    *Databases        // nil: none
	lines  []string
}

type try struct {
	attempt txn.Attempt
	of      txn.ID
}

// actor carries out one transaction, a command at a time.
type actor struct {
	name string
	c    *Client
	t    txn.Txn
	todo []func()
	idle bool
}

const scriptTable = 1

// scriptWait bounds how long a command waits for its answer.
const scriptWait = 8 * time.Second

func (s *script) close() {
	if s.w != nil {
		s.w.Close()
	}
}

func (s *script) play(t *testing.T, data *datadriven.TestData) string {
	s.t, s.lines = t, nil
	command := *data // the reader reuses its own, and an async command outlives this call
	d := &command
	switch d.Cmd {
	case "cluster":
		s.cluster(d)
	case "begin":
		s.begin(d)
	case "read", "scan", "exec", "put", "delete", "publish", "commit", "rollback", "declare":
		s.act(d)
	default:
		s.meddle(d)
	}
	return s.printed()
}

// printed returns the output, with the story's names: T is a transaction, T/1 its first attempt to
// commit.
func (s *script) printed() string {
	if len(s.lines) == 0 {
		return ""
	}
	for _, line := range s.lines {
		s.learnLocal(line)
		s.learnWaiting(line)
	}
	names, count := map[string]string{}, map[txn.ID]int{}
	for _, one := range s.tries {
		if name := s.names[one.of]; name != "" {
			count[one.of]++
			names[one.attempt.String()] = fmt.Sprintf("%s/%d", name, count[one.of])
		}
	}
	for id, name := range s.names {
		names[id.String()] = name
	}
	return anyName.ReplaceAllStringFunc(strings.Join(s.lines, "\n")+"\n", func(text string) string { return cmp.Or(names[text], text) })
}

// anyName matches the name of a transaction or an attempt.
var anyName = regexp.MustCompile(`[at]\d+\.\d+\.\d+`)

func (s *script) cluster(d *datadriven.TestData) {
	s.close()
	wan, err := geo.Parse(argument(d, "wan"))
	s.must(err)
	spec, err := protocol.ByName(argument(d, "protocol"))
	s.must(err)
	n := len(wan.Regions)
	if d.HasArg("regions") {
		d.ScanArgs(s.t, "regions", &n)
	}
	dir := workload.Cluster(wan.Regions[:n])
	for i, region := range wan.Regions[:n] {
		dir.AddRange(scriptPrefix(i), dir.EnsureShard(dir.Shards[0].Replicas, string(region), 0))
	}
	looksAfter := time.Duration(0)
	if d.HasArg("deadlock-after") {
		looksAfter, err = time.ParseDuration(argument(d, "deadlock-after"))
		s.must(err)
	}
	if s.dbs = nil; d.HasArg("sources") {
		s.dbs = &Databases{ReportWaits: true}
		for i, region := range wan.Regions[:n] {
			dir.Shards = append(dir.Shards, routing.Shard{ID: uint64(scriptSource + i + 1), Replicas: []uint32{uint32(i + 1)}, Leader: string(region), Kind: source.Kind})
		}
	}
	s.actors, s.names, s.tries = map[string]*actor{}, map[txn.ID]string{}, nil
	s.w, err = New(Config{
		Seed: 1, WAN: wan, Spec: spec, Directory: dir, Codec: true, CountEvents: true,
		Params:   node.Params{KeepVersions: time.Hour, HotWaiters: 1, SourceWaits: looksAfter},
		Hardware: Hardware{Fsync: time.Millisecond},
		Links:    Links{MinDelay: 100 * time.Microsecond},
		Trace:    func(line string) { s.lines = append(s.lines, line) }, Databases: s.dbs,
	})
	s.must(err)
	s.w.onSend = s.learnNames
	if !s.w.RunUntil(30*time.Second, s.w.Ready) {
		s.t.Fatal("the cluster has no leaders after 30 s")
	}
	s.w.Run(5 * time.Second) // until the elections are over
	s.w.trace.zero = s.w.Elapsed()
	s.w.trace.format.key = func(k txn.Key) string { return showKey(dir, k) }
	s.w.trace.format.arrivalTime = func(nanos int64) string {
		return strings.TrimSpace(stamp(time.Duration(nanos-wallStart) - s.w.trace.zero))
	}
	s.lines = nil
	for i, region := range wan.Regions[:n] {
		shard, _ := dir.ShardOf(scriptPrefix(i))
		s.say("shard %d holds the rows %s/...; %s leads it", shard, region, s.w.label(s.w.Leader(txn.ShardID(shard))))
	}
}

// scriptSource is below the numbers of the databases, which contain those of their nodes.
const scriptSource = 10

func scriptPrefix(part int) string {
	return routing.TablePrefix(scriptTable) + string([]byte{byte(part)})
}

// key returns the key of region/name.
func (s *script) key(text string) txn.Key {
	region, name, ok := strings.Cut(text, "/")
	if !ok {
		s.t.Fatalf("a key is region/name, not %q", text)
	}
	return txn.Key(scriptPrefix(int(s.node(region))-1) + name)
}

func showKey(dir *routing.Directory, k txn.Key) string {
	prefix := len(scriptPrefix(0))
	if len(k) < prefix {
		return fmt.Sprintf("%q", string(k))
	}
	part := int(k[prefix-1])
	if part >= len(dir.Regions()) {
		return "the end"
	}
	return dir.Regions()[part] + "/" + string(k[prefix:])
}

func (s *script) node(region string) txn.NodeID {
	for _, n := range s.w.cfg.Directory.Nodes {
		if n.Region == region {
			return txn.NodeID(n.ID)
		}
	}
	s.t.Fatalf("there is no region %q", region)
	return 0
}

func (s *script) say(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *script) narrate(a *actor, format string, args ...any) {
	s.say("%s  %s: %s", stamp(s.w.now-s.w.trace.zero), a.name, fmt.Sprintf(format, args...))
}

// learnNames records which attempts belong to which transaction.
func (s *script) learnNames(_ *host, env *txn.Envelope) sendAction {
	p := env.Msg.Prepare
	if a := env.Msg.Access; a != nil && a.Batch != nil {
		p = &txn.Prepare{Attempt: a.Batch.Attempt, Txn: a.Txn}
	}
	if p != nil && !slices.ContainsFunc(s.tries, func(o try) bool { return o.attempt == p.Attempt }) {
		s.tries = append(s.tries, try{p.Attempt, p.Txn})
	}
	return leaves
}

// attemptPattern matches the line of an attempt at shards of its own node, which sends no Prepare.
var attemptPattern = regexp.MustCompile(`a\d+\.\d+\.\d+ of t\d+\.\d+\.\d+`)

func (s *script) learnLocal(line string) {
	text := attemptPattern.FindString(line)
	if text == "" {
		return
	}
	p := new(txn.Prepare)
	_, err := fmt.Sscanf(text, "a%d.%d.%d of t%d.%d.%d",
		&p.Attempt.Node, &p.Attempt.Epoch, &p.Attempt.Seq, &p.Txn.Node, &p.Txn.Epoch, &p.Txn.Seq)
	s.must(err)
	s.learnNames(nil, &txn.Envelope{Msg: txn.Message{Prepare: p}})
}

// learnWaiting learns the name of a transaction that waits for its first answer from the lines of
// its node.
func (s *script) learnWaiting(line string) {
	for _, text := range regexp.MustCompile(`t\d+\.\d+\.\d+`).FindAllString(line, -1) {
		var id txn.ID
		_, err := fmt.Sscanf(text, "t%d.%d.%d", &id.Node, &id.Epoch, &id.Seq)
		s.must(err)
		for _, name := range slices.Sorted(maps.Keys(s.actors)) {
			a := s.actors[name]
			if s.names[id] == "" && !a.idle && a.t.ID().IsZero() && a.c.host.id == id.Node {
				s.names[id] = name
			}
		}
	}
}

func (s *script) begin(d *datadriven.TestData) {
	a := &actor{name: d.CmdArgs[0].Key}
	opt := txn.Options{}
	if d.HasArg("priority") && argument(d, "priority") == txn.PriorityHigh.String() {
		opt.Priority = txn.PriorityHigh
	}
	if d.HasArg("retry-of") {
		opt.RetryOf = s.actors[argument(d, "retry-of")].t
	}
	a.c = s.w.Go(s.node(argument(d, "at")), func(c *Client) {
		a.t = c.DB().Begin(opt)
		for {
			for len(a.todo) == 0 {
				a.idle = true
				c.park()
			}
			do := a.todo[0]
			a.todo = a.todo[1:]
			do()
		}
	})
	s.actors[a.name] = a
	s.await(a)
}

// await runs until an actor has finished its command; it reports whether it has.
func (s *script) await(a *actor) bool {
	for limit := s.w.Elapsed() + scriptWait; !a.idle; {
		if !s.w.Step(limit) {
			return false
		}
	}
	return true
}

// act gives an actor a command and, unless async, waits until it is done.
func (s *script) act(d *datadriven.TestData) {
	a := s.actors[d.CmdArgs[0].Key]
	if a == nil {
		s.t.Fatalf("no transaction %s has begun", d.CmdArgs[0].Key)
	}
	a.todo = append(a.todo, func() { s.step(a, d) })
	if a.idle {
		a.idle = false
		s.w.After(0, a.c.resume)
	}
	if d.HasArg("async") {
		s.w.Run(0)
		return
	}
	if !s.await(a) {
		s.narrate(a, "still waits")
	}
}

// step is one command, in the actor's coroutine.
func (s *script) step(a *actor, d *datadriven.TestData) {
	switch d.Cmd {
	case "read", "scan":
		s.read(a, d)
	case "exec":
		s.execute(a, d)
	case "put":
		for _, arg := range d.CmdArgs[1:] {
			if len(arg.Vals) > 0 {
				a.t.Put(s.key(arg.Key), []byte(arg.Vals[0]))
			}
		}
	case "delete":
		for _, arg := range d.CmdArgs[1:] {
			a.t.Delete(s.key(arg.Key))
		}
	case "declare":
		s.fixedSet(a, d)
	case "commit":
		switch err := a.t.Commit(context.Background()); {
		case err == nil:
			s.narrate(a, "committed")
		case txn.KindOf(err) == txn.KindUnknown:
			s.narrate(a, "the outcome is unknown: %v", err)
		default:
			s.narrate(a, "not committed: %v", err)
		}
	case "publish":
		if !a.t.(txn.Publisher).Publish() {
			s.narrate(a, "no transaction waits for its writes")
		}
	case "rollback":
		a.t.Rollback()
	}
	s.names[a.t.ID()] = a.name
	delete(s.names, txn.ID{}) // it has no id before its first request
}

// fixedSet carries out a 2FI transaction.
func (s *script) fixedSet(a *actor, d *datadriven.TestData) {
	var x txn.FixedSetTxn
	var writes []txn.Write
	for _, arg := range d.CmdArgs[1:] {
		switch {
		case arg.Key == "read":
			for _, k := range arg.Vals {
				x.Reads = append(x.Reads, s.key(k))
			}
		case len(arg.Vals) > 0:
			x.Writes = append(x.Writes, s.key(arg.Key))
			writes = append(writes, txn.Write{Key: s.key(arg.Key), Value: []byte(arg.Vals[0])})
		}
	}
	x.Then = func(values [][]byte) ([]txn.Write, bool) {
		var saw []string
		for i, v := range values {
			saw = append(saw, shown(s.w, x.Reads[i], v))
		}
		s.narrate(a, "read %s", strings.Join(saw, " "))
		return writes, true
	}
	switch _, err := a.t.(txn.FixedSetRunner).RunFixedSet(context.Background(), x); {
	case err == nil:
		s.narrate(a, "committed")
	case txn.KindOf(err) == txn.KindUnknown:
		s.narrate(a, "the outcome is unknown: %v", err)
	default:
		s.narrate(a, "not committed: %v", err)
	}
}

func (s *script) read(a *actor, d *datadriven.TestData) {
	var r txn.Read
	for _, arg := range d.CmdArgs[1:] {
		switch {
		case arg.Key == "lock":
			r.Lock = map[string]txn.Lock{"shared": txn.LockShared, "exclusive": txn.LockExclusive}[arg.Vals[0]]
		case arg.Key == "final":
			r.OnlyRead = true
		case arg.Key == "async":
		case d.Cmd == "scan":
			start := scriptPrefix(int(s.node(arg.Key)) - 1)
			r.Scans = append(r.Scans, txn.Scan{Span: txn.Span{Start: txn.Key(start), End: txn.Key(routing.PrefixEnd(start))}})
		default:
			r.Gets = append(r.Gets, s.key(arg.Key))
		}
	}
	res, err := a.t.Read(context.Background(), r)
	if err != nil {
		s.narrate(a, "read nothing: %v", err)
		return
	}
	var saw []string
	for i, v := range res.Values {
		saw = append(saw, shown(s.w, r.Gets[i], v))
	}
	for _, pairs := range res.Pairs {
		for _, p := range pairs {
			saw = append(saw, shown(s.w, p.Key, p.Value))
		}
	}
	s.narrate(a, "read %s", strings.Join(saw, " "))
}

func (s *script) execute(a *actor, d *datadriven.TestData) {
	var statements []txn.SourceStatement
	for line := range strings.Lines(d.Input) {
		region, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		st := txn.SourceStatement{Source: txn.ShardID(scriptSource + s.node(region)), Statement: txn.Statement{Text: text}}
		if d.HasArg("named") { // as of changes of single rows
			st.Records, st.Writes = []txn.Key{txn.Key(strings.Fields(text)[1])}, true
		}
		statements = append(statements, st)
	}
	src, ctx, how := a.t.(txn.Sources), context.Background(), "executed"
	var got []txn.SourceResult
	var err error
	if d.HasArg("commit") {
		how = "committed"
		got, err = a.t.(txn.Finishing).ExecuteAndCommit(ctx, statements)
	} else {
		got, err = src.Execute(ctx, statements, d.HasArg("last"))
	}
	if err != nil {
		s.narrate(a, "not executed: %v", err)
		return
	}
	var saw []string
	for _, r := range got {
		saw = append(saw, strings.TrimPrefix(worked(&txn.BatchResult{Results: []txn.Result{r.Result}}), "AccessReply: "))
	}
	s.narrate(a, "%s: %s", how, strings.Join(saw, ", "))
}

func shown(w *Cluster, k txn.Key, v []byte) string {
	if v == nil {
		return w.trace.format.show(k) + "=nothing"
	}
	return w.trace.format.show(k) + "=" + string(v)
}

// meddle carries out the commands that no transaction does.
func (s *script) meddle(d *datadriven.TestData) {
	at := func(i int) *host { return s.w.host(s.node(d.CmdArgs[i].Key)) }
	switch d.Cmd {
	case "run":
		wait, err := time.ParseDuration(d.CmdArgs[0].Key)
		s.must(err)
		s.w.Run(wait)
	case "crash":
		at(0).crash(strictly)
	case "restart":
		at(0).restart()
		s.w.Run(0)
	case "crash-when":
		s.trap(at(0), d)
	case "cut":
		s.w.net.setCut(at(0).id, at(1).id, true)
		if !d.HasArg("one-way") {
			s.w.net.setCut(at(1).id, at(0).id, true)
		}
	case "mend":
		s.w.net.mend()
	case "show":
		for _, arg := range d.CmdArgs {
			s.show(arg.Key)
		}
	default:
		s.t.Fatalf("there is no command %q", d.Cmd)
	}
}

// show prints the value of a row that every node has applied.
func (s *script) show(text string) {
	var parts []string
	for _, h := range s.w.hosts {
		what := "is down"
		if h.up() {
			value, _, _ := h.node.ReadLocal(s.key(text))
			if what = "has " + string(value); value == nil {
				what = "has nothing"
			}
		}
		parts = append(parts, s.w.label(h.id)+" "+what)
	}
	s.say("%s: %s", text, strings.Join(parts, ", "))
}

// trap crashes a host at its next message of a kind.
func (s *script) trap(h *host, d *datadriven.TestData) {
	if d.HasArg("answers") {
		s.w.onAnswer = func(from *host, _ *coordinator.Request, _ *coordinator.Response) sendAction {
			if from != h {
				return leaves
			}
			s.w.onAnswer = nil
			return lostCrash
		}
		return
	}
	word, after := argument(d, "sends"), leftCrash
	if d.HasArg("before") {
		after = lostCrash
	}
	s.w.onSend = func(from *host, env *txn.Envelope) sendAction {
		s.learnNames(from, env)
		if from != h || !strings.HasPrefix(s.w.trace.format.message(&env.Msg), word) {
			return leaves
		}
		if d.HasArg("to") && s.node(argument(d, "to")) != env.To {
			return leaves
		}
		s.w.onSend = s.learnNames
		return after
	}
}

func argument(d *datadriven.TestData, key string) string {
	i := slices.IndexFunc(d.CmdArgs, func(a datadriven.CmdArg) bool { return a.Key == key })
	if i < 0 || len(d.CmdArgs[i].Vals) != 1 {
		return ""
	}
	return d.CmdArgs[i].Vals[0]
}

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
