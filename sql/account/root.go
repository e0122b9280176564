package account

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
)

// SetRoot gives root a new password, by its verifier, and every privilege: it is made again
// if it was dropped, and let in if it was locked.
func (a *Accounts) SetRoot(ctx context.Context, verifier string) error {
	if err := CheckVerifier(verifier); err != nil {
		return err
	}
	if err := changeRoot(ctx, a.store, a.first, verifier); err != nil {
		return err
	}
	return a.AskLeader()
}

func changeRoot(ctx context.Context, store *catalog.Store, first []byte, verifier string) error {
	return store.ChangeAccounts(ctx, func(old []byte) ([]byte, error) {
		if old == nil {
			old = first
		}
		return Edit(old, func(ed *mysql_db.Editor) {
			putAccount(ed, mysql_db.UserPrimaryKey{Host: "%", User: rootName}, &mysql_db.User{
				User: rootName, Host: "%", PrivilegeSet: mysql_db.NewPrivilegeSetWithAllPrivileges(),
				Plugin: string(mysql.MysqlNativePassword), AuthString: verifier, PasswordLastChanged: time.Now().UTC(),
			})
		})
	})
}
