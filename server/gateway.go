package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isochron/routing"
	"isochron/server/disk"
)

// A gateway has promised nothing that its disk must keep: its commits are decided by
// what the shards have logged, and it learns the catalogue from them. So its directory
// may be empty, at first or again. It asks the cluster then from where to count its
// incarnations, for no two transactions may have one name.

// gatewayStarts is how many starts a gateway has between two beginnings with nothing.
const gatewayStarts = 1 << 16

// prepareGateway checks the directory of a gateway, or makes it; empty says that it
// begins with nothing.
func (want identity) prepareGateway(d disk.Disk, dir string) (empty bool, err error) {
	if err := disk.MkdirAll(d, dir, 0o700); err != nil {
		return false, fmt.Errorf("the data directory %s cannot be made: %w", dir, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return false, fmt.Errorf("the data directory cannot be read: %w", err)
	}
	mine := false
	for _, f := range files {
		mine = mine || f.Name() == identityFile
	}
	for _, f := range files {
		if !mine && f.Name() != livesFile && !strings.HasPrefix(f.Name(), disk.Unfinished) {
			return false, fmt.Errorf("%s holds something and no node (no %s in it): give an empty directory, or the gateway's own", dir, identityFile)
		}
	}
	if err := want.claim(d, dir); err != nil {
		return false, err
	}
	data, err := os.ReadDir(filepath.Join(dir, dataDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("the node's data cannot be read: %w", err)
	}
	return len(data) == 0, nil
}

// beginPause is between two rounds of asking to begin.
const beginPause = 100 * time.Millisecond

// begin has the cluster count that this gateway begins with nothing, and returns the
// number of the incarnation before its first. It waits for a majority of the nodes.
func (p *Process) begin() (uint32, error) {
	said := time.Now()
	for {
		var errs []error
		for _, m := range p.cfg.Members {
			if m.ID == p.cfg.Self || m.Gateway {
				continue
			}
			ctx, cancel := context.WithTimeout(context.Background(), orderWait)
			out, err := SendAdmin(ctx, p.cfg.Credentials, m, AdminCommand{Do: OrderBegin, Node: uint32(p.cfg.Self)})
			cancel()
			if err == nil {
				return out.Node * gatewayStarts, nil
			}
			if errors.Is(err, ErrRefused) {
				return 0, err
			}
			errs = append(errs, fmt.Errorf("node %d: %w", m.ID, err))
		}
		if time.Since(said) >= waitingLogEvery {
			said = time.Now()
			p.cfg.Log.Warn("the gateway begins with nothing, and waits for a majority of the cluster's nodes", "err", errors.Join(errs...))
		}
		time.Sleep(beginPause)
	}
}

// checkRole stops a node that the cluster knows in another role than it has been given.
func (p *Process) checkRole(d *routing.Directory) {
	n, ok := d.Node(uint32(p.cfg.Self))
	if !ok || d.Epoch == 0 || n.Gateway == p.gateway {
		return
	}
	role := map[bool]string{true: "role: gateway", false: "no role: gateway"}
	p.away.Do(func() {
		p.fail(fmt.Errorf("the configuration of node %d says %s, and the cluster knows it with %s: a node keeps its role for life; add another node",
			p.cfg.Self, role[p.gateway], role[n.Gateway]))
	})
}
