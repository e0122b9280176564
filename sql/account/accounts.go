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

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
)

// rootName is the user that a cluster begins with.
const rootName = "root"

// accountsPatience bounds what a login waits for the catalogue.
const accountsPatience = 5 * time.Second

// Accounts are the users of the cluster as this gateway has them. They live in
// the catalogue; shown is what the engine looks at, and follows it.
type Accounts struct {
	store *catalog.Store
	shown *mysql_db.MySQLDb
	first []byte // the users of a cluster in which none were ever made

	mu      sync.Mutex
	applied []byte                           // what shown holds
	seen    atomic.Pointer[catalog.Snapshot] // the catalogue that it is of; each statement asks
	book    atomic.Pointer[book]             // what shown holds

	asking  sync.Mutex
	askedAt time.Time // when the last question to the leader began
}

// New makes the users of a gateway: root alone, until the catalogue is read.
func New(store *catalog.Store, shown *mysql_db.MySQLDb, rootVerifier string) (*Accounts, error) {
	a := &Accounts{store: store, shown: shown}
	shown.SetEnabled(true)
	shown.SetPersister(refusePersist{})
	db, saved := scratch()
	ed := db.Editor()
	defer ed.Close()
	ed.PutUser(&mysql_db.User{
		User: rootName, Host: "%", PrivilegeSet: mysql_db.NewPrivilegeSetWithAllPrivileges(),
		Plugin: string(mysql.MysqlNativePassword), AuthString: rootVerifier, PasswordLastChanged: time.Unix(1, 0),
	})
	if err := db.Persist(gms.NewEmptyContext(), ed); err != nil {
		return nil, err
	}
	a.first = saved.data
	return a, a.apply(a.first)
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

// captured keeps what the engine would have stored.
type captured struct{ data []byte }

// Persist implements mysql_db.MySQLDbPersistence.
func (c *captured) Persist(_ *gms.Context, data []byte) error {
	c.data = data
	return nil
}

// refusePersist is for the users that are shown: they change through the catalogue.
type refusePersist struct{}

// Persist implements mysql_db.MySQLDbPersistence.
func (refusePersist) Persist(*gms.Context, []byte) error { return ErrUserTables }

// ErrUserTables is the answer to a statement that writes a table of users directly.
var ErrUserTables = mysql.NewSQLError(codeNotSupported, "42000", "the tables of users cannot be written; use CREATE USER, ALTER USER, GRANT and REVOKE")

// scratch are users to work on before they are stored.
func scratch() (*mysql_db.MySQLDb, *captured) {
	db, c := mysql_db.CreateEmptyMySQLDb(), new(captured)
	db.SetEnabled(true)
	db.SetPersister(c)
	return db, c
}

func load(db *mysql_db.MySQLDb, data []byte) error {
	ed := db.Editor()
	defer ed.Close()
	if err := db.OverwriteUsersAndGrantData(gms.NewEmptyContext(), ed, data); err != nil {
		return fmt.Errorf("the stored users cannot be read: %w", err)
	}
	mendLoaded(ed, data)
	return nil
}

// Edit is what stored users become when something is done to them.
func Edit(data []byte, do func(*mysql_db.Editor)) ([]byte, error) {
	db, saved := scratch()
	if err := load(db, data); err != nil {
		return nil, err
	}
	ed := db.Editor()
	defer ed.Close()
	do(ed)
	if err := db.Persist(gms.NewEmptyContext(), ed); err != nil {
		return nil, err
	}
	return saved.data, nil
}

// apply shows users to the engine. Sessions see their new grants at their next statement.
func (a *Accounts) apply(data []byte) error {
	if data == nil {
		data = a.first
	}
	if a.applied != nil && bytes.Equal(a.applied, data) {
		return nil
	}
	if err := load(a.shown, data); err != nil {
		return err
	}
	a.applied = data
	a.book.Store(bookOf(a.shown))
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
func (a *Accounts) Change(ctx *gms.Context, n gms.Node) error {
	return a.store.ChangeAccounts(ctx, func(old []byte) ([]byte, error) {
		if old == nil {
			old = a.first
		}
		db, saved := scratch()
		if err := load(db, old); err != nil {
			return nil, err
		}
		if err := mayChange(ctx, n, db); err != nil {
			return nil, err
		}
		if err := doAccounts(ctx, n, db); err != nil {
			return nil, err
		}
		if saved.data == nil {
			return old, nil
		}
		return saved.data, nil
	})
}
