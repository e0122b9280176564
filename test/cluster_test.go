package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server"
	"isochron/sql"
	"isochron/txn"
)

// wanScale makes the longest round trip of azure5 about 12 ms.
const wanScale = 0.05

// cluster is five regions in this process, with a MySQL port for each.
type cluster struct {
	name    string
	regions []geo.Region
	dir     string
	core    *server.Cluster
	ports   []*sql.Server
}

// startFor starts a cluster that ends with the test.
func startFor(t *testing.T, spec protocol.Spec, bugs node.InjectedBugs, o sql.Observer) *cluster {
	t.Helper()
	c, err := start(spec, bugs, o)
	if err != nil {
		t.Fatalf("starting a cluster on %s: %v", spec.Name, err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Errorf("closing a cluster on %s: %v", spec.Name, err)
		}
	})
	return c
}

// start starts a cluster in a directory of its own. The observer may be nil. No
// other cluster may be serving clients meanwhile: go-mysql-server sets variables
// of the whole process, without a lock, whenever a server starts.
func start(spec protocol.Spec, bugs node.InjectedBugs, o sql.Observer) (*cluster, error) {
	wan, err := geo.Parse("azure5")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "isochron-test-")
	if err != nil {
		return nil, err
	}
	c := &cluster{name: spec.Name, regions: wan.Regions, dir: dir}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c.core, err = server.Start(ctx, server.Config{
		Dir: dir, WAN: wan.Scale(wanScale), WANName: "azure5", Spec: spec, Params: node.Params{InjectedBugs: bugs},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	for _, r := range wan.Regions {
		port, err := sql.NewServer(c.core.DB(r), sql.Config{Observer: o})
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		c.ports = append(c.ports, port)
	}
	return c, nil
}

func (c *cluster) close() error {
	var errs []error
	for _, p := range c.ports {
		errs = append(errs, p.Close())
	}
	select {
	case err := <-c.core.Failed():
		errs = append(errs, fmt.Errorf("a node of %s failed: %w", c.name, err))
	default:
	}
	return errors.Join(append(errs, c.core.Close(), os.RemoveAll(c.dir))...)
}

// house is the cluster with both layouts; the variants of a row
// that read at the leader alone are tried on one of them.
func (c *cluster) house() house {
	h := house{name: c.name, regions: c.regions, layouts: layouts, dsn: c.dsn}
	if strings.HasSuffix(c.name, "-nro") {
		h.layouts = h.layouts[1:]
	}
	return h
}

func (c *cluster) dsn(region int, database string) string {
	return fmt.Sprintf("root@tcp(%s)/%s", c.ports[region].Addr(), database)
}

// awaitHome waits until every shard is led from the region that it prefers.
func (c *cluster) awaitHome(t *testing.T) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < endless; time.Sleep(20 * time.Millisecond) {
		leads := map[string][]txn.ShardID{}
		for _, r := range c.regions {
			leads[string(r)] = c.core.Leads(r)
		}
		away := slices.ContainsFunc(c.core.DB(c.regions[0]).Directory().Shards, func(s routing.Shard) bool {
			return !slices.Contains(leads[s.Leader], txn.ShardID(s.ID))
		})
		if !away {
			return
		}
	}
	t.Fatalf("after %v there are shards that are not led from the region they prefer", endless)
}

// shared are the clusters that all tests use, by protocol: a start takes seconds.
var shared struct {
	mu       sync.Mutex
	clusters []*cluster
}

func sharedCluster(t *testing.T, spec protocol.Spec) *cluster {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for _, c := range shared.clusters {
		if c.name == spec.Name {
			return c
		}
	}
	c, err := start(spec, node.InjectedBugs{}, nil)
	if err != nil {
		t.Fatalf("starting a cluster on %s: %v", spec.Name, err)
	}
	shared.clusters = append(shared.clusters, c)
	return c
}

func closeClusters() error {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	var errs []error
	for _, c := range shared.clusters {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}
