package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"

	"isochron/geo"
	"isochron/server"
	"isochron/server/disk"
	"isochron/server/peer"
	"isochron/txn"
)

// Addition is a node that joins an existing cluster.
type Addition struct {
	Dir       string    // of the files to write
	Disk      disk.Disk // that Dir is on; nil: the machine's
	From      *Config   // of a node of the cluster
	Authority *peer.Authority
	Clients   *peer.Authority // signs the certificate that SQL clients verify
	ID        txn.NodeID
	Region    geo.Region
	NewRegion bool       // the cluster has no node there yet, and no map
	Role      string     // RoleGateway, or nothing
	Peers     string     // address for the other nodes
	Listen    string     // its listen address for them; empty: Peers
	SQL       string     // its listen address for MySQL clients
	HTTP      string     // address of its metrics and health
	Sources   []Source   // databases beside it; then SQL may be empty: it serves no clients
	Instead   txn.NodeID // the node it replaces at its addresses; 0: none
	Nodes     []Node     // of the cluster, including this one
}

// DefaultHTTP returns a node's address for metrics and health, derived from its peer port.
func DefaultHTTP(peerPort int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(peerPort+httpPortsAfter))
}

// HTTPAt is the same with an explicit port; 0: derived.
func HTTPAt(port, peerPort int) string {
	if port == 0 {
		return DefaultHTTP(peerPort)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// Check returns the fault of an addition, before anything is queried or written.
func (a *Addition) Check() error {
	c := a.config()
	c.Node, c.Nodes = 2, []Node{{ID: 1, Region: a.Region, Address: a.Peers}, {ID: 2, Region: a.Region, Address: a.Peers, Role: a.Role}}
	if err := c.check(); err != nil {
		return PlanError{err}
	}
	switch known := a.From.wan.Regions; {
	case a.From.wan.Has(a.Region):
	case a.From.WAN != "":
		return PlanError{fmt.Errorf("region %q is not on the cluster's map, which has %v", a.Region, known)}
	case !a.NewRegion:
		return PlanError{fmt.Errorf("the cluster has no region %q, but %v: name one of them, or say that it is to be a new one (--new-region)", a.Region, known)}
	}
	return nil
}

func (a *Addition) config() Config {
	wan := a.From.WAN
	if isFile(wan) {
		wan = wanFile
	}
	name, root := fmt.Sprintf("node%d", a.ID), ""
	if a.From.SQL.Root != "" {
		root = verifierFile
	}
	sql := SQL{Root: root, Certificate: fmt.Sprintf("sql%d.crt", a.ID), Key: fmt.Sprintf("sql%d.key", a.ID)}
	if a.SQL == "" {
		sql = SQL{}
	}
	return Config{
		Format: Format, Cluster: a.From.Cluster, Node: a.ID, Region: a.Region, Role: a.Role, Data: name,
		PeerListen: cmp.Or(a.Listen, a.Peers), SQLListen: a.SQL, HTTPListen: a.HTTP, Join: true,
		SQL: sql, Sources: a.Sources,
		TLS:          TLS{CA: "ca.crt", Certificate: name + ".crt", Key: name + ".key"},
		HTTPProfiles: a.From.HTTPProfiles && loopback(a.HTTP),
		Protocol:     a.From.Protocol, WAN: wan, AddDelays: a.From.AddDelays, ElectionTimeout: a.From.ElectionTimeout, Nodes: a.Nodes,
	}
}

// Write creates the node's files and returns its configuration's path. Files of an earlier attempt are kept. The
// configuration is written last: if it exists, after a crash too, all others are complete.
func (a *Addition) Write() (string, error) {
	c := a.config()
	if err := c.check(); err != nil {
		return "", err
	}
	path := filepath.Join(a.Dir, fmt.Sprintf("node%d.yaml", a.ID))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	a.Disk = disk.Or(a.Disk)
	if err := disk.MkdirAll(a.Disk, a.Dir, 0o755); err != nil {
		return "", fmt.Errorf("the directory cannot be created: %w", err)
	}
	if err := a.fill(c); err != nil {
		return "", fmt.Errorf("the node's files cannot be written: %w", err)
	}
	text, err := yaml.Marshal(&c)
	if err != nil {
		return "", err
	}
	return path, disk.WriteFile(a.Disk, path, append([]byte(heading), text...), public)
}

func (a *Addition) fill(c Config) error {
	ca, _, err := a.Authority.PEM()
	if err != nil {
		return err
	}
	cert, key, err := a.Authority.Issue(a.ID)
	if err != nil {
		return err
	}
	write := func(name string, b []byte, mode fs.FileMode) {
		if err == nil {
			err = disk.WriteFile(a.Disk, filepath.Join(a.Dir, name), b, mode)
		}
	}
	write(c.TLS.CA, ca, public)
	write(c.TLS.Certificate, cert, public)
	write(c.TLS.Key, key, secret)
	if c.SQLListen != "" {
		if cert, key, err = a.Clients.IssueServer(sqlName(c.Node), sqlHosts(c)); err != nil {
			return err
		}
		write(c.SQL.Certificate, cert, public)
		write(c.SQL.Key, key, secret)
	}
	if c.SQL.Root != "" { // the users are stored already: this only records that root has a password
		b, readErr := peer.ReadSecret(a.From.SQL.Root)
		if readErr != nil {
			return readErr
		}
		write(c.SQL.Root, b, secret)
	}
	if isFile(a.From.WAN) {
		b, readErr := os.ReadFile(a.From.mapFile)
		if readErr != nil {
			return readErr
		}
		write(wanFile, b, public)
	}
	if err != nil {
		return err
	}
	err = server.PrepareMember(a.Disk, filepath.Join(a.Dir, c.Data), c.Cluster, c.Node, c.Region, c.Protocol)
	if errors.Is(err, fs.ErrExist) {
		return nil // of an earlier attempt: nothing ran on it, or there would be a configuration
	}
	return err
}
