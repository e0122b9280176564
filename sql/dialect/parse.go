package dialect

import (
	"errors"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
	"isochron/sql/parse"
)

// parsed is a statement and what its tree does not say. It must not be changed.
type parsed struct {
	stmt sqlparser.Statement // nil: the parser does not know it, and no source is sent it
	kind Kind
	// returning has the list of RETURNING; nil: there is none.
	returning *sqlparser.Select
	texts     itemTexts
	facts
	size int // bytes of its text
}

// itemTexts are the items of select lists as the client wrote them.
type itemTexts map[*sqlparser.Select][]string

// of is the text of an item; empty: it is not known.
func (t itemTexts) of(s *sqlparser.Select, item int) string {
	if list := t[s]; item < len(list) {
		return list[item]
	}
	return ""
}

// parseOne reads one statement.
func parseOne(text string, o Options) (parsed, error) {
	f, err := bounded(text, o.Mode)
	if err != nil {
		return parsed{}, err
	}
	p := parsed{facts: f, size: len(text)}
	r := reader(text, o.Mode)
	first := strings.ToLower(r.Next().Text)
	of, err := parse.ReadStatement(text, o.Mode)
	switch {
	case first == "":
		return parsed{}, syntax("the statement is empty")
	case err == nil && of.Returning != nil && kindOf(of.Tree) == Delete:
		return parsed{}, syntax("MySQL has no DELETE ... RETURNING. Read the rows first, with FOR UPDATE")
	case err == nil:
		p.stmt, p.returning, p.kind = of.Tree, of.Returning, kindOf(of.Tree)
		p.texts = parse.Texts(text, of.Tree)
		if of.Returning != nil {
			p.texts = itemTexts{of.Returning: of.Texts}
		}
	case unparsed[first] == "":
		return parsed{}, parseError(err)
	default:
		p.kind = unparsed[first]
	}
	return p, nil
}

// reader goes over the tokens of a text.
func reader(text string, m parse.Mode) parse.Reader {
	return parse.Reader{Text: text, ANSI: m.AnsiQuotes, NoBackslash: m.NoBackslash}
}

// unparsed are the first words of statements that the parser does not know, or not in every form, with
// their kinds.
var unparsed = map[string]Kind{
	"begin": Control, "start": Control, "commit": Control, "rollback": Control, "savepoint": Control, "release": Control,
	"set": Control, "use": Control, "lock": Control, "unlock": Control, "xa": Control,
	"create": Define, "alter": Define, "drop": Define, "rename": Define, "grant": Other, "revoke": Other, "show": Other,
	"call": Other, "analyze": Other, "check": Other, "checksum": Other, "do": Other, "explain": Other, "describe": Other,
	"desc": Other, "flush": Other, "handler": Other, "help": Other, "kill": Other, "load": Other, "optimize": Other,
	"prepare": Other, "execute": Other, "deallocate": Other, "purge": Other, "repair": Other, "reset": Other,
	"signal": Other, "resignal": Other, "install": Other, "uninstall": Other, "binlog": Other, "cache": Other, "change": Other,
}

// parseError is the parser's error as this package's.
func parseError(err error) error {
	var e *expr.Error
	if errors.As(err, &e) && e.Code != codeSyntax {
		what := e.Message
		if _, quoted, ok := strings.Cut(what, "yet support '"); ok {
			what = strings.TrimSuffix(quoted, "'")
		}
		return &ErrNotTranslated{What: what, Reason: "the parser does not know it", Instead: "Write it more simply"}
	}
	return &ErrSyntax{err.Error()}
}

// kindOf returns the kind of a statement.
func kindOf(stmt sqlparser.Statement) Kind {
	switch stmt.(type) {
	case sqlparser.TableStatement:
		return Read
	case *sqlparser.Insert:
		return Insert
	case *sqlparser.Update:
		return Update
	case *sqlparser.Delete:
		return Delete
	case sqlparser.DDLStatement, sqlparser.DBDDLStatement:
		return Define
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.Set, *sqlparser.Use, *sqlparser.Savepoint,
		*sqlparser.SRollback, *sqlparser.Release, *sqlparser.LockTables, *sqlparser.UnlockTables:
		return Control
	}
	return Other
}
