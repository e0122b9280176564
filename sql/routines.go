package sql

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/account"
	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/procedure"
	"isochron/sql/sysvars"
	"isochron/sql/table"
)

// Stored procedures are texts of the catalogue, as views are. What their statements are package
// storedProcedure reads; a call carries them out (call.go). The engine lists them (SHOW PROCEDURE STATUS,
// SHOW CREATE PROCEDURE, information_schema.routines), and neither defines nor calls them: what it
// makes of a procedure has loops without bounds, and statements that the session does not see.

const (
	codeProcedureExists = 1304
	codeNoProcedure     = 1305
	codeArguments       = 1318
	codeNoResultSet     = 1312
)

// proceduresVariable is how many procedures a database may have, of the whole gateway.
const proceduresVariable = sysvars.ProceduresMax

// errProcedureElsewhere is what the engine is told where it would do by itself what is done here.
var errProcedureElsewhere = mysql.NewSQLError(1295, "HY000", "This command is not supported in the prepared statement protocol yet: send it as a text, or CALL as a statement that your driver prepares")

// drops matches the begin of a DROP PROCEDURE.
var drops = regexp.MustCompile(`(?is)^(?:\s|/\*[^!].*?\*/)*drop\s+procedure\b`)

// hasDefined is the plan of a text that defines a procedure, or drops it; nil: it is another.
func (x *execution) defined() (Plan, error) {
	if word := table.FirstWord(x.text); word != "create" && word != "drop" || len(x.s.packet.ahead) > 0 || x.prepare != nil {
		return nil, nil
	}
	options := gms.LoadSqlMode(x.s.quiet).ParserOptions()
	switch {
	case procedure.Creates(x.text):
		if err := checkSize(x.s.quiet, x.text, options); err != nil {
			return nil, err
		}
		p, rest, err := procedure.Read(x.text, options.AnsiQuotes)
		if err == nil && rest != "" && !x.several {
			err = errors.New("syntax error: a second statement stands behind the procedure")
		}
		if err != nil {
			return nil, err
		}
		return routineChange{creates: p, rest: rest}, nil
	case drops.MatchString(x.text):
		text, rest := dialect.First(x.text, options.AnsiQuotes)
		stmt, _, err := x.h.g.engine.Parser.ParseOneWithOptions(x.s.quiet, text, options)
		if ddl, ok := stmt.(*sqlparser.DDL); ok && err == nil && ddl.ProcedureSpec != nil {
			return routineChange{drops: ddl, rest: rest}, nil
		}
	}
	return nil, nil // the engine reports what is wrong with it
}

// routineChange is the plan of CREATE PROCEDURE and DROP PROCEDURE.
type routineChange struct {
	creates *procedure.Procedure
	drops   *sqlparser.DDL
	rest    string
}

func (routineChange) kind() planKind { return defining }

func (d routineChange) counter() string {
	if d.drops != nil {
		return "Com_drop_procedure"
	}
	return "Com_create_procedure"
}

// Execute implements Plan.
func (d routineChange) Execute(ctx context.Context, x *execution) error {
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return err
	}
	x.rest = d.rest
	if d.drops != nil {
		err = d.drop(ctx, gctx, x.s)
	} else {
		err = d.create(ctx, gctx, x.s)
	}
	if err != nil {
		return err
	}
	return x.yield(&sqltypes.Result{}, x.rest != "")
}

func (d routineChange) create(ctx context.Context, gctx *gms.Context, s *Session) error {
	p := d.creates
	db, err := databaseOr(p.Database, s.GetCurrentDatabase())
	if err != nil {
		return err
	}
	h := s.holder()
	if err := mayDefine(&h, "CREATE ROUTINE", db); err != nil {
		return err
	}
	if !h.IsDefiner(p.Definer) {
		return mysql.NewSQLError(codeInvalidRequest, "42000", "DEFINER of another account is not supported: a procedure runs with the rights of who calls it. Leave DEFINER out, or define it as that account")
	}
	if p.Replaces {
		if err := h.HoldsOnProcedure("ALTER ROUTINE", db, p.Name); err != nil {
			return err
		}
	}
	me := s.Client()
	err = s.Alter(gctx, func(c *catalog.Change) error {
		return c.CreateProcedure(catalog.Procedure{Database: db, Name: p.Name, Create: p.Create, DefinerUser: me.User, DefinerHost: me.Address, SQLMode: gms.LoadSqlMode(gctx).String()}, p.Replaces,
			int(setGlobally(proceduresVariable, sysvars.ProceduresMaxDefault)))
	})
	return noteUnless(s, p.IfNew, codeProcedureExists, err)
}

func (d routineChange) drop(ctx context.Context, gctx *gms.Context, s *Session) error {
	name := d.drops.ProcedureSpec.ProcName
	db, err := databaseOr(name.Qualifier.String(), s.GetCurrentDatabase())
	if err != nil {
		return err
	}
	h := s.holder()
	if err := h.HoldsOnProcedure("ALTER ROUTINE", db, name.Name.String()); err != nil {
		return err
	}
	err = s.Alter(gctx, func(c *catalog.Change) error { return c.DropProcedure(db, name.Name.String()) })
	return noteUnless(s, d.drops.IfExists, codeNoProcedure, err)
}

// noteUnless makes a note of an error that a statement allows for.
func noteUnless(s *Session, allowed bool, code int, err error) error {
	var e *mysql.SQLError
	if !allowed || !errors.As(err, &e) || e.Num != code {
		return err
	}
	s.Warn(&gms.Warning{Level: "Note", Code: code, Message: e.Message})
	return nil
}

// databaseOr is the database of a procedure: the current one, if none is named.
func databaseOr(named, current string) (string, error) {
	if named == "" {
		named = current
	}
	if named == "" {
		return "", mysql.NewSQLError(codeNoDatabase, "3D000", "No database selected")
	}
	return named, nil
}

// mayDefine is nil if the user holds a privilege on a database, and procedures may be made in it.
func mayDefine(h *account.Holder, need, db string) error {
	if equalFold(db, systemDatabase) {
		return h.DeniedDatabase(db)
	}
	return h.HoldsOnDatabase([]string{need}, db)
}

var _ gms.StoredProcedureDatabase = (*database)(nil)

// GetStoredProcedure implements gms.StoredProcedureDatabase. The engine asks for one to call it.
func (d *database) GetStoredProcedure(*gms.Context, string) (gms.StoredProcedureDetails, bool, error) {
	return gms.StoredProcedureDetails{}, false, errProcedureElsewhere
}

// GetStoredProcedures implements gms.StoredProcedureDatabase. The engine asks for all to list them.
func (d *database) GetStoredProcedures(ctx *gms.Context) ([]gms.StoredProcedureDetails, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	var out []gms.StoredProcedureDetails
	for _, p := range snap.Procedures { // order: sorted below
		if equalFold(p.Database, d.rec.Name) {
			out = append(out, gms.StoredProcedureDetails{
				Name: p.Name, CreateStatement: withDefiner(p), SqlMode: p.SQLMode,
				CreatedAt: time.Unix(0, p.Created).UTC(), ModifiedAt: time.Unix(0, p.Altered).UTC(),
			})
		}
	}
	slices.SortFunc(out, func(a, b gms.StoredProcedureDetails) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// withDefiner is the text of a procedure as it is shown.
func withDefiner(p *catalog.StoredProcedure) string {
	if p.DefinerUser == "" {
		return p.Create
	}
	return "CREATE DEFINER=" + quotedAccount(p.DefinerUser, p.DefinerHost) + strings.TrimPrefix(p.Create, "CREATE")
}

func quotedAccount(user, host string) string {
	return "`" + strings.ReplaceAll(user, "`", "``") + "`@`" + strings.ReplaceAll(host, "`", "``") + "`"
}

// warnOfDefiner is a warning for a caller of a procedure whose definer has fewer rights: its
// statements run with those of the caller, who may not have read them. nil: there is no need.
func warnOfDefiner(h *account.Holder, p *catalog.StoredProcedure) *gms.Warning {
	whose := h.Weaker(p.DefinerUser, p.DefinerHost)
	if whose == "" {
		return nil
	}
	return &gms.Warning{Level: "Warning", Code: codeUnspecified, Message: fmt.Sprintf("the procedure %s.%s was defined by %s, who %s: its statements run with your privileges. SHOW CREATE PROCEDURE shows them",
		p.Database, p.Name, quotedAccount(p.DefinerUser, p.DefinerHost), whose)}
}

// SaveStoredProcedure implements gms.StoredProcedureDatabase.
func (d *database) SaveStoredProcedure(*gms.Context, gms.StoredProcedureDetails) error {
	return errProcedureElsewhere
}

// DropStoredProcedure implements gms.StoredProcedureDatabase.
func (d *database) DropStoredProcedure(*gms.Context, string) error { return errProcedureElsewhere }
