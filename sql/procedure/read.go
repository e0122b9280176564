package procedure

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The bounds of a procedure. Every gateway holds all texts, and a call is one transaction.
const (
	TextMaxBytes  = 16 << 10 // of CREATE PROCEDURE
	StatementsMax = 64       // of a body
	ParametersMax = 64
	NameMaxBytes  = 64
)

// The numbers of MySQL for what can be wrong with one.
const (
	codeNotSupported = 1235
	codeDuplicate    = 1330 // parameter
	codeLongName     = 1059
	codeSyntax       = 1064
	codeTooLong      = 1437 // body
)

// Procedure is a parsed CREATE PROCEDURE.
type Procedure struct {
	Definer    string // the account that a DEFINER names, as it was written; empty: none
	Database   string // empty: the session's
	Name       string
	Create     string // the text, without OR REPLACE, IF NOT EXISTS and the rest after it
	Comment    string
	Replaces   bool // OR REPLACE
	IfNew      bool // IF NOT EXISTS
	Parameters []Parameter
	Statements []Statement
	Yields     int // so many of its statements yield rows
}

// Parameter is one of its parameters. All are IN.
type Parameter struct {
	Name string
	Type gms.Type
}

// Statement is a statement of its body.
type Statement struct {
	Text   string // with a ? for each value
	Takes  []int  // of which parameter each is, from 0
	Yields bool   // rows
}

// creates matches the head of a CREATE PROCEDURE up to its name. Only space is between its words.
var creates = regexp.MustCompile(`(?is)^((?:\s|/\*[^!].*?\*/)*)create\s+(or\s+replace\s+)?(definer\s*=\s*\S+(?:\s*@\s*\S+)?\s+)?procedure\s+(if\s+not\s+exists\s+)?`)

// Creates reports whether the first statement of a text is a CREATE PROCEDURE.
func Creates(text string) bool { return creates.MatchString(text) }

// ReadStored is Read of a text that was stored under a sql_mode.
func ReadStored(text, mode string) (*Procedure, error) {
	p, _, err := Read(text, gms.NewSqlModeFromString(mode).ParserOptions())
	return p, err
}

// Read parses a CREATE PROCEDURE; rest is the text after it. The errors have MySQL's numbers, except for those of the parser,
// which are returned unchanged.
func Read(text string, options sqlparser.ParserOptions) (p *Procedure, rest string, err error) {
	defer func() { // what cannot be written out
		if r := recover(); r != nil {
			p, err = nil, refuse("this procedure: %v", r)
		}
	}()
	at := creates.FindStringSubmatchIndex(text)
	if at == nil {
		return nil, "", mysql.NewSQLError(codeSyntax, "42000", "this is no CREATE PROCEDURE")
	}
	definer := ""
	if at[6] >= 0 {
		_, definer, _ = strings.Cut(text[at[6]:at[7]], "=")
	}
	text, replaces, ifNew := "CREATE PROCEDURE "+text[at[1]:], at[4] >= 0, at[8] >= 0
	if replaces && ifNew {
		return nil, "", mysql.NewSQLError(codeSyntax, "42000", "OR REPLACE and IF NOT EXISTS exclude each other")
	}
	stmt, end, err := sqlparser.ParseOneWithOptions(context.Background(), text, options)
	if err != nil {
		return nil, "", unread(text, err)
	}
	ddl, ok := stmt.(*sqlparser.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil, "", mysql.NewSQLError(codeSyntax, "42000", "this is no CREATE PROCEDURE")
	}
	spec := ddl.ProcedureSpec
	p = &Procedure{Database: spec.ProcName.Qualifier.String(), Name: spec.ProcName.Name.String(), Replaces: replaces, IfNew: ifNew, Definer: strings.TrimSpace(definer)}
	if p.Create, rest = text, ""; end > 0 && end < len(text) {
		p.Create, rest = text[:end], text[end:]
	}
	p.Create = strings.TrimRight(strings.TrimRight(p.Create, "; \t\r\n"), " \t\r\n")
	rest = strings.TrimLeft(rest, "; \t\r\n")
	if err := p.read(spec, text, options); err != nil {
		return nil, "", err
	}
	return p, rest, nil
}

func (p *Procedure) read(spec *sqlparser.ProcedureSpec, text string, options sqlparser.ParserOptions) error {
	switch {
	case len(p.Create) > TextMaxBytes:
		return mysql.NewSQLError(codeTooLong, "42000", "Too long routine body: a procedure has at most %d bytes", TextMaxBytes)
	case p.Name == "" || len(p.Name) > NameMaxBytes || strings.Contains(p.Name+p.Database, "\x00"):
		return mysql.NewSQLError(codeLongName, "42000", "Identifier name '%.80s' is too long, or none", p.Name)
	}
	for _, c := range spec.Characteristics {
		switch c.Type {
		case sqlparser.CharacteristicValue_SqlSecurityDefiner:
			return refuse("SQL SECURITY DEFINER: a procedure runs with the rights of its caller")
		case sqlparser.CharacteristicValue_Comment:
			p.Comment = c.Comment
		}
	}
	if err := p.readParameters(spec.Params); err != nil {
		return err
	}
	list := sqlparser.Statements{spec.Body}
	if block, ok := spec.Body.(*sqlparser.BeginEndBlock); ok {
		if block.Label != "" {
			return refuse("a label in a procedure")
		}
		list = block.Statements
	}
	if len(list) > StatementsMax {
		return mysql.NewSQLError(codeTooLong, "42000", "Too long routine body: a procedure has at most %d statements", StatementsMax)
	}
	for _, stmt := range list {
		s, err := p.statement(stmt, text, options)
		if err != nil {
			return err
		}
		if s.Yields {
			p.Yields++
		}
		p.Statements = append(p.Statements, s)
	}
	return nil
}

func (p *Procedure) readParameters(list []sqlparser.ProcedureParam) error {
	if len(list) > ParametersMax {
		return refuse("more than %d parameters", ParametersMax)
	}
	for _, param := range list {
		if param.Direction != sqlparser.ProcedureParamDirection_In {
			return refuse("%s parameters: what a procedure yields are the rows of its SELECTs", strings.ToUpper(string(param.Direction)))
		}
		if p.parameter(param.Name) >= 0 {
			return mysql.NewSQLError(codeDuplicate, "42000", "Duplicate parameter: %s", param.Name)
		}
		t, err := types.ColumnTypeToType(&param.Type)
		if err != nil {
			return mysql.NewSQLError(codeSyntax, "42000", "parameter %s: %v", param.Name, err)
		}
		if !takes(t) {
			return refuse("a parameter of the type %s", strings.ToUpper(param.Type.Type))
		}
		p.Parameters = append(p.Parameters, Parameter{param.Name, t})
	}
	return nil
}

// takes reports whether a parameter may be of the type: numbers, texts, bytes, and times.
func takes(t gms.Type) bool {
	switch k := t.Type(); {
	case sqltypes.IsIntegral(k), sqltypes.IsFloat(k), k == sqltypes.Decimal, k == sqltypes.Year:
		return true
	case k == sqltypes.Date, k == sqltypes.Datetime, k == sqltypes.Timestamp, k == sqltypes.Time:
		return true
	default:
		return types.IsTextOnly(t) || isBytes(k)
	}
}

func isBytes(k querypb.Type) bool {
	return k == sqltypes.Binary || k == sqltypes.VarBinary || k == sqltypes.Blob
}

// parameter is the place of a parameter, -1 if there is none of this name.
func (p *Procedure) parameter(name string) int {
	for i := range p.Parameters {
		if strings.EqualFold(p.Parameters[i].Name, name) {
			return i
		}
	}
	return -1
}

func refuse(format string, args ...any) error {
	return mysql.NewSQLError(codeNotSupported, "42000", "This version of Isochron doesn't yet support '%s'", fmt.Sprintf(format, args...))
}

// unreadable are words at which the parser stops within a body, and what they are.
var unreadable = []struct {
	words *regexp.Regexp
	are   string
}{
	{regexp.MustCompile(`(?i);?\s*\b(commit|rollback|start\s+transaction)\b`), "the end or the begin of a transaction in a procedure: a call is one transaction by itself"},
	{regexp.MustCompile(`(?i)\b(prepare|execute|deallocate)\b`), "prepared statements in a procedure"},
	{regexp.MustCompile(`(?i)\bfor\s+share\b`), "FOR SHARE in a procedure: use FOR UPDATE"},
}

// unread returns the parser's error, or a more precise one.
func unread(text string, err error) error {
	for _, u := range unreadable {
		if u.words.MatchString(text) {
			return refuse("%s", u.are)
		}
	}
	return err
}
