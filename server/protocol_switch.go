package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"isochron/coordinator"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
)

// A cluster of one process switches its protocol before it has clients, so only transactions left by a crash
// have to end first.
const (
	startDrain = 0
	startLimit = time.Minute
)

// beganWith sets the protocol the cluster began with from the node's directory. A missing or damaged file is
// handled later.
func beganWith(cfg MemberConfig) (MemberConfig, error) {
	var have identity
	err := readYAML(filepath.Join(cfg.Dir, identityFile), &have)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(have.Protocol) == 0 {
		return cfg, nil
	}
	if err == nil {
		cfg.Spec, err = protocol.LiveByName(have.Protocol)
	}
	return cfg, err
}

// reportProtocol logs the steps of a protocol switch.
func (r *runner) reportProtocol(p routing.Protocol) {
	var was routing.Protocol
	if d := r.directory.Load(); d != nil {
		was = d.Protocol
	}
	switch {
	case p.Seq > was.Seq:
		r.log.Info("the protocol in force", "protocol", p.Name, "change", p.Seq)
	case p.Under() && p.Try > was.Try:
		r.log.Info("a protocol switch begins: new transactions wait meanwhile", "to", p.To, "try", p.Try)
	case p.Failed != "" && was.Under():
		r.log.Warn("the protocol switch was abandoned", "to", was.To, "why", p.Failed)
	}
}

// Spec returns the protocol in force at this node.
func (p *Process) Spec() protocol.Spec {
	spec := p.cfg.Spec
	p.runner.inLoop(func(n *node.Node) { spec = n.Spec() })
	return spec
}

// Spec returns the protocol in force.
func (c *Cluster) Spec() protocol.Spec {
	spec := c.cfg.Spec
	c.runners[0].inLoop(func(n *node.Node) { spec = n.Spec() })
	return spec
}

// SetProtocol switches the cluster to a protocol and waits until all nodes have switched. It does nothing if
// that protocol is in force.
func (c *Cluster) SetProtocol(ctx context.Context, name string) error {
	if done, err := c.switchedTo(0, name); done || err != nil {
		return err
	}
	db := c.DB(c.runners[0].region)
	want := routing.Protocol{To: name, DrainMillis: startDrain, LimitMillis: startLimit.Milliseconds()}
	if _, err := protocol.LiveByName(name); err != nil {
		return err
	}
	d, err := coordinator.ChangeDirectory(ctx, db, func(d *routing.Directory) error {
		return d.Protocol.Begin(d.Protocol.InForce(c.cfg.Spec.Name), want)
	})
	if err != nil {
		return fmt.Errorf("the protocol cannot be changed to %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*startLimit)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		done, err := c.switchedTo(d.Protocol.Try, name)
		if done || err != nil {
			return err
		}
		select {
		case <-look.C:
		case err := <-c.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("the protocol was not changed to %s in time: %w", name, context.Cause(ctx))
		}
	}
}

// switchedTo reports whether every node and every leader uses a protocol; the error is the reason for which
// that try was abandoned.
func (c *Cluster) switchedTo(try uint64, name string) (bool, error) {
	for _, r := range c.runners {
		v, ok := look(r)
		p := v.change.Protocol
		switch {
		case !ok:
			return false, nil
		case try != 0 && p.Try == try && p.Failed != "":
			return false, fmt.Errorf("the protocol was not changed to %s: %s", name, p.Failed)
		case p.Under() || p.InForce(c.cfg.Spec.Name) != name:
			return false, nil
		}
		for _, s := range v.statuses {
			if s.Serving && s.Kind.Native() && s.ProtocolSeq != p.Seq {
				return false, nil
			}
		}
	}
	return true, nil
}
