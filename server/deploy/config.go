package deploy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server/memory"
	"isochron/txn"
)

// Format is the version of the configuration file.
const Format = 1

// fileMax bounds a configuration file; nodesMax the nodes of a cluster.
const (
	fileMax  = 1 << 20
	nodesMax = 64
)

// Config is the configuration of one node.
type Config struct {
	Format          int        `yaml:"format"`
	Cluster         string     `yaml:"cluster"`
	Node            txn.NodeID `yaml:"node"`
	Region          geo.Region `yaml:"region"`
	Role            string     `yaml:"role,omitempty"` // RoleGateway, or nothing
	Data            string     `yaml:"data"`
	PeerListen      string     `yaml:"peer_listen"`
	SQLListen       string     `yaml:"sql_listen,omitempty"` // may be omitted for a node with sources
	SQL             SQL        `yaml:"sql,omitempty"`
	HTTPListen      string     `yaml:"http_listen,omitempty"` // metrics and health; empty: none
	HTTPProfiles    bool       `yaml:"http_profiles,omitempty"`
	SlowTransaction string     `yaml:"slow_transaction,omitempty"` // a duration; 0: none is logged; empty: SlowDefault
	VerifyEvery     string     `yaml:"verify_every,omitempty"`     // a duration: interval of comparisons of replicas; empty: never
	VerifyRate      float64    `yaml:"verify_rate,omitempty"`      // megabytes a second that each replica then reads; 0: VerifyRateDefault
	Memory          string     `yaml:"memory,omitempty"`           // in memory.Parse's form; empty: its default
	TLS             TLS        `yaml:"tls"`
	Protocol        string     `yaml:"protocol"`
	WAN             string     `yaml:"wan,omitempty"`
	AddDelays       bool       `yaml:"add_delays,omitempty"`
	ElectionTimeout string     `yaml:"election_timeout,omitempty"` // a duration, the same at all nodes; empty: derived from the map
	Join            bool       `yaml:"join,omitempty"`             // it was added to an existing cluster
	Sources         []Source   `yaml:"sources,omitempty"`          // databases beside the node, with agents at it
	Nodes           []Node     `yaml:"nodes"`

	slow     time.Duration
	verify   time.Duration // 0: never
	election time.Duration // 0: derived from the map
	spec     protocol.Spec
	wan      geo.WAN
	mapFile  string // of wan, if it is a file
}

// TLS has the files of a node's certificate.
type TLS struct {
	CA          string `yaml:"ca"`
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
}

// Node is a node of the cluster.
type Node struct {
	ID      txn.NodeID `yaml:"id"`
	Region  geo.Region `yaml:"region"`
	Address string     `yaml:"address"`
	Role    string     `yaml:"role,omitempty"` // RoleGateway, or nothing
}

// RoleGateway is the role of a node without replicas that serves SQL clients.
const RoleGateway = "gateway"

// Spec returns the configured protocol.
func (c *Config) Spec() protocol.Spec { return c.spec }

// Map returns the configured WAN, or one of its regions without delays.
func (c *Config) Map() geo.WAN { return c.wan }

// Read reads and checks a node's configuration and makes its paths absolute.
func Read(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, fileMax+1))
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	c, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, p := range []*string{&c.Data, &c.TLS.CA, &c.TLS.Certificate, &c.TLS.Key, &c.SQL.Root, &c.SQL.Certificate, &c.SQL.Key} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
	c.absoluteSources(dir)
	if err := c.loadMap(dir); err != nil {
		return nil, fmt.Errorf("%s: wan: %w", path, err)
	}
	if err := c.checkElections(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse parses a configuration and checks what needs no other file.
func Parse(b []byte) (*Config, error) {
	if len(b) > fileMax {
		return nil, fmt.Errorf("a configuration has at most %d bytes", fileMax)
	}
	c := new(Config)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(c); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; give a nodeN.yaml that init wrote")
	} else if err != nil {
		return nil, errors.New(geo.Complaint(err, unknownKey))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the end of the configuration: one file is of one node")
	}
	return c, c.check()
}

// unknownKey reports an unknown key, naming it only if it resembles a known one: another word may be a secret.
func unknownKey(key string) string {
	if like := nearest(key); like != "" {
		return fmt.Sprintf("there is no key %.40q%s", key, like)
	}
	return "there is no such key"
}

// check returns the first error, with its key.
func (c *Config) check() error {
	if c.Format != Format {
		return fmt.Errorf("format: %d, and this Isochron reads %d", c.Format, Format)
	}
	if !validCluster(c.Cluster) {
		return fmt.Errorf("cluster: %.80q is no name of a cluster: 1 to 32 lower-case letters and digits, as init wrote it", c.Cluster)
	}
	for _, f := range []struct{ key, value string }{
		{"data", c.Data}, {"tls.ca", c.TLS.CA}, {"tls.certificate", c.TLS.Certificate}, {"tls.key", c.TLS.Key}} {
		if f.value == "" {
			return fmt.Errorf("%s: a path is missing", f.key)
		}
	}
	err := checkAddress(c.PeerListen, true)
	if err != nil {
		return fmt.Errorf("peer_listen: %w", err)
	}
	if err := c.checkSQL(); err != nil {
		return err
	}
	if err := c.checkSources(); err != nil {
		return err
	}
	if err := c.checkOperations(); err != nil {
		return err
	}
	if c.spec, err = protocol.LiveByName(c.Protocol); err != nil {
		return fmt.Errorf("protocol: %w", err)
	}
	if c.AddDelays && c.WAN == "" {
		return errors.New("add_delays: there are no delays without a wan")
	}
	return c.checkNodes()
}

// SlowDefault is the duration from which a transaction is logged as slow by default.
const SlowDefault = time.Second

// Slow returns the duration from which a transaction is logged as slow; 0: none is.
func (c *Config) Slow() time.Duration { return c.slow }

// checkOperations checks the keys for the node's monitoring.
func (c *Config) checkOperations() error {
	if _, err := memory.Parse(c.Memory); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if c.HTTPListen != "" {
		if err := checkAddress(c.HTTPListen, true); err != nil {
			return fmt.Errorf("http_listen: %w", err)
		}
		if host, _, _ := net.SplitHostPort(c.HTTPListen); host == "" {
			return fmt.Errorf("http_listen: %.200q has no host: write 127.0.0.1, or 0.0.0.0 if every client that reaches this machine may read the metrics", c.HTTPListen)
		}
	}
	if c.HTTPProfiles && (c.HTTPListen == "" || !loopback(c.HTTPListen)) {
		return errors.New("http_profiles: profiles are served on a loopback address only: let http_listen be on 127.0.0.1")
	}
	if err := c.checkVerify(); err != nil {
		return err
	}
	c.slow = SlowDefault
	if c.SlowTransaction == "" {
		return nil
	}
	d, err := time.ParseDuration(c.SlowTransaction)
	if err != nil || d < 0 {
		return fmt.Errorf("slow_transaction: %.80q is no time: write for example 500ms, or 0s to log none", c.SlowTransaction)
	}
	c.slow = d
	return nil
}

// VerifyRateDefault is in megabytes a second.
const VerifyRateDefault = 8

// verifyLeast is the shortest interval between two comparisons of replicas.
const verifyLeast = time.Second

func (c *Config) checkVerify() (err error) {
	if c.VerifyRate < 0 || c.VerifyRate > 1e6 {
		return fmt.Errorf("verify_rate: %v: write the megabytes that each replica may read in a second, such as 8", c.VerifyRate)
	}
	if c.VerifyEvery == "" {
		return nil
	}
	if c.verify, err = time.ParseDuration(c.VerifyEvery); err != nil || c.verify < verifyLeast {
		return fmt.Errorf("verify_every: %.80q is no time from %v on: write for example 24h", c.VerifyEvery, verifyLeast)
	}
	return nil
}

// Verify returns the interval of comparisons of replicas, 0: never, and the bytes each replica reads a second.
func (c *Config) Verify() (every time.Duration, bytesPerSecond int64) {
	return c.verify, int64(cmp.Or(c.VerifyRate, VerifyRateDefault) * 1e6)
}

func (c *Config) checkNodes() error {
	if len(c.Nodes) == 0 || len(c.Nodes) > nodesMax {
		return fmt.Errorf("nodes: %d of them; there must be 1 to %d", len(c.Nodes), nodesMax)
	}
	for i, n := range c.Nodes {
		if n.ID == 0 || i > 0 && n.ID <= c.Nodes[i-1].ID {
			return fmt.Errorf("nodes: id %d after %d: ids are above 0 and rise", n.ID, c.Nodes[max(i, 1)-1].ID)
		}
		if !n.Region.Valid() {
			return fmt.Errorf("nodes: node %d: %q is not a region: use 1 to 32 lower-case letters, digits, - and _, a letter first", n.ID, n.Region)
		}
		if err := checkAddress(n.Address, false); err != nil {
			return fmt.Errorf("nodes: node %d: %w", n.ID, err)
		}
		if n.Role != "" && n.Role != RoleGateway {
			return fmt.Errorf("nodes: node %d: role: %.80q; write gateway, or leave it out for a node that holds replicas", n.ID, n.Role)
		}
	}
	if !slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Role == "" }) {
		return errors.New("nodes: all are gateways; at least one node must store data")
	}
	self := slices.IndexFunc(c.Nodes, func(n Node) bool { return n.ID == c.Node })
	if self < 0 {
		return fmt.Errorf("node: %d is not one of the nodes", c.Node)
	}
	if r := c.Nodes[self].Region; r != c.Region {
		return fmt.Errorf("region: %q, but under nodes node %d is in %q", c.Region, c.Node, r)
	}
	if r := c.Nodes[self].Role; r != c.Role {
		return fmt.Errorf("role: %.80q, but under nodes node %d has %q", c.Role, c.Node, r)
	}
	return nil
}

// Self returns this node's entry.
func (c *Config) Self() Node {
	return c.Nodes[slices.IndexFunc(c.Nodes, func(n Node) bool { return n.ID == c.Node })]
}

func validCluster(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= 32
}

// checkAddress checks for a host and a port; only a listen address may omit the host or have port 0.
func checkAddress(a string, listen bool) error {
	host, port, err := net.SplitHostPort(a)
	if err != nil {
		return fmt.Errorf("%.200q is no address: write host:port, such as 127.0.0.1:4500", a)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 && !listen {
		return fmt.Errorf("%.200q: the port must be a number from 1 to 65535", a)
	}
	if host == "" && !listen {
		return fmt.Errorf("%.200q has no host: the other nodes could not reach it", a)
	}
	return nil
}

// loadMap reads the WAN; dir is the base of a relative path.
func (c *Config) loadMap(dir string) error {
	if c.WAN == "" {
		c.wan = geo.WAN{Name: "unknown"}
		for _, n := range c.Nodes {
			if !slices.Contains(c.wan.Regions, n.Region) {
				c.wan.Regions = append(c.wan.Regions, n.Region)
			}
		}
		return nil
	}
	spec := c.WAN
	if isFile(spec) && !filepath.IsAbs(spec) {
		spec = filepath.Join(dir, spec)
	}
	c.mapFile = spec
	var err error
	if c.wan, err = geo.Parse(spec); err != nil {
		return err
	}
	for _, n := range c.Nodes {
		if !c.wan.Has(n.Region) {
			return fmt.Errorf("%s has no region %s; it has %v", c.WAN, n.Region, c.wan.Regions)
		}
	}
	return nil
}

// isFile distinguishes a path from the name of a published map.
func isFile(spec string) bool {
	return strings.ContainsRune(spec, '/') || strings.HasSuffix(spec, ".yaml") || strings.HasSuffix(spec, ".yml")
}
