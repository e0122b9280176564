package procedure

import (
	"strings"

	"isochron/sql/legacy"
)

// readBody reads a statement, or those between BEGIN and END. The reader goes behind the end of the procedure.
func (p *Procedure) readBody(r *reader) error {
	if !r.take("begin") {
		if err := p.readStatement(r); err != nil {
			return err
		}
		return r.ended()
	}
	for !r.take("end") {
		if err := p.readStatement(r); err != nil {
			return err
		}
		if !r.take(";") {
			return syntax(r.peek())
		}
	}
	return r.ended()
}

// ended goes behind the semicolon after the procedure, if there is one.
func (r *reader) ended() error {
	if t := r.next(); t.kind != none && !t.is(";") {
		return syntax(t)
	}
	return nil
}

// readStatement reads a statement of the body, up to its semicolon or the end of the text.
func (p *Procedure) readStatement(r *reader) error {
	if len(p.Statements) == StatementsMax {
		return legacy.NewError(codeTooLong, "42000", "Too long routine body: a procedure has at most %d statements", StatementsMax)
	}
	first := r.peek()
	if err := r.mayBegin(); err != nil {
		return err
	}
	last := first
	for t := first; t.kind != none && !t.is(";"); t = r.peek() {
		if last = r.next(); last.to > TextMaxBytes+len("IF NOT EXISTS") {
			return errTooLong()
		}
	}
	s, err := p.statement(r.plain(first.from, last.to), first.from)
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
func (r *reader) mayBegin() error {
	ahead := *r
	first, second := ahead.next(), ahead.peek()
	if (first.kind == word || first.kind == name) && second.is(":") {
		return refuse("a label in a procedure")
	}
	what, not := refused[strings.ToLower(first.text)]
	switch {
	case first.kind != word && !first.is("("):
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
func (r *reader) plain(from, to int) string {
	text := r.text[from:to]
	if !r.ansi {
		return text
	}
	var out strings.Builder
	done := 0
	for _, t := range tokens(text, true) {
		if t.kind == name && text[t.from] == '"' {
			out.WriteString(text[done:t.from] + "`" + strings.ReplaceAll(t.text, "`", "``") + "`")
			done = t.to
		}
	}
	return out.String() + text[done:]
}
