package node

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"isochron/participant"
	"isochron/protocol"
	"isochron/replica"
	"isochron/routing"
	"isochron/shard"
	"isochron/txn"
)

// errNoOpener: this program cannot host such a participant; other nodes may.
var errNoOpener = errors.New("this program has no opener for it")

// opener opens participants of each kind, as the cluster is configured.
type opener struct {
	cfg       *Config
	env       env
	directory *directoryView
	own       *identity
}

// env is the environment of the node's participants, of every kind.
type env interface {
	shard.Env
	participant.Env
}

// kindOf returns the kind of a shard: from its directory entry, or the protocol's.
func (o *opener) kindOf(s routing.Shard) routing.Kind {
	switch {
	case s.Kind != routing.ByProtocol:
		return s.Kind
	case o.cfg.Spec.Replicates == protocol.ByLog:
		return routing.Logged
	}
	return routing.Unordered
}

// open opens the participant of a directory entry. Native kinds vote as the cluster's protocol
// specifies: the votes of one that replicates in another way would never be counted.
func (o *opener) open(s routing.Shard) (participant.Participant, error) {
	kind := o.kindOf(s)
	if own := o.kindOf(routing.Shard{}); kind.Native() && kind != own {
		return nil, fmt.Errorf("shard %d is %s, and under %s native shards are %s: %w", s.ID, kind, o.cfg.Spec.Name, own, errNoOpener)
	}
	switch kind {
	case routing.Logged:
		return shard.Open(o.shardConfig(s))
	case routing.Unordered:
		return replica.Open(o.replicaConfig(s))
	default:
		opens := o.cfg.Openers[kind]
		if opens == nil {
			return nil, errNoOpener
		}
		return opens(participant.OpenOptions{Shard: s, Self: o.cfg.ID, Epoch: o.own.epoch, Engine: o.cfg.Engine, Spec: o.cfg.Spec,
			Params: o.cfg.Params, Seed: o.cfg.Seed, Env: o.env})
	}
}

func (o *opener) replicaConfig(s routing.Shard) replica.Config {
	members := nodeIDs(s.FoundedBy())
	slices.SortStableFunc(members, func(a, b txn.NodeID) int { return cmp.Compare(o.directory.away(s, a), o.directory.away(s, b)) })
	return replica.Config{
		ID: txn.ShardID(s.ID), Self: o.cfg.ID, Members: members, Engine: o.cfg.Engine, Spec: o.cfg.Spec,
		Params: o.cfg.Params, Env: o.env, Ephemeral: o.cfg.Process != nil, SpecAt: o.cfg.Specs, Genesis: o.genesis(txn.ShardID(s.ID)),
	}
}

func (o *opener) shardConfig(s routing.Shard) shard.Config {
	cfg := shard.Config{
		ID: txn.ShardID(s.ID), Self: o.cfg.ID, Engine: o.cfg.Engine, Spec: o.cfg.Spec, Desired: o.directory.desired(s),
		Params: o.cfg.Params, Seed: o.cfg.Seed, Env: o.env, Process: o.cfg.Process, SpecAt: o.cfg.Specs, Logs: o.cfg.Logs,
		Verify: o.cfg.Verify,
	}
	if !slices.Contains(s.FoundedBy(), uint32(o.cfg.ID)) {
		return cfg // it joins
	}
	cfg.Founders = nodeIDs(s.FoundedBy())
	cfg.Genesis = o.genesis(cfg.ID)
	return cfg
}

// genesis returns the rows that a shard starts with.
func (o *opener) genesis(id txn.ShardID) []txn.Write {
	if id != txn.MetaShard {
		return nil
	}
	return []txn.Write{{Key: txn.Key(routing.DirectoryKey), Value: o.cfg.Directory.Encode()}}
}
