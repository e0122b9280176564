package agents

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/geo"
	"isochron/server/deploy"
	"isochron/server/sourcedb/sourcetest"
	"isochron/test/faults"
)

// endless is the time a test waits for an expected event.
const endless = 90 * time.Second

// The databases, by the name of their source.
var (
	servers   = map[string]*sourcetest.Server{}
	kinds     = []string{"pg", "my"}
	beginning = map[string]func(...string) (*sourcetest.Server, error){"pg": sourcetest.Postgres, "my": sourcetest.MariaDB}
)

// begin starts the databases, or uses running ones, with nothing but an account each and a prepared
// transaction of another program.
func begin(t *testing.T) {
	t.Helper()
	for _, kind := range kinds {
		s := servers[kind]
		if s == nil {
			var err error
			s, err = beginning[kind]()
			sourcetest.LeaveOut(t, err)
			servers[kind] = s
		}
		text := "DROP TABLE IF EXISTS acct; DROP TABLE IF EXISTS moves; CREATE TABLE acct (id bigint PRIMARY KEY, v bigint NOT NULL); CREATE TABLE moves (id bigint PRIMARY KEY); INSERT INTO acct VALUES (1, 1000), (2, 0)"
		if kind == "pg" {
			text += fmt.Sprintf("; GRANT ALL ON acct TO %s; GRANT ALL ON moves TO %[1]s", sourcetest.User)
		}
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
		if err := s.Foreign(t.Context(), "billing-7"); err != nil {
			t.Fatal(err)
		}
	}
}

// ask gives the first column of what a database answers its superuser, as text.
func ask(t *testing.T, kind, query string) (out []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), endless)
	defer stop()
	rows, err := servers[kind].Ask(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		out = append(out, row[0])
	}
	return out
}

// preparedAt returns the names of the prepared transactions at a database, Isochron's and others'.
func preparedAt(t *testing.T, kind string) []string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), endless)
	defer stop()
	names, err := servers[kind].Prepared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// process is a node.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	mu       sync.Mutex
	output   []string
	received chan struct{} // something was said
	ended    chan struct{}
	log      string
}

// cluster is one of processes: three nodes with data, a gateway, two agents.
type cluster struct {
	t       *testing.T
	configs []string
	env     []string
	all     []*process
	moves   int // that were requested
}

const (
	gateway = 3
	agentPG = 4
	agentMY = 5
)

// start makes a cluster and starts its nodes.
func start(t *testing.T, protocol string, env ...string) *cluster {
	t.Helper()
	begin(t)
	base, err := faults.FreePorts(6)
	if err != nil {
		t.Fatal(err)
	}
	plan := deploy.Plan{Dir: filepath.Join(t.TempDir(), "c"), Regions: []geo.Region{"r1", "r2", "r3"}, NodesPerRegion: 1, Gateways: []geo.Region{"r1"},
		Host: "127.0.0.1", BasePort: base, Protocol: protocol, WAN: "uniform:2ms:3"}
	for _, kind := range kinds {
		s, err := deploy.ParsePlanned(fmt.Sprintf("%s@r2=%s", kind, bare(kind)))
		if err != nil {
			t.Fatal(err)
		}
		plan.Sources = append(plan.Sources, s)
	}
	made, err := deploy.Write(plan)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, env: env}
	for _, n := range made.Nodes {
		c.configs = append(c.configs, filepath.Join(plan.Dir, fmt.Sprintf("node%d.yaml", n.Node)))
	}
	for _, kind := range kinds {
		if err := os.WriteFile(filepath.Join(plan.Dir, kind+".password"), []byte(sourcetest.Password), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.all = make([]*process, len(c.configs))
	for i := range c.configs {
		c.run(i)
	}
	t.Cleanup(c.end)
	for _, p := range c.all {
		p.await("ready")
	}
	c.awaitSources()
	return c
}

// bare is the address of a database without the password.
func bare(kind string) string {
	scheme := map[string]string{"pg": "postgres", "my": "mysql"}[kind]
	return fmt.Sprintf("%s://%s@%s/%s", scheme, sourcetest.User, servers[kind].Addr(), sourcetest.Database)
}

// run starts a node.
func (c *cluster) run(i int) {
	c.t.Helper()
	p := &process{t: c.t, cmd: exec.Command(os.Args[0]), received: make(chan struct{}, 1), ended: make(chan struct{}), log: c.configs[i] + ".log"}
	p.cmd.Env = append(append(os.Environ(), asNode+"="+c.configs[i]), c.env...)
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	go p.listen(out)
	c.all[i] = p
}

// listen records the node's output.
func (p *process) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.mu.Lock()
		p.output = append(p.output, lines.Text())
		p.mu.Unlock()
		select {
		case p.received <- struct{}{}:
		default:
		}
	}
	_ = p.cmd.Wait() // how it ended is for its log
	close(p.ended)
}

// send gives an order.
func (p *process) send(order string) { fmt.Fprintln(p.in, order) }

// await waits for a line of the node that begins so, and removes it; ok is false if the node has
// ended instead.
func (p *process) awaits(begins string) (line string, ok bool) {
	p.t.Helper()
	deadline := time.After(endless)
	for {
		p.mu.Lock()
		i := slices.IndexFunc(p.output, func(s string) bool { return strings.HasPrefix(s, begins) })
		if i >= 0 {
			line = p.output[i]
			p.output = slices.Delete(p.output, i, i+1)
		}
		p.mu.Unlock()
		if i >= 0 {
			return line, true
		}
		select {
		case <-p.received:
		case <-p.ended:
			return "", false
		case <-deadline:
			p.t.Fatalf("it never said %q; its log ends\n%s", begins, p.tail())
		}
	}
}

func (p *process) await(begins string) string {
	p.t.Helper()
	line, ok := p.awaits(begins)
	if !ok {
		p.t.Fatalf("it has ended before it said %q\n%s", begins, p.tail())
	}
	return line
}

// tail returns the end of its log.
func (p *process) tail() string {
	b, _ := os.ReadFile(p.log)
	return string(b[max(0, len(b)-3000):])
}

// kill kills it immediately.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

func (c *cluster) end() {
	for _, p := range c.all {
		p.kill()
	}
}

// again starts a node that was killed, and waits for it.
func (c *cluster) again(i int) {
	c.t.Helper()
	c.run(i)
	c.all[i].await("ready")
}

// awaitSources waits until the gateway reaches both sources.
func (c *cluster) awaitSources() {
	c.t.Helper()
	for deadline := time.Now().Add(endless); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		c.all[gateway].send("sources")
		if c.all[gateway].await("sources") == "sources 2" {
			return
		}
	}
	c.t.Fatalf("the sources are not served\n%s", c.all[agentPG].tail())
}

// move asks for the next move, and gives its number.
func (c *cluster) move() string {
	c.moves++
	number := fmt.Sprint(c.moves)
	c.all[gateway].send("move " + number)
	return number
}
