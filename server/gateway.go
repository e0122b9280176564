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

// A gateway stores nothing its cluster depends on: its commits are decided by the shards' logs, and it
// receives the catalogue from them. So its directory may be empty, at first or later. It then asks the
// cluster for the number from which to count its incarnations, since no two transactions may share a name.

// gatewayStarts is the number of starts a gateway has between two starts with an empty directory.
const gatewayStarts = 1 << 16

// prepareGateway checks or creates a gateway's directory; empty: it has no data.
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
			return false, fmt.Errorf("%s has other files and no node (no %s in it): use an empty directory, or the gateway's own", dir, identityFile)
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

// beginPause is the pause between two rounds of requests to begin.
const beginPause = 100 * time.Millisecond

// begin has the cluster count a start of this gateway with an empty directory and returns the number before
// its first incarnation. It waits for a majority of the nodes.
func (p *Process) begin() (uint32, error) {
	logged := time.Now()
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
		if time.Since(logged) >= waitingLogEvery {
			logged = time.Now()
			p.cfg.Log.Warn("the gateway starts with an empty directory and waits for a majority of the cluster's nodes", "err", errors.Join(errs...))
		}
		time.Sleep(beginPause)
	}
}

// checkRole stops a node whose configured role differs from its role in the directory.
func (p *Process) checkRole(d *routing.Directory) {
	n, ok := d.Node(uint32(p.cfg.Self))
	if !ok || d.Epoch == 0 || n.Gateway == p.gateway {
		return
	}
	role := map[bool]string{true: "role: gateway", false: "no role: gateway"}
	p.away.Do(func() {
		p.fail(fmt.Errorf("the configuration of node %d has %s, the cluster's directory has %s: a node's role cannot change; add another node",
			p.cfg.Self, role[p.gateway], role[n.Gateway]))
	})
}
