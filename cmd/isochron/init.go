package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server/deploy"
)

// initFlags are the flags of init as given.
type initFlags struct {
	dir      string
	regions  []string
	nodes    int
	gateways []string
	sources  []string
	host     string
	basePort int
	httpPort int
	wan      string
	wanScale float64
	protocol string
	sqlHost  string
	rootFile string
	json     bool
}

func newInit() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write the configurations and certificates of a new cluster",
		Long: `Init creates a directory with a configuration, a certificate and a key for each node of a
new cluster, and the cluster's own certificate authority. It starts no node, and refuses a
directory that is not empty. For a cluster of several machines, edit the addresses in the
configurations before the first start: each contains the same list of nodes.

With --wan the nodes delay their messages as on a wide-area network, so that processes on
one machine are as far apart as the regions of the map.`,
		Example: `  isochron init --dir c --regions va,wa,pr --wan azure5
  isochron init --dir c --regions eu,us,asia --host 10.0.0.1 --base-port 5000
  isochron init --dir c --regions eu,us,asia --source orders@eu=postgres://app@127.0.0.1/shop`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "dir", "", "directory to create (required)")
	flags.StringSliceVar(&f.regions, "regions", nil, "regions; the first leads the catalogue (required without --wan; with it: all of the map)")
	flags.IntVar(&f.nodes, "nodes-per-region", 1, "number of nodes in each region")
	flags.StringSliceVar(&f.gateways, "gateways", nil, "regions with one additional node that serves SQL and stores no data (role: gateway)")
	flags.StringArrayVar(&f.sources, "source", nil, "external database with an agent in a region: name@region=postgres://user@host:port/database or name@region=mysql://user@host:port/database; may be repeated")
	flags.StringVar(&f.host, "host", "127.0.0.1", "address at which the nodes reach each other")
	flags.IntVar(&f.basePort, "base-port", 4500, "port of node 1 for the other nodes; the next nodes use the next ports, MySQL is 100 above, HTTP 200 above")
	flags.IntVar(&f.httpPort, "http-port", 0, "port of node 1 for metrics and health, the next nodes use the next ports; 0: --base-port + 200")
	flags.StringVar(&f.wan, "wan", "", "map whose delays the nodes emulate: "+strings.Join(geo.Names(), ", ")+", uniform:100ms, or a YAML file")
	flags.Float64Var(&f.wanScale, "wan-scale", 1, "factor of the map's delays")
	flags.StringVar(&f.protocol, "protocol", protocol.Default, "how transactions commit: "+strings.Join(protocolNames(), ", "))
	flags.StringVar(&f.sqlHost, "sql-host", "127.0.0.1", "address on which the nodes listen for MySQL clients; on any other than the loopback clients must use TLS")
	flags.StringVar(&f.rootFile, "root-password-file", "", "file with the first password of the user root; empty: a password is generated and written to root.password")
	flags.BoolVar(&f.json, "json", false, "print one JSON object and nothing else")
	return cmd
}

func (f *initFlags) run(out io.Writer) error {
	if f.dir == "" {
		return usagef("--dir is missing: name the directory to make (see isochron init --help)")
	}
	p := deploy.Plan{Dir: f.dir, NodesPerRegion: f.nodes, Host: f.host, BasePort: f.basePort, HTTPPort: f.httpPort, WAN: f.wan, WANScale: f.wanScale, Protocol: f.protocol,
		SQLHost: f.sqlHost, RootPasswordFile: f.rootFile}
	if f.wanScale == 0 || f.wanScale != 1 && f.wan == "" {
		return usagef("--wan-scale %v: give a factor above 0 and up to 100, such as 0.1, and a --wan", f.wanScale)
	}
	for _, r := range f.regions {
		p.Regions = append(p.Regions, geo.Region(r))
	}
	for _, r := range f.gateways {
		p.Gateways = append(p.Gateways, geo.Region(r))
	}
	for _, text := range f.sources {
		s, err := deploy.ParsePlanned(text)
		if err != nil {
			return usagef("--source: %w", err)
		}
		p.Sources = append(p.Sources, s)
	}
	if len(p.Regions) == 0 && f.wan != "" {
		w, err := geo.Parse(f.wan)
		if err != nil {
			return usagef("--wan: %w", err)
		}
		p.Regions = w.Regions
	}
	if len(p.Regions) == 0 {
		return usagef("--regions is missing: name them, such as --regions va,wa,pr, or give a --wan that has some")
	}
	c, err := deploy.Write(p)
	var plan deploy.PlanError
	switch {
	case errors.As(err, &plan):
		return usageError{err}
	case err != nil:
		return err
	case f.json:
		return json.NewEncoder(out).Encode(initReport(c))
	}
	fmt.Fprintf(out, "cluster %s in %s:\n\n", c.Name, c.Dir)
	for i, n := range initReport(c).Nodes {
		if len(c.Nodes[i].Sources) > 0 {
			fmt.Fprintf(out, "  node %-3d %-8s isochron agent --config %s\n", n.Node, n.Region, n.Config)
			continue
		}
		fmt.Fprintf(out, "  node %-3d %-8s isochron start --config %-24s MySQL at %s%s\n", n.Node, n.Region, n.Config, n.SQL, gatewayMark(n.Role))
	}
	if c.RootPassword != "" {
		fmt.Fprintf(out, "\nThe MySQL user root has the password in %s: keep it where only you read it.", c.RootPassword)
	}
	for _, s := range p.Sources {
		fmt.Fprintf(out, "\nPut the password of the account of source %s into %s, where only its agent reads it.", s.Name, filepath.Join(c.Dir, s.PasswordFile))
	}
	fmt.Fprintf(out, "\nMySQL clients verify the nodes with %s.\n", c.ClientCA)
	fmt.Fprintf(out, "Start a majority of them. Keep %s away from the nodes: its owner can make nodes.\n", filepath.Join(c.Dir, "ca.key"))
	return nil
}

// gatewayMark is said behind a node.
func gatewayMark(role string) string {
	if role == "" {
		return ""
	}
	return ", " + role
}

// initialized is the JSON output of init.
type initialized struct {
	Cluster      string            `json:"cluster"`
	Dir          string            `json:"dir"`
	RootPassword string            `json:"root_password_file,omitempty"` // where it was written
	ClientCA     string            `json:"sql_ca"`
	Nodes        []initializedNode `json:"nodes"`
}

type initializedNode struct {
	Node   uint32 `json:"node"`
	Region string `json:"region"`
	Role   string `json:"role,omitempty"`
	Config string `json:"config"`
	Peers  string `json:"peer_listen"`
	SQL    string `json:"sql_listen"`
	HTTP   string `json:"http_listen"`
}

func initReport(c *deploy.Cluster) initialized {
	out := initialized{Cluster: c.Name, Dir: c.Dir, RootPassword: c.RootPassword, ClientCA: c.ClientCA}
	for _, n := range c.Nodes {
		config := filepath.Join(c.Dir, fmt.Sprintf("node%d.yaml", n.Node))
		out.Nodes = append(out.Nodes, initializedNode{uint32(n.Node), string(n.Region), n.Role, config, n.PeerListen, n.SQLListen, n.HTTPListen})
	}
	return out
}
