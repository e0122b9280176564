package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/peer"
	"isochron/shard"
	"isochron/txn"
)

// An operator's commands to a node. Commands that change the directory may be sent to any node, and
// repeated: a repetition changes nothing.
const (
	OrderDirectory = "directory"       // return the directory a majority has
	OrderAddNode   = "add-node"        // Region, Address, Gateway, Instead; the result's Node is its id
	OrderRemove    = "remove-node"     // Node
	OrderReplace   = "replace-replica" // Node is replaced by To, in Shard or, if that is 0, in all shards
	OrderLeader    = "transfer-leader" // make To the leader of Shard
	OrderDrain     = "drain"
	OrderUndrain   = "undrain"
	OrderHotRows   = "hot-rows"      // Hot is the handling of hot rows from now on
	OrderProtocol  = "set-protocol"  // Protocol has the target and the time limits
	OrderAdmission = "admission"     // Admission bounds the contending tries from now on
	OrderBegin     = "begin"         // Node, a gateway, starts with an empty directory; the result's Node counts these starts
	OrderInDoubt   = "in-doubt"      // list the branches in doubt at sources
	OrderResolve   = "resolve"       // end the branch Name at its source; Force: commit or rollback, regardless of the log
	OrderForget    = "remove-source" // remove the source Name from the cluster
	OrderAccept    = "accept-source" // the source Name has this Identity from now on
	OrderVerify    = "verify"        // the replicas of Shard, led here, hold their states for Check
	OrderSums      = "sums"          // sum Span of the state held of Shard for Check, reading Rate bytes a second
	OrderStopped   = "stopped"       // Node has stopped by itself, with Reason
	OrderRoot      = "root"          // Root is the verifier of root's new password; Node sent it
)

// AdminCommand is a command with its parameters.
type AdminCommand struct {
	Do       string           `json:"do"`
	Node     uint32           `json:"node,omitempty"`
	To       uint32           `json:"to,omitempty"`
	Shard    uint64           `json:"shard,omitempty"`
	Region   string           `json:"region,omitempty"`
	Address  string           `json:"address,omitempty"`
	Gateway  bool             `json:"gateway,omitempty"`
	Instead  uint32           `json:"instead,omitempty"` // the node whose address a new one takes
	Reason   string           `json:"why,omitempty"`
	Check    uint64           `json:"check,omitempty"`
	Span     shard.Span       `json:"span,omitzero"`
	Rate     int64            `json:"rate,omitempty"`
	Hot      routing.HotRows  `json:"hot,omitzero"`
	Protocol routing.Protocol `json:"protocol,omitzero"`

	Admission routing.Admission `json:"admission,omitzero"`
	Root      string            `json:"root,omitempty"`
	Name      string            `json:"name,omitempty"`
	Identity  string            `json:"identity,omitempty"`
	Force     string            `json:"force,omitempty"`
}

// Outcome is a command's result. Refused is the reason for which every node would refuse it.
type Outcome struct {
	Refused   string             `json:"refused,omitempty"`
	Error     string             `json:"error,omitempty"`
	Node      uint32             `json:"node,omitempty"`
	Directory *routing.Directory `json:"directory,omitempty"`
	Began     string             `json:"began,omitempty"` // the protocol the cluster began with
	InDoubt   []SourceDoubt      `json:"in_doubt,omitempty"`
	Sums      *Sums              `json:"sums,omitempty"`
}

// ErrRefused: every node refuses the command.
var ErrRefused = errors.New("refused")

// orderWait bounds the execution of a command.
const orderWait = 8 * time.Second

// execute executes an operator's command.
func (p *Process) execute(raw []byte) Outcome {
	var o AdminCommand
	if err := json.Unmarshal(raw, &o); err != nil {
		return Outcome{Refused: "the command cannot be decoded; it may be of another version"}
	}
	return p.carryOutOrder(o)
}

func (p *Process) carryOutOrder(o AdminCommand) Outcome {
	switch o.Do {
	case OrderDrain, OrderUndrain:
		if !p.SetDraining(o.Do == OrderDrain) {
			return Outcome{Error: "the node has stopped, or is too busy"}
		}
		return Outcome{Node: uint32(p.cfg.Self)}
	case OrderVerify:
		return p.beginVerify(o)
	case OrderSums:
		sums := p.runner.verifying.answer(txn.ShardID(o.Shard), o.Check, o.Span, o.Rate)
		return Outcome{Sums: &sums}
	case OrderStopped:
		p.lastWords.keep(o.Node, o.Reason)
		return Outcome{Node: uint32(p.cfg.Self)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), orderWait)
	defer cancel()
	switch o.Do {
	case OrderRoot:
		return p.setRoot(ctx, o)
	case OrderInDoubt, OrderResolve:
		return p.inDoubt(ctx, o)
	}
	out := Outcome{}
	var refused error
	d, err := coordinator.ChangeDirectory(ctx, p.DB(), func(d *routing.Directory) error {
		out.Node, refused = o.apply(d, p.cfg.Spec.Name)
		return refused
	})
	switch {
	case refused != nil:
		return Outcome{Refused: refused.Error()}
	case err != nil:
		return Outcome{Error: err.Error()}
	}
	out.Directory, out.Began = d, p.cfg.Spec.Name
	return out
}

// OnRoot registers f, which is called with the verifier when an operator sets the password of the SQL user
// root. The server of SQL clients stores users.
func (p *Process) OnRoot(f func(ctx context.Context, verifier string) error) { p.onRoot.Store(&f) }

func (p *Process) setRoot(ctx context.Context, o AdminCommand) Outcome {
	f := p.onRoot.Load()
	if f == nil {
		return Outcome{Error: "the node serves no SQL clients yet"}
	}
	if err := (*f)(ctx, o.Root); err != nil {
		return Outcome{Error: err.Error()}
	}
	p.cfg.Log.Warn("an operator with a node's files set the password of root", "files_of_node", o.Node)
	return Outcome{Node: uint32(p.cfg.Self)}
}

// apply changes the directory of a cluster that began with a protocol.
func (o AdminCommand) apply(d *routing.Directory, began string) (node uint32, err error) {
	switch o.Do {
	case OrderDirectory:
		return 0, nil
	case OrderAddNode:
		for _, n := range d.Nodes {
			if n.ID != o.Instead && n.Address == o.Address && n.Region == o.Region && n.Gateway == o.Gateway {
				return n.ID, nil // repeated
			}
		}
		n := routing.Node{ID: d.NextNode(), Region: o.Region, Address: o.Address, Gateway: o.Gateway}
		return n.ID, d.AddNode(n)
	case OrderBegin:
		return d.BeginGateway(o.Node)
	case OrderRemove:
		return o.Node, d.RemoveNode(o.Node)
	case OrderReplace:
		_, err := d.Replace(o.Shard, o.Node, o.To)
		return o.To, err
	case OrderLeader:
		return o.To, d.Prefer(o.Shard, o.To)
	case OrderHotRows:
		d.Hot = o.Hot
		return 0, o.Hot.Check()
	case OrderForget:
		return 0, d.RemoveSource(o.Name)
	case OrderAccept:
		return 0, d.AcceptSource(o.Name, o.Identity)
	case OrderProtocol:
		if _, err := protocol.LiveByName(o.Protocol.To); err != nil {
			return 0, err
		}
		return 0, d.Protocol.Begin(d.Protocol.InForce(began), o.Protocol)
	case OrderAdmission:
		d.Admission = o.Admission
		return 0, o.Admission.Check()
	}
	return 0, fmt.Errorf("unknown command %q: this node may be of another version", o.Do)
}

// SendAdmin sends a command to a node and returns its result. An ErrRefused would be the same at every
// node.
func SendAdmin(ctx context.Context, c *peer.Credentials, to Member, o AdminCommand) (Outcome, error) {
	question, err := json.Marshal(o)
	if err != nil {
		return Outcome{}, err
	}
	b, err := peer.Ask(ctx, c, to.ID, to.Address, question)
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	if err := json.Unmarshal(b, &out); err != nil {
		return Outcome{}, fmt.Errorf("the reply cannot be decoded: %w", err)
	}
	return out.result()
}

// result returns the outcome, or its error.
func (out Outcome) result() (Outcome, error) {
	switch {
	case out.Refused != "":
		return out, fmt.Errorf("%w: %s", ErrRefused, out.Refused)
	case out.Error != "":
		return out, errors.New(out.Error)
	}
	return out, nil
}

// MemberOf returns a node of a directory with its address; addresses override the directory's.
func MemberOf(n routing.Node, addresses map[txn.NodeID]string) Member {
	m := Member{ID: txn.NodeID(n.ID), Region: geo.Region(n.Region), Address: n.Address, Gateway: n.Gateway}
	if a := addresses[m.ID]; a != "" {
		m.Address = a
	}
	return m
}
