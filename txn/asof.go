package txn

import (
	"context"
	"time"

	"isochron/routing"
)

// MaxProtect bounds how long one read keeps the versions of its moment.
const MaxProtect = 10 * time.Minute

// ReadPresent is a moment to read at that has in it every commit that was
// acknowledged, at any gateway, before Present was called, at the shards that
// this gateway's directory knows. It costs one round to their leaders.
func ReadPresent(ctx context.Context, db DB) (Timestamp, error) {
	t := db.Begin(Options{ReadOnly: true})
	defer t.Rollback()
	res, err := t.Read(ctx, Read{Gets: EveryShard(db.Directory()), WantReadTS: true})
	return res.At, err
}

// EveryShard is one key of each native shard of the directory: a read of them asks all.
func EveryShard(d *routing.Directory) []Key {
	keys := make([]Key, 0, len(d.Shards))
	for _, s := range d.Shards {
		if !s.Kind.Native() {
			continue // a source has no moments
		}
		keys = append(keys, Key(routing.LocalKey(s.ID, "")))
	}
	return keys
}
