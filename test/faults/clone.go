package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isochron/server/ports"

	"go.yaml.in/yaml/v3"
)

// cloneWait bounds how long a clone goes unnoticed.
const cloneWait = 20 * time.Second

// startClone kills the node, copies its data, starts it again, and starts a clone on the copy, with
// ports of its own. The clone must end by itself with an error, and serve no client until then.
func (m *nemesis) startClone(ctx context.Context, n *Node) error {
	if err := n.Kill(); err != nil {
		return err
	}
	clone, err := n.copied()
	if err = errors.Join(err, n.Start()); err == nil {
		err = n.Await(ctx)
	}
	if err != nil {
		return err
	}
	m.clone = clone
	if err := clone.Start(); err != nil {
		return err
	}
	r := clone.mayEnd()
	select {
	case <-r.ready:
		return fmt.Errorf("a clone of node %d, on a copy of its data and other ports, serves", n.ID)
	case <-r.ended:
		if code := r.cmd.ProcessState.ExitCode(); code == 0 || !strings.HasPrefix(clone.lastLine(), "isochron: ") {
			return fmt.Errorf("a clone of node %d ended with exit code %d and the last line %q; want an error with the reason", n.ID, code, clone.lastLine())
		}
	case <-time.After(cloneWait):
		return fmt.Errorf("a clone of node %d, on a copy of its data and other ports, still runs after %v", n.ID, cloneWait)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// endClone ends the clone, and takes its data away.
func (m *nemesis) endClone() error {
	clone := m.clone
	m.clone = nil
	if clone == nil || clone.current() == nil {
		return nil
	}
	defer clone.ports.Release()
	return errors.Join(clone.Kill(), os.RemoveAll(clone.DataDir), os.Remove(clone.Config))
}

// copied is a node like this one, which does not run, on a copy of its data, with
// other ports.
func (n *Node) copied() (*Node, error) {
	clone := &Node{ID: n.ID, Region: n.Region, DataDir: n.DataDir + "-clone", command: n.command,
		Config: strings.TrimSuffix(n.Config, ".yaml") + "-clone.yaml", log: strings.TrimSuffix(n.log, ".log") + "-clone.log"}
	if err := errors.Join(os.RemoveAll(clone.DataDir), os.CopyFS(clone.DataDir, os.DirFS(n.DataDir))); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(n.Config)
	if err != nil {
		return nil, err
	}
	config := map[string]any{}
	if err := yaml.Unmarshal(b, &config); err != nil {
		return nil, err
	}
	config["data"] = filepath.Base(clone.DataDir)
	keys := []string{"peer_listen", "sql_listen", "http_listen"}
	if clone.ports, err = ports.Take(len(keys)); err != nil {
		return nil, err
	}
	for i, key := range keys {
		config[key] = ports.Address(clone.ports.Base + i)
	}
	clone.SQL = fmt.Sprint(config["sql_listen"])
	if b, err = yaml.Marshal(config); err != nil {
		return nil, err
	}
	return clone, os.WriteFile(clone.Config, b, 0o600)
}
