package coordinator

import (
	"context"
	"errors"

	"isochron/routing"
	"isochron/txn"
)

// directoryTries bounds the retries of a change of the directory that conflicts with others.
const directoryTries = 20

// ChangeDirectory changes the directory in a transaction and returns the new one. change may be
// called several times; if it changes nothing, nothing is written. After an error of KindUnknown
// the change may have been made.
func ChangeDirectory(ctx context.Context, db txn.DB, change func(*routing.Directory) error) (*routing.Directory, error) {
	var err error
	for range directoryTries {
		var d *routing.Directory
		if d, err = changeDirectory(ctx, db, change); err == nil {
			return d, nil
		}
		var sent *txn.Error
		if !errors.As(err, &sent) || sent.Kind != txn.KindAborted || ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, err
}

func changeDirectory(ctx context.Context, db txn.DB, change func(*routing.Directory) error) (*routing.Directory, error) {
	key := txn.Key(routing.DirectoryKey)
	tx := db.Begin(txn.Options{SystemTxn: true})
	defer tx.Rollback()
	res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
	if err != nil {
		return nil, err
	}
	if res.Values[0] == nil {
		return nil, errors.New("the cluster has no directory of shards; was it initialised?")
	}
	d, err := routing.Decode(res.Values[0])
	if err != nil {
		return nil, err
	}
	before := string(d.Encode())
	if err := change(d); err != nil {
		return nil, err
	}
	if string(d.Encode()) == before {
		return d, tx.Commit(ctx)
	}
	d.Epoch++
	tx.Put(key, d.Encode())
	return d, tx.Commit(ctx)
}
