package deploy

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server/peer"
	"isochron/txn"
)

func plan(t *testing.T) Plan {
	t.Helper()
	return Plan{
		Dir: filepath.Join(t.TempDir(), "c"), Regions: []geo.Region{"va", "wa", "pr"}, NodesPerRegion: 2,
		Host: "127.0.0.1", BasePort: 4500, WAN: "azure5", Protocol: protocol.Table()[0].Name,
	}
}

// A written cluster is read back, and its credentials are valid.
func TestWriteAndRead(t *testing.T) {
	p := plan(t)
	c, err := Write(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 6 {
		t.Fatalf("%d nodes", len(c.Nodes))
	}
	for i, n := range c.Nodes {
		got, err := Read(filepath.Join(p.Dir, n.Data+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Cluster != c.Name || int(got.Node) != i+1 || got.Region != p.Regions[i%3] || !reflect.DeepEqual(got.Nodes, n.Nodes) || got.Self().Address != got.PeerListen {
			t.Errorf("node %d came back as %+v", i+1, got)
		}
		if _, err := peer.LoadCredentials(got.Cluster, got.Node, got.TLS.CA, got.TLS.Certificate, got.TLS.Key); err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if (strings.HasSuffix(e.Name(), ".key") || strings.HasPrefix(e.Name(), "root.")) && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the rights %v", e.Name(), info.Mode())
		}
	}
}

func TestNeverOverwrites(t *testing.T) {
	p := plan(t)
	if _, err := Write(p); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(p.Dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(p); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "holds a cluster already") {
		t.Errorf("a second time: %v", err)
	}
	after, err := os.ReadFile(filepath.Join(p.Dir, "ca.crt"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the authority was changed (%v)", err)
	}
	p.Dir = filepath.Dir(p.Dir)
	if _, err := Write(p); !errors.Is(err, ErrExists) {
		t.Errorf("among other files: %v", err)
	}
}

func TestPlanRefused(t *testing.T) {
	for _, c := range []struct {
		edit    func(*Plan)
		message string
	}{
		{func(p *Plan) { p.Regions = nil }, "at least one region"},
		{func(p *Plan) { p.Regions = []geo.Region{"va", "va"} }, "listed twice"},
		{func(p *Plan) { p.Regions = []geo.Region{"VA"} }, "not a region"},
		{func(p *Plan) { p.Regions = []geo.Region{"mars"} }, "no region mars"},
		{func(p *Plan) { p.NodesPerRegion = 30 }, "more than"},
		{func(p *Plan) { p.BasePort = 65500 }, "ports"},
		{func(p *Plan) { p.Host = "" }, "no host"},
		{func(p *Plan) { p.WAN = "atlantis" }, "unknown WAN"},
		{func(p *Plan) { p.WAN = "./nowhere.yaml" }, "cannot be read"},
		{func(p *Plan) { p.Protocol = "pigeon" }, "protocol"},
		{func(p *Plan) { p.WANScale = -1 }, "scaled"},
		{func(p *Plan) { p.WAN, p.WANScale = "", 2 }, "scaled"},
	} {
		p := plan(t)
		c.edit(&p)
		var refused PlanError
		if _, err := Write(p); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v, want %q", err, c.message)
		}
		if _, err := os.Stat(p.Dir); err == nil {
			t.Errorf("%q left files behind", c.message)
		}
	}
}

// A map in a file goes with the configurations.
func TestMapFileIsCopied(t *testing.T) {
	p := plan(t)
	p.WAN = filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(p.WAN, []byte("regions: [va, wa, pr]\nrtt_ms: {va: {wa: 1, pr: 2}, wa: {pr: 3}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(p); err != nil {
		t.Fatal(err)
	}
	c, err := Read(filepath.Join(p.Dir, "node1.yaml"))
	if err != nil || c.Map().RTT("wa", "pr").Milliseconds() != 3 {
		t.Errorf("%v, %+v", err, c)
	}
}

// A scaled map goes with them too, and nodes that join later get it.
func TestMapIsScaled(t *testing.T) {
	p := plan(t)
	p.WAN, p.WANScale = "azure5", 0.1
	if _, err := Write(p); err != nil {
		t.Fatal(err)
	}
	c, err := Read(filepath.Join(p.Dir, "node1.yaml"))
	if err != nil || c.Map().RTT("va", "wa") != 6700*time.Microsecond || c.Map().Name != "azure5" {
		t.Errorf("%v, %+v", err, c)
	}
}

// An election time-out is longer than what fits the map, has heartbeats come as often as ever, and goes
// with the nodes that join later.
func TestElectionsWait(t *testing.T) {
	p := plan(t)
	p.WAN = "azure5"
	if _, err := Write(p); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.Dir, "node1.yaml")
	plain, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(path)
	if err != nil || c.Params() != (txn.Params{}) {
		t.Fatalf("%v, %+v without a word", err, c.Params())
	}
	usual := c.Params().WithDefaultsFor(c.Map().Widest())
	for text, say := range map[string]string{"6s": "", "1m": "", "soon": "is no time", "1s": "must lie between", "61s": "must lie between", "-6s": "must lie between"} {
		if err := os.WriteFile(path, append([]byte("election_timeout: "+text+"\n"), plain...), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Read(path)
		if say != "" {
			if err == nil || !strings.Contains(err.Error(), "election_timeout: ") || !strings.Contains(err.Error(), say) {
				t.Errorf("%s: %v, want %q", text, err, say)
			}
			continue
		}
		want, _ := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Params().WithDefaultsFor(c.Map().Widest()); got.ElectionTimeout != want || got.HeartbeatInterval != usual.HeartbeatInterval {
			t.Errorf("%s: elections after %v, heartbeats each %v", text, got.ElectionTimeout, got.HeartbeatInterval)
		}
		if again := (&Addition{ID: 9, From: c, Peers: "127.0.0.1:4900"}).config(); again.ElectionTimeout != text {
			t.Errorf("a node that joins has %q", again.ElectionTimeout)
		}
	}
}

// sample is a sound configuration.
func sample(t testing.TB) string {
	p := Plan{Regions: []geo.Region{"va", "wa"}, NodesPerRegion: 1, Host: "::1", BasePort: 1, Protocol: protocol.Table()[0].Name}
	b, err := yaml.Marshal(p.configs("aa")[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, message string }{
		{"protocol:", "protokoll:", `line 17: there is no key "protokoll"; did you mean "protocol"?`},
		{"sql_listen:", "zzz:", `there is no such key`},
		{"  key:", "  kye:", `did you mean "key"?`},
		{"format: 1", "format: 2", "format: 2"},
		{"cluster: aa", "cluster: A/B", "cluster:"},
		{"node: 1", "node: 7", "not one of the nodes"},
		{"region: va", "region: wa", "under nodes"},
		{"data: node1", "data: ''", "data: a path is missing"},
		{"node: 1", "node: one", "line 3"},
		{"127.0.0.1:101\nsql:\n    root: root.verifier\n", "0.0.0.0:101\nsql:\n", "let anyone in"},
		{"127.0.0.1:101\nsql:\n    root: root.verifier\n    certificate: sql1.crt\n    key: sql1.key\n", ":101\nsql:\n    root: root.verifier\n", "no sql.certificate"},
		{"    key: sql1.key\n", "", "give both or none"},
		{"    key: sql1.key\n", "    key: sql1.key\n    tls: maybe\n", "sql.tls"},
		{"    key: sql1.key\n", "    key: sql1.key\n    connections: -1\n", "sql.connections"},
		{"    key: sql1.key\n", "    key: sql1.key\n    strangers: -1\n", "sql.strangers"},
		{"    key: sql1.key\n", "    key: sql1.key\n    login_timeout: soon\n", "sql.login_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    failed_login_delay: 2h\n", "sql.failed_login_delay"},
		{"    key: sql1.key\n", "    key: sql1.key\n    wait_timeout: 0s\n", "sql.wait_timeout: \"0s\" is no time from 1s to 8760h0m0s in whole steps of 1s"},
		{"    key: sql1.key\n", "    key: sql1.key\n    interactive_timeout: 8761h\n", "sql.interactive_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    write_timeout: 1500ms\n", "sql.write_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    idle_transaction_timeout: -1s\n", "sql.idle_transaction_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    lock_wait_timeout: 5\n", "sql.lock_wait_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    statement_timeout: 10us\n", "sql.statement_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    source_timeout: 2h\n", "sql.source_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    commit_timeout: never\n", "sql.commit_timeout"},
		{"    key: sql1.key\n", "    key: sql1.key\n    comit_timeout: 5s\n", `did you mean "commit_timeout"?`},
		{"'[::1]:2'", "'[::1]:0'", "port"},
		{"'[::1]:2'", "':2'", "no host"},
		{"id: 2", "id: 1", "rise"},
		{"nodes:", "add_delays: true\nnodes:", "without a wan"},
		{"format: 1", "format: 1\nformat: 1", "line 2"},
		{"nodes:", "--- {}\n...\nnodes:", ""},
	} {
		text := strings.Replace(sample(t), c.old, c.new, 1)
		if text == sample(t) {
			t.Fatalf("%q is not in the sample:\n%s", c.old, text)
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s -> %s: %v, want one line with %q", c.old, c.new, err, c.message)
		}
	}
	for text, say := range map[string]string{"": "empty", sample(t) + "---\n{}\n": "more after the end", strings.Repeat("#", fileMax+1): "at most"} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v, want %q", err, say)
		}
	}
}

// FuzzParse: any file is refused or sound, and a sound one is written as it was read.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample(f)))
	f.Add([]byte("format: 1\nnodes: [{id: 1}]\n"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		b, err := yaml.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(b)
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%+v came back as %+v (%v)", c, again, err)
		}
	})
}

// Root's password is a new one in every cluster, or the one that was given; the
// nodes get its verifier only.
func TestRootPassword(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		p := plan(t)
		c, err := Write(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(c.RootPassword)
		if err != nil || len(strings.TrimSpace(string(b))) != 32 || seen[string(b)] {
			t.Errorf("the password %q (%v)", b, err)
		}
		seen[string(b)] = true
		text, err := os.ReadFile(filepath.Join(p.Dir, "node1.yaml"))
		if err != nil || strings.Contains(string(text), strings.TrimSpace(string(b))) {
			t.Errorf("%s (%v)", text, err)
		}
	}
	p := plan(t)
	p.RootPasswordFile = filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(p.RootPasswordFile, []byte("password\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(p); err != nil {
		t.Fatal(err)
	}
	n, err := Read(filepath.Join(p.Dir, "node1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// The known stored form of that word.
	if root, secure, err := n.SQL.Load(n.SQLListen); err != nil || root != "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19" || secure == nil {
		t.Errorf("%q, %v, %v", root, secure, err)
	}
	for _, bad := range []string{"", "short", "two\nlines of it"} {
		p := plan(t)
		p.RootPasswordFile = filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(p.RootPasswordFile, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		var refused PlanError
		if _, err := Write(p); !errors.As(err, &refused) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTLSPolicy(t *testing.T) {
	for _, c := range []struct{ listen, tls, certificate, want string }{
		{"127.0.0.1:1", "", "c", TLSOffered}, {"127.0.0.1:1", "", "", TLSOff}, {"localhost:1", TLSRequired, "c", TLSRequired},
		{"0.0.0.0:1", "", "c", TLSRequired}, {":1", "", "c", TLSRequired}, {"10.0.0.1:1", TLSOffered, "c", TLSOffered}, {"[::1]:1", TLSOff, "c", TLSOff},
	} {
		s := SQL{TLS: c.tls, Certificate: c.certificate}
		if got := s.Policy(c.listen); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
