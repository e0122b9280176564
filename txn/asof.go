package txn

import (
	"context"
	"time"

	"isochron/routing"
)

// MaxProtect bounds how long one read protects the versions of its read timestamp from collection.
const MaxProtect = 10 * time.Minute

// ReadPresent returns a read timestamp that includes every commit acknowledged at any gateway before
// the call, at the shards in this gateway's directory. It costs one round to their leaders.
func ReadPresent(ctx context.Context, db DB) (Timestamp, error) {
	t := db.Begin(Options{ReadOnly: true})
	defer t.Rollback()
	res, err := t.Read(ctx, Read{Gets: EveryShard(db.Directory()), WantReadTS: true})
	return res.At, err
}

// EveryShard returns one key of each native shard of the directory, so that a read of them visits all.
func EveryShard(d *routing.Directory) []Key {
	keys := make([]Key, 0, len(d.Shards))
	for _, s := range d.Shards {
		if !s.Kind.Native() {
			continue // sources have no read timestamps
		}
		keys = append(keys, Key(routing.LocalKey(s.ID, "")))
	}
	return keys
}
