package deploy

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"isochron/geo"
	"isochron/server"
	"isochron/server/disk"
	"isochron/server/peer"
	"isochron/txn"
)

// Plan of a new cluster.
type Plan struct {
	Dir            string    // must not exist, or be empty
	Disk           disk.Disk // that Dir is on; nil: the machine's
	Regions        []geo.Region
	NodesPerRegion int
	Gateways       []geo.Region // one in each of these; a region may be repeated
	Sources        []PlannedSource
	Host           string // of every node, until the files are edited
	BasePort       int    // of node 1 for its peers; the others follow
	HTTPPort       int    // of node 1 for metrics and health; the others follow; 0: httpPortsAfter above BasePort
	WAN            string // a published map, a file, or nothing
	// WANScale multiplies the map's delays; 0: unchanged.
	WANScale float64
	Protocol string
	// SQLHost is the nodes' listen address for SQL clients; empty: the loopback.
	SQLHost string
	// RootPasswordFile has the first password of root; empty: one is generated.
	RootPasswordFile string
}

// sqlPortsAfter is the distance of a node's SQL port above its peer port, which leaves room for the maximum number of
// nodes.
const sqlPortsAfter = 100

// httpPortsAfter is the distance of its HTTP port.
const httpPortsAfter = 200

// wanFile is the copy of a map that was given as a file, or scaled.
const wanFile = "wan.yaml"

// Write creates the cluster's files and returns the nodes' configurations. It never touches an existing cluster: its
// files appear atomically and are on disk when it returns. After a crash the directory is complete or absent; a
// directory beside it whose name begins with .new-cluster- may be left and can be removed.
func Write(p Plan) (*Cluster, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := refuseExisting(p.Dir); err != nil {
		return nil, err
	}
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, fmt.Errorf("no randomness for the cluster's name: %w", err)
	}
	c := &Cluster{Name: hex.EncodeToString(name[:]), Dir: p.Dir, Nodes: p.configs(hex.EncodeToString(name[:]))}
	dir := filepath.Clean(p.Dir)
	p.Disk = disk.Or(p.Disk)
	if err := disk.MkdirAll(p.Disk, filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("the directory cannot be created: %w", err)
	}
	temp := filepath.Join(filepath.Dir(dir), ".new-cluster-"+c.Name)
	if err := p.Disk.Mkdir(temp, 0o700); err != nil {
		return nil, fmt.Errorf("the directory cannot be created: %w", err)
	}
	defer func() { _ = p.Disk.RemoveAll(temp) }() // removed already after a success
	if err := p.fill(temp, c); err != nil {
		return nil, fmt.Errorf("the cluster's files cannot be written: %w", err)
	}
	c.ClientCA = filepath.Join(dir, clientCA)
	if p.RootPasswordFile == "" {
		c.RootPassword = filepath.Join(dir, passwordFile)
	}
	if err := p.Disk.Rename(temp, dir); err != nil { // an empty directory is replaced, one with files is not
		return nil, fmt.Errorf("the directory %s cannot be made: %w", dir, err)
	}
	if err := disk.SyncDir(p.Disk, filepath.Dir(dir)); err != nil {
		return nil, fmt.Errorf("the directory %s cannot be synced: %w", dir, err)
	}
	return c, nil
}

// Cluster is the result of Write.
type Cluster struct {
	Name  string
	Dir   string
	Nodes []Config
	// RootPassword is the file with root's generated password, if one was generated.
	RootPassword string
	// ClientCA is the file with which SQL clients verify the nodes.
	ClientCA string
}

// PlanError is the error of an impossible plan.
type PlanError struct{ error }

func (p *Plan) check() error {
	if len(p.Regions) == 0 || p.NodesPerRegion < 1 {
		return PlanError{errors.New("a cluster needs at least one region, and one node in each")}
	}
	n := len(p.Regions)*p.NodesPerRegion + len(p.Gateways) + len(p.Sources)
	if n > nodesMax {
		return PlanError{fmt.Errorf("%d nodes are more than the %d that a cluster may have", n, nodesMax)}
	}
	if p.BasePort < 1 || p.BasePort+httpPortsAfter+n-1 > 65535 {
		return PlanError{fmt.Errorf("the ports would be %d to %d, and they go from 1 to 65535: give another base port", p.BasePort, p.BasePort+httpPortsAfter+n-1)}
	}
	if last := p.HTTPPort + n - 1; p.HTTPPort < 0 || last > 65535 {
		return PlanError{fmt.Errorf("the HTTP ports would be %d to %d, and they go from 1 to 65535: give another one", p.HTTPPort, last)}
	}
	for _, r := range p.elsewhere() {
		if !slices.Contains(p.Regions, r) {
			return PlanError{fmt.Errorf("the cluster has no region %q for a gateway or a source, but %v", r, p.Regions)}
		}
	}
	for i, r := range p.Regions {
		for _, before := range p.Regions[:i] {
			if r == before {
				return PlanError{fmt.Errorf("region %s is listed twice: to have more nodes in each region, give the number of nodes per region", r)}
			}
		}
	}
	if p.scaled() && (p.WAN == "" || math.IsNaN(p.WANScale) || p.WANScale < 0 || p.WANScale > 100) {
		return PlanError{fmt.Errorf("a map is scaled by a factor above 0 and up to 100, and there must be one; not by %v", p.WANScale)}
	}
	all := p.configs("any")
	c := all[0]
	if err := c.check(); err != nil {
		return PlanError{err}
	}
	if err := checkPlanned(all, p.Sources); err != nil {
		return PlanError{err}
	}
	c.WAN = p.WAN // as given, before it is copied
	if err := c.loadMap("."); err != nil {
		return PlanError{err}
	}
	return nil
}

// elsewhere returns the regions of gateways and sources if there is no map, which would have them.
func (p *Plan) elsewhere() []geo.Region {
	if p.WAN != "" {
		return nil
	}
	out := slices.Clone(p.Gateways)
	for _, s := range p.Sources {
		out = append(out, s.Region)
	}
	return out
}

// httpPort returns a node's HTTP port by its position; 0: not given.
func (p *Plan) httpPort(i int) int {
	if p.HTTPPort == 0 {
		return 0
	}
	return p.HTTPPort + i
}

// scaled reports whether the delays differ from the map's.
func (p *Plan) scaled() bool { return p.WANScale != 0 && p.WANScale != 1 }

// mapFile returns the content of wanFile.
func (p *Plan) mapFile() ([]byte, error) {
	if !p.scaled() {
		return os.ReadFile(p.WAN)
	}
	w, err := geo.Parse(p.WAN)
	if err != nil {
		return nil, err
	}
	return w.Scale(p.WANScale).File(), nil
}

// configs returns the configurations of all nodes. Regions alternate, so that the first nodes are in different
// regions; gateways come last.
func (p *Plan) configs(cluster string) []Config {
	address := func(port int) string { return net.JoinHostPort(p.Host, strconv.Itoa(port)) }
	wan := p.WAN
	if isFile(wan) || p.scaled() {
		wan = wanFile
	}
	var nodes []Node
	for i := range len(p.Regions) * p.NodesPerRegion {
		nodes = append(nodes, Node{ID: txn.NodeID(i + 1), Region: p.Regions[i%len(p.Regions)], Address: address(p.BasePort + i)})
	}
	for _, r := range p.Gateways {
		nodes = append(nodes, Node{ID: txn.NodeID(len(nodes) + 1), Region: r, Address: address(p.BasePort + len(nodes)), Role: RoleGateway})
	}
	for _, s := range p.Sources {
		nodes = append(nodes, Node{ID: txn.NodeID(len(nodes) + 1), Region: s.Region, Address: address(p.BasePort + len(nodes)), Role: RoleGateway})
	}
	sqlHost := p.SQLHost
	if sqlHost == "" {
		sqlHost = "127.0.0.1"
	}
	var out []Config
	for i, n := range nodes {
		out = append(out, Config{
			Format: Format, Cluster: cluster, Node: n.ID, Region: n.Region, Role: n.Role,
			Data: fmt.Sprintf("node%d", n.ID), PeerListen: n.Address,
			SQLListen:  net.JoinHostPort(sqlHost, strconv.Itoa(p.BasePort+sqlPortsAfter+i)),
			SQL:        SQL{Root: verifierFile, Certificate: fmt.Sprintf("sql%d.crt", n.ID), Key: fmt.Sprintf("sql%d.key", n.ID)},
			HTTPListen: HTTPAt(p.httpPort(i), p.BasePort+i),
			TLS:        TLS{CA: "ca.crt", Certificate: fmt.Sprintf("node%d.crt", n.ID), Key: fmt.Sprintf("node%d.key", n.ID)},
			Protocol:   p.Protocol, WAN: wan, AddDelays: wan != "", Nodes: nodes,
		})
	}
	for i := range p.Sources {
		c := &out[len(out)-len(p.Sources)+i]
		c.SQLListen, c.SQL, c.Sources = "", SQL{}, []Source{p.Sources[i].Source}
	}
	return out
}

// ErrExists: the directory is not empty.
var ErrExists = errors.New("nothing was changed: give a new or an empty directory")

func refuseExisting(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the directory %s cannot be read: %w", dir, err)
	case len(entries) == 0:
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "ca.crt")); err == nil {
		return fmt.Errorf("%s holds a cluster already; %w", dir, ErrExists)
	}
	return fmt.Errorf("%s is not empty; %w", dir, ErrExists)
}

// File modes: keys are readable by the owner only.
const (
	public = 0o644
	secret = 0o600
)

// fill writes all files into a directory.
func (p *Plan) fill(dir string, c *Cluster) error {
	a, err := peer.NewAuthority(c.Name)
	if err != nil {
		return err
	}
	cert, key, err := a.PEM()
	if err != nil {
		return err
	}
	write := func(name string, b []byte, mode fs.FileMode) {
		if err == nil {
			err = disk.WriteNew(p.Disk, filepath.Join(dir, name), b, mode)
		}
	}
	write("ca.crt", cert, public)
	write("ca.key", key, secret)
	clients, err := peer.NewAuthority(c.Name)
	if err != nil {
		return err
	}
	if cert, key, err = clients.PEM(); err != nil {
		return err
	}
	write(clientCA, cert, public)
	write(clientCAKey, key, secret)
	if err := p.writeRoot(write); err != nil {
		return err
	}
	if isFile(p.WAN) || p.scaled() {
		b, readErr := p.mapFile()
		if readErr != nil {
			return readErr
		}
		write(wanFile, b, public)
	}
	for _, n := range c.Nodes {
		cert, key, issueErr := a.Issue(n.Node)
		if issueErr != nil {
			return issueErr
		}
		write(n.TLS.Certificate, cert, public)
		write(n.TLS.Key, key, secret)
		if n.SQLListen != "" {
			if cert, key, issueErr = clients.IssueServer(sqlName(n.Node), sqlHosts(n)); issueErr != nil {
				return issueErr
			}
			write(n.SQL.Certificate, cert, public)
			write(n.SQL.Key, key, secret)
		}
		text, encodeErr := yaml.Marshal(&n)
		if encodeErr != nil {
			return encodeErr
		}
		write(fmt.Sprintf("node%d.yaml", n.Node), append([]byte(heading), text...), public)
		if err == nil {
			err = server.PrepareMember(p.Disk, filepath.Join(dir, n.Data), c.Name, n.Node, n.Region, n.Protocol)
		}
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return disk.SyncDir(p.Disk, dir)
}

// heading begins a configuration.
const heading = `# One node of an Isochron cluster. Paths are relative to this file. The list of
# nodes and the wan are the same at all nodes of the cluster. The protocol is what
# a new cluster begins with; isochron set-protocol changes it later.
`
