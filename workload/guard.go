package workload

import (
	"context"
	"slices"

	"isochron/history"
	"isochron/routing"
	"isochron/txn"
)

// A guard makes a transaction depend on the definition of a table without a remote read: every
// shard keeps the same fact under a local key, and a commit fails where the fact has changed since
// it was guarded. Here the fact is one more list, kept equal at all shards: a change of it is an
// append, a guarded commit is a read of it.
const (
	guardName = "workload"
	guardList = "guard"
)

// guardKeys are the local keys of the fact, one for each shard of the lists.
func (w *ListAppend) guardKeys(c *Client) []txn.Key {
	var keys []txn.Key
	for part := range w.Parts {
		if shard, ok := c.DB.Directory().ShardOf(partPrefix(tableLists, part)); ok {
			if k := txn.Key(routing.LocalKey(shard, guardName)); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// guard makes the commit depend on the fact as a near replica has it.
func (w *ListAppend) guard(a *attempt, c *Client) {
	keys := w.guardKeys(c)
	if len(keys) == 0 {
		return
	}
	value, version, ok := c.DB.ReadLocal(keys[c.Rand.IntN(len(keys))])
	if !ok {
		return
	}
	a.t.SchemaCheck(guardName, version)
	a.did(history.Op{Kind: history.ReadList, Key: guardList, List: parseList(value)})
}

// change changes the fact, at all shards in one transaction.
func (w *ListAppend) change(ctx context.Context, c *Client) {
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		keys := w.guardKeys(c)
		list, err := w.readFact(a, keys)
		if err != nil {
			return err
		}
		id := c.nextID()
		for _, k := range keys {
			a.t.Put(k, formatList(append(list[:len(list):len(list)], id)))
		}
		a.did(history.Op{Kind: history.Append, Key: guardList, Value: id})
		return nil
	})
}

// readFact reads the fact at all shards, which must agree: the checker reports a transaction that
// reads one list in two states.
func (w *ListAppend) readFact(a *attempt, keys []txn.Key) (list []int64, err error) {
	res, err := a.read(txn.Read{Gets: keys})
	if err != nil {
		return nil, err
	}
	for _, v := range res.Values {
		list = parseList(v)
		a.did(history.Op{Kind: history.ReadList, Key: guardList, List: list})
	}
	return list, nil
}
