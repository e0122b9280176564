package define

import (
	"regexp"
	"strings"

	"isochron/sql/parse"
)

// CreateView is CREATE VIEW.
type CreateView struct {
	View        Name
	Replaces    bool
	IfNotExists bool
	Columns     []string // nil: those of the query
	Query       string   // as the client wrote it
	Create      string   // the statement without IF NOT EXISTS
	Check       string   // CASCADED or LOCAL; "": no option
	Definer     string   // as it is written; "": not given
	Security    string   // DEFINER or INVOKER; "": not given
}

// Counter implements Statement.
func (*CreateView) Counter() string { return "Com_create_view" }

// checkOption matches what may stand behind the query.
var checkOption = regexp.MustCompile(`(?is)\s+with\s+(cascaded\s+|local\s+)?check\s+option\s*$`)

// accountMax bounds the tokens of the account behind DEFINER.
const accountMax = 8

// createView reads CREATE VIEW; nil: the statement creates something else.
func (r *reader) createView() Statement {
	at := r.At
	r.take("create")
	s := &CreateView{Replaces: r.words("or", "replace")}
	if r.words("algorithm", "=") {
		r.Next()
	}
	if r.words("definer", "=") {
		from := r.Peek().From
		for range accountMax {
			if t := r.Peek(); t.Is("sql") || t.Is("view") || t.Kind == parse.End {
				break
			}
			r.Next()
		}
		s.Definer = strings.TrimSpace(r.Text[from:r.Peek().From])
	}
	if r.words("sql", "security") {
		s.Security = strings.ToUpper(r.Next().Text)
	}
	if !r.take("view") {
		r.At = at
		return nil
	}
	head := r.At
	s.IfNotExists = r.words("if", "not", "exists")
	body := r.At
	s.View = r.table()
	if r.Peek().Is("(") {
		s.Columns = r.names()
	}
	r.must("as")
	if r.err != nil || r.Peek().Kind == parse.End {
		r.unexpected()
		return s
	}
	s.Query = strings.TrimSpace(r.Text[r.Peek().From:])
	if at := checkOption.FindStringSubmatchIndex(s.Query); at != nil {
		s.Check = "CASCADED"
		if at[2] >= 0 && strings.EqualFold(strings.TrimSpace(s.Query[at[2]:at[3]]), "local") {
			s.Check = "LOCAL"
		}
		s.Query = s.Query[:at[0]]
	}
	s.Create = r.Text[:head] + r.Text[body:]
	r.At = len(r.Text)
	return s
}
