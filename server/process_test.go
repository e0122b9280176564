package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/server/disk"
	"isochron/server/peer"
	"isochron/server/ports"
	"isochron/txn"
)

// members returns the configurations of a cluster of n nodes on the loopback.
func members(t *testing.T, n int, wan string) []MemberConfig {
	t.Helper()
	a, err := peer.NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	w := mustWAN(t, wan)
	port, err := ports.Take(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(port.Release)
	var all []Member
	for i := range n {
		all = append(all, Member{ID: txn.NodeID(i + 1), Region: w.Regions[i], Address: ports.Address(port.Base + i)})
	}
	var out []MemberConfig
	for _, m := range all {
		dir := t.TempDir()
		if err := PrepareMember(disk.Machine(), filepath.Join(dir, "node"), "test", m.ID, m.Region, protocol.Table()[0].Name); err != nil {
			t.Fatal(err)
		}
		out = append(out, MemberConfig{
			Cluster: "test", Self: m.ID, Dir: filepath.Join(dir, "node"), Listen: m.Address, Members: all,
			Credentials: testCredentials(t, a, m.ID, dir), Spec: protocol.Table()[0], WAN: w, Emulate: true,
		})
	}
	return out
}

func testCredentials(t *testing.T, a *peer.Authority, node txn.NodeID, dir string) *peer.Credentials {
	t.Helper()
	ca, _, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := a.Issue(node)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"1.ca": ca, "2.crt": cert, "3.key": key} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := peer.LoadCredentials("test", node, filepath.Join(dir, "1.ca"), filepath.Join(dir, "2.crt"), filepath.Join(dir, "3.key"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func startProcess(t *testing.T, cfg MemberConfig) *Process {
	t.Helper()
	p, err := StartProcess(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func awaitReady(t *testing.T, ps ...*Process) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, p := range ps {
		if err := p.AwaitReady(ctx); err != nil {
			t.Fatalf("node %d: %v", p.cfg.Self, err)
		}
	}
}

// Nodes over TCP count together, continue without one of them, and count with it again.
func TestProcessesCountAndReturn(t *testing.T) {
	cfgs := members(t, 3, "uniform:4ms:3")
	var ps []*Process
	for _, cfg := range cfgs {
		ps = append(ps, startProcess(t, cfg))
	}
	awaitReady(t, ps...)
	defer func() {
		for _, p := range ps {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	const each = 10
	var wg sync.WaitGroup
	for _, p := range ps {
		wg.Go(func() {
			for range each {
				atomically(t, p.DB(), increment)
			}
		})
	}
	wg.Wait()
	for _, p := range ps {
		for _, l := range p.peers.Links() {
			if l.RTT < 4*time.Millisecond || l.Delay.P95 < 4*time.Millisecond || l.Delay.RoundTrip < 4*time.Millisecond {
				t.Errorf("node %d measures %v to node %d, less than the delay that is added", p.cfg.Self, l.RTT, l.Peer)
			}
		}
	}
	if err := ps[0].Close(); err != nil { // it led
		t.Error(err)
	}
	for range each {
		atomically(t, ps[1].DB(), increment)
	}
	ps[0] = startProcess(t, cfgs[0])
	awaitReady(t, ps[0])
	for _, p := range ps {
		if got := count(t, p.DB()); got != 4*each {
			t.Errorf("counted %d at node %d, want %d", got, p.cfg.Self, 4*each)
		}
	}
}

func TestProcessRefused(t *testing.T) {
	cfgs := members(t, 2, "uniform:1ms:2")
	p := startProcess(t, cfgs[0])
	refused := func(name, say string, edit func(*MemberConfig)) {
		t.Helper()
		cfg := cfgs[0]
		cfg.Listen = "127.0.0.1:0"
		edit(&cfg)
		if q, err := StartProcess(cfg); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want %q", name, err, say)
			if q != nil {
				_ = q.Close()
			}
		}
	}
	refused("the port in use", "cannot be opened", func(c *MemberConfig) { c.Listen = cfgs[0].Listen })
	refused("the directory in use", "in use by another process", func(*MemberConfig) {})
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	lives := filepath.Join(cfgs[0].Dir, livesFile)
	text, err := os.ReadFile(lives)
	if err := errors.Join(err, os.WriteFile(lives, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	refused("a file that was cut short", "lives.yaml cannot be read", func(*MemberConfig) {})
	if err := os.WriteFile(lives, text, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("another node's data", "belongs to node 1", func(c *MemberConfig) { c.Self = 2 })
	refused("another cluster's data", "of cluster test, not", func(c *MemberConfig) { c.Cluster = "another" })
	refused("no node's directory", "holds no node", func(c *MemberConfig) { c.Dir = filepath.Dir(c.Dir) })
	if err := os.RemoveAll(filepath.Join(cfgs[0].Dir, dataDir)); err != nil {
		t.Fatal(err)
	}
	refused("lost data", "its data is gone", func(*MemberConfig) {})
	refused("no member", "not in its own list of members", func(c *MemberConfig) { c.Self = 7 })
}

// A peer cannot send for another node, nor to another than this one.
func TestForgedEnvelopes(t *testing.T) {
	cfgs := members(t, 1, "uniform:1ms:1")
	var logged strings.Builder // read after the process has ended
	cfgs[0].Log = slog.New(slog.NewTextHandler(&logged, nil))
	p := startProcess(t, cfgs[0])
	awaitReady(t, p)
	for _, env := range []txn.Envelope{{From: 1, To: 1}, {From: 2, To: 2}, {From: 3, To: 1}} {
		env.Msg.TxnStatusQuery = &txn.TxnStatusQuery{Shard: 1}
		p.runner.box.put(input{envelope: txn.Encode(env), from: 2})
	}
	p.runner.box.put(input{envelope: []byte("garbage"), from: 2})
	atomically(t, p.DB(), increment)
	if got := count(t, p.DB()); got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(logged.String(), "sender or receiver differs"); n != 3 {
		t.Errorf("%d of 3 forged messages were dropped:\n%s", n, logged.String())
	}
}
