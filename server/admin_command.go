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

// What an operator may order a node to do. Those that change the directory may
// be asked of any node, and asked again: the second time changes nothing.
const (
	OrderDirectory = "directory"       // tell the directory as a majority has it
	OrderAddNode   = "add-node"        // Region, Address, Gateway, Instead; the answer's Node is its id
	OrderRemove    = "remove-node"     // Node
	OrderReplace   = "replace-replica" // Node is replaced by To, in Shard or, if that is 0, in all
	OrderLeader    = "transfer-leader" // Shard is to be led by To
	OrderDrain     = "drain"
	OrderUndrain   = "undrain"
	OrderHotRows   = "hot-rows"      // Hot is what is done about hot rows from now on
	OrderProtocol  = "set-protocol"  // Protocol says where to and within which times
	OrderAdmission = "admission"     // Admission is how many tries may contend from now on
	OrderBegin     = "begin"         // Node, a gateway, begins with nothing; the answer's Node is how often it has
	OrderInDoubt   = "in-doubt"      // list what is in doubt at sources
	OrderResolve   = "resolve"       // end the branch Name at its source; Force: commit or rollback, whatever is logged
	OrderForget    = "remove-source" // Name is a source of the cluster no more
	OrderAccept    = "accept-source" // Name is the database of this Identity from now on
	OrderVerify    = "verify"        // the replicas of Shard, led here, are to hold their states for Check
	OrderSums      = "sums"          // sum up Span of what is held of Shard for Check, Rate bytes a second
	OrderStopped   = "stopped"       // Node has stopped by itself, and Why
	OrderRoot      = "root"          // Root is the verifier of root's new password; Node is who says so
)

// AdminCommand is one of them, with what it needs.
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

// Outcome of an order. Refused says why it was not carried out, and that asking
// another node would not help.
type Outcome struct {
	Refused   string             `json:"refused,omitempty"`
	Error     string             `json:"error,omitempty"`
	Node      uint32             `json:"node,omitempty"`
	Directory *routing.Directory `json:"directory,omitempty"`
	Began     string             `json:"began,omitempty"` // the protocol with which the cluster began
	InDoubt   []SourceDoubt      `json:"in_doubt,omitempty"`
	Sums      *Sums              `json:"sums,omitempty"`
}

// ErrRefused: the order makes no sense as the cluster is.
var ErrRefused = errors.New("refused")

// orderWait bounds the carrying out of an order.
const orderWait = 8 * time.Second

// execute does what an operator orders.
func (p *Process) execute(raw []byte) Outcome {
	var o AdminCommand
	if err := json.Unmarshal(raw, &o); err != nil {
		return Outcome{Refused: "the order cannot be read; is the command of another version?"}
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
		says := p.runner.verifying.answer(txn.ShardID(o.Shard), o.Check, o.Span, o.Rate)
		return Outcome{Sums: &says}
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

// OnRoot has f called when an operator sets the password of the SQL user root, with
// its verifier: whoever serves SQL clients knows where users are kept.
func (p *Process) OnRoot(f func(ctx context.Context, verifier string) error) { p.onRoot.Store(&f) }

func (p *Process) setRoot(ctx context.Context, o AdminCommand) Outcome {
	f := p.onRoot.Load()
	if f == nil {
		return Outcome{Error: "the node serves no SQL clients yet"}
	}
	if err := (*f)(ctx, o.Root); err != nil {
		return Outcome{Error: err.Error()}
	}
	p.cfg.Log.Warn("the password of root was set by an operator who has the files of a node", "files_of_node", o.Node)
	return Outcome{Node: uint32(p.cfg.Self)}
}

// apply changes the directory, of a cluster that began with a protocol, as ordered.
func (o AdminCommand) apply(d *routing.Directory, began string) (node uint32, err error) {
	switch o.Do {
	case OrderDirectory:
		return 0, nil
	case OrderAddNode:
		for _, n := range d.Nodes {
			if n.ID != o.Instead && n.Address == o.Address && n.Region == o.Region && n.Gateway == o.Gateway {
				return n.ID, nil // asked before
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
	return 0, fmt.Errorf("this node does not know the order %q; is it of another version?", o.Do)
}

// SendAdmin orders a node to do something. An error that is ErrRefused will be the
// same at every node.
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
		return Outcome{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return out.result()
}

// result is the outcome, or its error.
func (out Outcome) result() (Outcome, error) {
	switch {
	case out.Refused != "":
		return out, fmt.Errorf("%w: %s", ErrRefused, out.Refused)
	case out.Error != "":
		return out, errors.New(out.Error)
	}
	return out, nil
}

// MemberOf is a node of a directory as it is reached; addresses are those that
// the caller knows better.
func MemberOf(n routing.Node, addresses map[txn.NodeID]string) Member {
	m := Member{ID: txn.NodeID(n.ID), Region: geo.Region(n.Region), Address: n.Address, Gateway: n.Gateway}
	if a := addresses[m.ID]; a != "" {
		m.Address = a
	}
	return m
}
