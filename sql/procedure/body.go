package procedure

import (
	"strings"

	"isochron/sql/legacy"
	"isochron/sql/parse"
)

// readBody reads a statement, or those between BEGIN and END. The reader goes behind the end of the procedure.
func (p *Procedure) readBody(r *parse.Reader) error {
	if !r.Take("begin") {
		if err := p.readStatement(r); err != nil {
			return err
		}
		return ended(r)
	}
	for !r.Take("end") {
		if err := p.readStatement(r); err != nil {
			return err
		}
		if !r.Take(";") {
			return syntax(r.Peek())
		}
	}
	return ended(r)
}

// ended goes behind the semicolon after the procedure, if there is one.
func ended(r *parse.Reader) error {
	if t := r.Next(); t.Kind != parse.End && !t.Is(";") {
		return syntax(t)
	}
	return nil
}

// readStatement reads a statement of the body, up to its semicolon or the end of the text.
func (p *Procedure) readStatement(r *parse.Reader) error {
	if len(p.Statements) == StatementsMax {
		return legacy.NewError(codeTooLong, "42000", "Too long routine body: a procedure has at most %d statements", StatementsMax)
	}
	first := r.Peek()
	if err := mayBegin(r); err != nil {
		return err
	}
	last := first
	for t := first; t.Kind != parse.End && !t.Is(";"); t = r.Peek() {
		if last = r.Next(); last.To > TextMaxBytes+len("IF NOT EXISTS") {
			return errTooLong()
		}
	}
	s, err := p.statement(plain(r, first.From, last.To), first.From)
	if err != nil {
		return err
	}
	if s.Yields {
		p.Yields++
	}
	p.Statements = append(p.Statements, s)
	return nil
}

// refused are the words that begin statements which are not for a body.
var refused = func() map[string]string {
	list := map[string]string{
		"begin": "a block", "commit": "", "rollback": "", "start": "",
		"prepare": "prepared statements", "execute": "prepared statements", "deallocate": "prepared statements",
	}
	for _, w := range strings.Fields("alter analyze call case check close create declare desc describe do drop explain fetch flush get grant handler if iterate kill leave load lock loop " +
		"open optimize release rename repair repeat resignal return revoke savepoint set show signal truncate unlock use while xa") {
		list[w] = strings.ToUpper(w)
	}
	return list
}()

// mayBegin is the error of a statement that is not for a body, by its first words.
func mayBegin(r *parse.Reader) error {
	ahead := *r
	first, second := ahead.Next(), ahead.Peek()
	if (first.Kind == parse.Word || first.Kind == parse.Name) && second.Is(":") {
		return refuse("a label in a procedure")
	}
	what, not := refused[strings.ToLower(first.Text)]
	switch {
	case first.Kind != parse.Word && !first.Is("("):
		return syntax(first)
	case !not:
		return nil
	case what == "":
		return refuse("the end or the begin of a transaction in a procedure: a call is one transaction by itself")
	case strings.HasPrefix(what, "prepared"):
		return refuse("%s in a procedure", what)
	}
	return refuse("%s in a procedure: its statements are SELECT, INSERT, REPLACE, UPDATE and DELETE", what)
}

// plain is a part of the text with names in backticks.
func plain(r *parse.Reader, from, to int) string {
	text := r.Text[from:to]
	if !r.ANSI {
		return text
	}
	var out strings.Builder
	done := 0
	for _, t := range parse.Tokens(text, true) {
		if t.Kind == parse.Name && text[t.From] == '"' {
			out.WriteString(text[done:t.From] + "`" + strings.ReplaceAll(t.Text, "`", "``") + "`")
			done = t.To
		}
	}
	return out.String() + text[done:]
}
