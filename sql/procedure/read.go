package procedure

import (
	"fmt"
	"regexp"
	"strings"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/parse"
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
	Replaces   bool   // OR REPLACE
	IfNew      bool   // IF NOT EXISTS
	Parameters []Parameter
	Statements []Statement
	Yields     int // so many of its statements yield rows
}

// Parameter is one of its parameters. All are IN.
type Parameter struct {
	Name string
	Type legacy.Type
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
	ansi := false
	for _, m := range strings.Split(mode, ",") {
		m = strings.TrimSpace(m)
		ansi = ansi || strings.EqualFold(m, "ansi_quotes") || strings.EqualFold(m, "ansi")
	}
	p, _, err := Read(text, ansi)
	return p, err
}

// Read parses a CREATE PROCEDURE; rest is the text after it. ansiQuotes is the mode of this name. The errors have MySQL's
// numbers.
func Read(text string, ansiQuotes bool) (p *Procedure, rest string, err error) {
	at := creates.FindStringSubmatchIndex(text)
	if at == nil {
		return nil, "", legacy.NewError(codeSyntax, "42000", "this is no CREATE PROCEDURE")
	}
	definer := ""
	if at[6] >= 0 {
		_, definer, _ = strings.Cut(text[at[6]:at[7]], "=")
	}
	const head = "CREATE PROCEDURE "
	text = head + text[at[1]:]
	p = &Procedure{Replaces: at[4] >= 0, IfNew: at[8] >= 0, Definer: strings.TrimSpace(definer)}
	if p.Replaces && p.IfNew {
		return nil, "", legacy.NewError(codeSyntax, "42000", "OR REPLACE and IF NOT EXISTS exclude each other")
	}
	r := &parse.Reader{Text: parse.Executed(text), At: len(head), ANSI: ansiQuotes}
	for _, part := range []func(*parse.Reader) error{p.readName, p.readParameters, p.readCharacteristics, p.readBody} {
		if err := part(r); err != nil {
			return nil, "", err
		}
	}
	p.Create = strings.TrimRight(text[:r.At], "; \t\r\n")
	if len(p.Create) > TextMaxBytes {
		return nil, "", errTooLong()
	}
	return p, strings.TrimLeft(text[r.At:], "; \t\r\n"), nil
}

func errTooLong() error {
	return legacy.NewError(codeTooLong, "42000", "Too long routine body: a procedure has at most %d bytes", TextMaxBytes)
}

// syntax is the error of a token that cannot stand where it does.
func syntax(t parse.Token) error {
	return legacy.NewError(codeSyntax, "42000", "syntax error at position %d near '%.80s'", t.From+1, t.Text)
}

// identifier reads a name.
func identifier(r *parse.Reader) (string, error) {
	if t := r.Next(); t.Kind == parse.Name || t.Kind == parse.Word {
		return t.Text, nil
	} else {
		return "", syntax(t)
	}
}

func (p *Procedure) readName(r *parse.Reader) (err error) {
	if p.Name, err = identifier(r); err == nil && r.Take(".") {
		p.Database = p.Name
		p.Name, err = identifier(r)
	}
	if err == nil && (p.Name == "" || len(p.Name) > NameMaxBytes || strings.Contains(p.Name+p.Database, "\x00")) {
		err = legacy.NewError(codeLongName, "42000", "Identifier name '%.80s' is too long, or none", p.Name)
	}
	return err
}

func (p *Procedure) readParameters(r *parse.Reader) error {
	if !r.Take("(") {
		return syntax(r.Peek())
	}
	if r.Take(")") {
		return nil
	}
	for {
		if err := p.readParameter(r); err != nil {
			return err
		}
		switch t := r.Next(); {
		case t.Is(")"):
			return nil
		case !t.Is(","):
			return syntax(t)
		case len(p.Parameters) == ParametersMax:
			return refuse("more than %d parameters", ParametersMax)
		}
	}
}

func (p *Procedure) readParameter(r *parse.Reader) error {
	for _, direction := range []string{"OUT", "INOUT"} {
		if r.Take(strings.ToLower(direction)) {
			return refuse("%s parameters: what a procedure yields are the rows of its SELECTs", direction)
		}
	}
	r.Take("in")
	called, err := identifier(r)
	if err != nil {
		return err
	}
	if p.parameter(called) >= 0 {
		return legacy.NewError(codeDuplicate, "42000", "Duplicate parameter: %s", called)
	}
	declared, err := typeText(r)
	if err != nil {
		return err
	}
	t, err := legacy.ReadType(declared)
	if err != nil {
		return legacy.NewError(codeSyntax, "42000", "parameter %s: %v", called, err)
	}
	if !takes(t) {
		first, _, _ := strings.Cut(declared, "(")
		return refuse("a parameter of the type %s", strings.ToUpper(first))
	}
	p.Parameters = append(p.Parameters, Parameter{called, t})
	return nil
}

// ofType are the words that may follow the name of a type.
var ofType = map[string]bool{
	"unsigned": true, "signed": true, "zerofill": true, "precision": true, "varying": true, "varchar": true, "char": true, "character": true, "binary": true,
	"ascii": true, "unicode": true, "byte": true, "varbinary": true, "varcharacter": true,
	"charset": true, "collate": true, "set": true, // a name follows these
}

// typeText reads the text of a type, up to the next comma or bracket.
func typeText(r *parse.Reader) (string, error) {
	first, depth := r.Peek(), 0
	if first.Kind != parse.Word {
		return "", syntax(first)
	}
	named := true // any word may come
	for last := first; ; {
		t := r.Peek()
		switch {
		case t.Kind == parse.End, t.Kind == parse.Variable:
			return "", syntax(t)
		case depth == 0 && (t.Is(",") || t.Is(")")):
			return r.Text[first.From:last.To], nil
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Kind == parse.Word && !named && !ofType[strings.ToLower(t.Text)]:
			return "", syntax(t)
		}
		named = t.Is("charset") || t.Is("collate") || t.Is("set")
		last = r.Next()
	}
}

// takes reports whether a parameter may be of the type: numbers, texts, bytes, and times.
func takes(t legacy.Type) bool {
	own := legacy.TypeOf(t)
	switch own.Kind {
	case coltype.KindInt, coltype.KindUint, coltype.KindFloat32, coltype.KindFloat64, coltype.KindDecimal, coltype.KindYear,
		coltype.KindTime, coltype.KindTimespan, coltype.KindText, coltype.KindBytes:
		return true
	}
	return false
}

// characteristics are what may stand between the parameters and the body, word by word, but for COMMENT.
var characteristics = [][]string{
	{"language", "sql"}, {"deterministic"}, {"not", "deterministic"}, {"contains", "sql"}, {"no", "sql"}, {"reads", "sql", "data"},
	{"modifies", "sql", "data"}, {"sql", "security", "invoker"},
}

func (p *Procedure) readCharacteristics(r *parse.Reader) error {
	for characteristic(r) {
	}
	if r.Words("sql", "security", "definer") {
		return refuse("SQL SECURITY DEFINER: a procedure runs with the rights of its caller")
	}
	return nil
}

// characteristic goes behind one, if one comes next.
func characteristic(r *parse.Reader) bool {
	at := r.At
	if r.Take("comment") {
		if r.Next().Kind == parse.Text {
			return true
		}
		r.At = at
	}
	for _, words := range characteristics {
		if r.Words(words...) {
			return true
		}
	}
	return false
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
	return legacy.NewError(codeNotSupported, "42000", "This version of Isochron doesn't yet support '%s'", fmt.Sprintf(format, args...))
}
