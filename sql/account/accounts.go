package account

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
)

// rootName is the user that a cluster begins with.
const rootName = "root"

// accountsPatience bounds what a login waits for the catalogue.
const accountsPatience = 5 * time.Second

// Accounts are the users of the cluster as this gateway has them. They live in
// the catalogue; what the engine shows of them follows it.
type Accounts struct {
	store *catalog.Store
	codec Codec
	first []byte // the users of a cluster in which none were ever made

	mu      sync.Mutex
	applied []byte                           // what the engine shows
	seen    atomic.Pointer[catalog.Snapshot] // the catalogue that it is of; each statement asks
	book    atomic.Pointer[Book]             // likewise

	asking  sync.Mutex
	askedAt time.Time // when the last question to the leader began
}

// New makes the users of a gateway: root alone, until the catalogue is read.
func New(store *catalog.Store, codec Codec, rootVerifier string) (*Accounts, error) {
	first, err := codec.Encode(Stored{Users: []*User{rootUser(rootVerifier, time.Unix(1, 0))}})
	if err != nil {
		return nil, err
	}
	a := &Accounts{store: store, codec: codec, first: first}
	return a, a.apply(first)
}

// Seed stores the first users, if the cluster has none.
func (a *Accounts) Seed(ctx context.Context) error {
	now, err := a.store.Accounts(ctx)
	if err != nil || now != nil {
		return err
	}
	return a.store.ChangeAccounts(ctx, func(old []byte) ([]byte, error) {
		if old != nil {
			return old, nil // another node was first
		}
		return a.first, nil
	})
}

// CheckVerifier says whether a text is a stored password as mysql_native_password has it.
func CheckVerifier(text string) error {
	rest, ok := strings.CutPrefix(text, "*")
	if b, err := hex.DecodeString(rest); !ok || err != nil || len(b) != 20 {
		return fmt.Errorf("it is no verifier of a password: a * and 40 hexadecimal digits, as init writes it")
	}
	return nil
}

// ErrUserTables is the answer to a statement that writes a table of users directly.
var ErrUserTables = legacy.NewError(codeNotSupported, "42000", "the tables of users cannot be written; use CREATE USER, ALTER USER, GRANT and REVOKE")

// rootUser is root with every privilege.
func rootUser(verifier string, changed time.Time) *User {
	own := nothing.with(nothing)
	own.Global = all
	return &User{Name: Name{anyHost, rootName}, Plugin: Native, Verifier: verifier, PasswordChanged: changed, Own: own}
}

// read is a book of what is stored.
func (a *Accounts) read(data []byte) (*Book, error) {
	s, err := a.codec.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the stored users cannot be read: %w", err)
	}
	return bookOf(s), nil
}

// apply shows users to the engine. Sessions see their new grants at their next statement.
func (a *Accounts) apply(data []byte) error {
	if data == nil {
		data = a.first
	}
	if a.applied != nil && bytes.Equal(a.applied, data) {
		return nil
	}
	b, err := a.read(data)
	if err == nil {
		err = a.codec.Show(b.stored())
	}
	if err != nil {
		return err
	}
	a.applied = data
	a.book.Store(b)
	return nil
}

// Refresh follows the catalogue as the nearest replica has it.
func (a *Accounts) Refresh(ctx context.Context) error {
	if a.store.Fresh() {
		return a.Follow() // the way of nearly every statement
	}
	ctx, cancel := context.WithTimeout(ctx, accountsPatience)
	defer cancel()
	if _, err := a.store.Current(ctx); err != nil {
		return err
	}
	return a.Follow()
}

// Follow shows the users of the catalogue at hand.
func (a *Accounts) Follow() error {
	if snap := a.store.Held(); snap == nil || snap == a.seen.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	snap := a.store.Held()
	err := a.apply(snap.Accounts)
	if err == nil {
		a.seen.Store(snap)
	}
	return err
}

// AskLeader follows the catalogue as its leader has it now: a user that the
// nearest replica does not know may have been made a moment ago. One asks for
// all who came before.
func (a *Accounts) AskLeader() error {
	came := time.Now()
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.askedAt.After(came) {
		return nil
	}
	a.askedAt = time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), accountsPatience)
	defer cancel()
	now, err := a.store.Accounts(ctx)
	if err != nil {
		return err
	}
	if held := a.store.Held(); held == nil || !bytes.Equal(held.Accounts, now) {
		if _, err := a.store.Reload(ctx); err != nil {
			return err
		}
	}
	return a.Follow()
}

// Change does a statement about users on the stored ones, in one transaction of the
// catalogue: of two gateways that change them none loses its change.
func (a *Accounts) Change(ctx context.Context, s *Session, stmt Statement) error {
	return a.edit(ctx, func(b *Book, d *draft) error {
		me := b.users[Name{s.Host, s.User}]
		if me == nil {
			return legacy.NewError(codeAccessDenied, "28000", "Access denied for user '%s'@'%s': the account was dropped", s.User, s.Host)
		}
		d.Session = s
		if err := stmt.may(&judge{b, me, s.Database}); err != nil {
			return err
		}
		return stmt.do(d)
	})
}

// SetRoot gives root a new password, by its verifier, and every privilege: it is made again
// if it was dropped, and let in if it was locked.
func (a *Accounts) SetRoot(ctx context.Context, verifier string) error {
	if err := CheckVerifier(verifier); err != nil {
		return err
	}
	err := a.edit(ctx, func(_ *Book, d *draft) error {
		d.put(rootUser(verifier, time.Now().UTC()))
		return nil
	})
	if err != nil {
		return err
	}
	return a.AskLeader()
}

// edit stores what accounts become by a change.
func (a *Accounts) edit(ctx context.Context, change func(b *Book, d *draft) error) error {
	return a.store.ChangeAccounts(ctx, func(old []byte) ([]byte, error) {
		if old == nil {
			old = a.first
		}
		b, err := a.read(old)
		if err != nil {
			return nil, err
		}
		d := b.draft()
		if err := change(b, d); err != nil {
			return nil, err
		}
		return a.codec.Encode(d.stored())
	})
}
