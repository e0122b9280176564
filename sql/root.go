package sql

import (
	"context"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
)

// SetRoot gives root a new password, by its verifier (CheckVerifier), and every
// privilege: it is made again if it was dropped, and let in if it was locked. It is
// for who has lost the password and has the files of a node.
func (s *Server) SetRoot(ctx context.Context, verifier string) error {
	if err := CheckVerifier(verifier); err != nil {
		return err
	}
	a := s.gateway.accounts
	if err := changeRoot(ctx, a.store, a.first, verifier); err != nil {
		return err
	}
	return a.askLeader()
}

func changeRoot(ctx context.Context, store *catalog.Store, first []byte, verifier string) error {
	return store.ChangeAccounts(ctx, func(old []byte) ([]byte, error) {
		if old == nil {
			old = first
		}
		db, saved := scratch()
		if err := load(db, old); err != nil {
			return nil, err
		}
		ed := db.Editor()
		defer ed.Close()
		putAccount(ed, mysql_db.UserPrimaryKey{Host: "%", User: rootName}, &mysql_db.User{
			User: rootName, Host: "%", PrivilegeSet: mysql_db.NewPrivilegeSetWithAllPrivileges(),
			Plugin: string(mysql.MysqlNativePassword), AuthString: verifier, PasswordLastChanged: time.Now().UTC(),
		})
		if err := db.Persist(gms.NewEmptyContext(), ed); err != nil {
			return nil, err
		}
		return saved.data, nil
	})
}
