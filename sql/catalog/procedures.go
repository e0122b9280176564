package catalog

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/sql/procedure"
	"isochron/txn"
)

// Procedure is a stored procedure as stored: its text, and under which mode it was written.
type Procedure struct {
	Format   uint64 `cbor:"1,keyasint"`
	Database string `cbor:"2,keyasint"`
	Name     string `cbor:"3,keyasint"`
	Create   string `cbor:"4,keyasint"`
	SQLMode  string `cbor:"5,keyasint,omitempty"`
	Created  int64  `cbor:"6,keyasint"` // in nanoseconds since 1970, by the clock of its gateway
	Altered  int64  `cbor:"7,keyasint"` // likewise
	// The definer's account. Empty: created by an earlier version.
	DefinerUser string `cbor:"8,keyasint,omitempty"`
	DefinerHost string `cbor:"9,keyasint,omitempty"`
}

// StoredProcedure is a procedure of a snapshot.
type StoredProcedure struct {
	Procedure
	// Read is the parsed text. It is parsed once.
	Read func() (*procedure.Procedure, error)
	raw  []byte
}

func procedureKey(db, name string) txn.Key {
	return txn.Key(routing.SystemKey("procedure/" + fold(db) + "\x00" + fold(name)))
}

// ProcedureSpan holds all procedures.
func ProcedureSpan() txn.Span { return prefixSpan("procedure/") }

func decodeProcedure(b []byte) (*StoredProcedure, error) {
	p := &StoredProcedure{raw: b}
	if err := txn.Decode(b, &p.Procedure); err != nil {
		return nil, fmt.Errorf("the catalogue: %w", err)
	}
	p.Read = sync.OnceValues(func() (*procedure.Procedure, error) {
		return procedure.ReadStored(p.Create, p.SQLMode)
	})
	return p, nil
}

// takeProcedures decodes the catalogue's procedures; unchanged ones are taken from the old snapshot.
func (s *Snapshot) takeProcedures(old *Snapshot, pairs []txn.Pair) error {
	if len(pairs) > 0 {
		s.Procedures = make(map[txn.Key]*StoredProcedure, len(pairs))
	}
	for _, pair := range pairs {
		if old != nil && old.Procedures[pair.Key] != nil && bytes.Equal(old.Procedures[pair.Key].raw, pair.Value) {
			s.Procedures[pair.Key] = old.Procedures[pair.Key]
			continue
		}
		p, err := decodeProcedure(pair.Value)
		if err != nil {
			return err
		}
		s.Procedures[pair.Key] = p
	}
	return nil
}

// Procedure finds a procedure by names of any case.
func (s *Snapshot) Procedure(db, name string) (*StoredProcedure, bool) {
	p, ok := s.Procedures[procedureKey(db, name)]
	return p, ok
}

// The errors of procedures, with MySQL's numbers.

func errProcedureExists(name string) error {
	return legacy.NewError(1304, "42000", "PROCEDURE %s already exists", name)
}

// ErrNoProcedure is the error of a procedure that is not there.
func ErrNoProcedure(db, name string) error {
	return legacy.NewError(1305, "42000", "PROCEDURE %s.%s does not exist", db, name)
}

// CreateProcedure stores a procedure, in the place of one of its name if it replaces. The database
// then has at most so many, or it is refused with 3170.
func (c *Change) CreateProcedure(p Procedure, replaces bool, most int) error {
	p.Format, p.Altered = recordFormat, time.Now().UnixNano()
	p.Created = p.Altered
	key := procedureKey(p.Database, p.Name)
	res, err := c.tx.Read(c.ctx, txn.Read{
		Gets:     []txn.Key{databaseKey(p.Database), key},
		Scans:    []txn.Scan{{Span: prefixSpan("procedure/" + fold(p.Database) + "\x00")}},
		ForWrite: true,
	})
	switch {
	case err != nil:
		return err
	case res.Values[0] == nil:
		return legacy.ErrDatabaseNotFound.New(p.Database)
	case res.Values[1] != nil && !replaces:
		return errProcedureExists(p.Name)
	case res.Values[1] == nil && len(res.Pairs[0]) >= most:
		return legacy.NewError(3170, "HY000", "Memory capacity of %d procedures of a database exceeded: drop those that are not needed, or raise isochron_procedures_max", most)
	}
	c.put(key, txn.Encode(p))
	return nil
}

// DropProcedure removes a procedure.
func (c *Change) DropProcedure(db, name string) error {
	values, err := c.get(procedureKey(db, name))
	if err != nil {
		return err
	}
	if values[0] == nil {
		return ErrNoProcedure(db, name)
	}
	c.delete(procedureKey(db, name))
	return nil
}
