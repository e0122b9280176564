package catalog

import (
	"bytes"
	"context"
	"fmt"

	"isochron/routing"
	"isochron/txn"
)

// accountsKey is the row of all users and what they are granted. They are read
// and written together, so that two gateways that change them cannot lose a change.
var accountsKey = txn.Key(routing.SystemKey("accounts"))

// accountsMaxBytes bounds that row: some thousand users.
const accountsMaxBytes = 1 << 20

// accountsRecord is the row: the engine's own versioned form of its tables of users.
type accountsRecord struct {
	Format uint64 `cbor:"1,keyasint"`
	Data   []byte `cbor:"2,keyasint"`
}

func decodeAccounts(b []byte) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	rec := new(accountsRecord)
	if err := txn.Decode(b, rec); err != nil {
		return nil, fmt.Errorf("the users: %w", err)
	}
	if rec.Format != recordFormat {
		return nil, fmt.Errorf("the users were stored by a newer release (format %d, this one reads %d)", rec.Format, recordFormat)
	}
	return rec.Data, nil
}

// ChangeAccounts makes new users from the old ones, nil if there are none yet.
// do may run several times; it must depend only on its arguments.
func (s *Store) ChangeAccounts(ctx context.Context, do func(old []byte) ([]byte, error)) error {
	return s.change(ctx, func(c *Change) error {
		values, err := c.get(accountsKey)
		if err != nil {
			return err
		}
		old, err := decodeAccounts(values[0])
		if err != nil {
			return err
		}
		next, err := do(old)
		if err != nil {
			return err
		}
		if len(next) > accountsMaxBytes {
			return fmt.Errorf("users and grants would take %d bytes, and at most %d are kept: drop users that are not needed, or grant to roles", len(next), accountsMaxBytes)
		}
		if !bytes.Equal(old, next) {
			c.put(accountsKey, txn.Encode(accountsRecord{Format: recordFormat, Data: next}))
		}
		return nil
	})
}

// Accounts reads the users from their leader; nil: none were ever made.
func (s *Store) Accounts(ctx context.Context) ([]byte, error) {
	var out []byte
	err := Retry(ctx, s.db, txn.Options{ReadOnly: true, SystemTxn: true}, func(tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{accountsKey}, OnlyRead: true})
		if err != nil {
			return err
		}
		out, err = decodeAccounts(res.Values[0])
		return err
	})
	return out, err
}
