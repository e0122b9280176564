package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"
)

// kept keeps what the engine stores.
type kept struct{ data []byte }

// Persist implements mysql_db.MySQLDbPersistence.
func (k *kept) Persist(_ *gms.Context, data []byte) error {
	k.data = data
	return nil
}

// editStored is what stored users become when something is done to them, by the engine's own types.
func editStored(data []byte, do func(*mysql_db.Editor)) ([]byte, error) {
	db, k := mysql_db.CreateEmptyMySQLDb(), new(kept)
	db.SetEnabled(true)
	db.SetPersister(k)
	ed := db.Editor()
	defer ed.Close()
	if err := db.OverwriteUsersAndGrantData(gms.NewEmptyContext(), ed, data); err != nil {
		return nil, err
	}
	stored, e := serial.GetRootAsMySQLDb(data, 0), new(serial.RoleEdge)
	for i := range stored.RoleEdgesLength() {
		if stored.RoleEdges(e, i) && e.WithAdminOption() { // the engine does not read this
			from, to := string(e.FromHost()), string(e.ToHost())
			ed.RemoveRoleEdge(mysql_db.RoleEdgesPrimaryKey{FromHost: from, FromUser: string(e.FromUser()), ToHost: to, ToUser: string(e.ToUser())})
			ed.PutRoleEdge(&mysql_db.RoleEdge{FromHost: from, FromUser: string(e.FromUser()), ToHost: to, ToUser: string(e.ToUser()), WithAdminOption: true})
		}
	}
	do(ed)
	err := db.Persist(gms.NewEmptyContext(), ed)
	return k.data, err
}
