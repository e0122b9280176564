package account

import (
	"strings"

	"isochron/sql/legacy"
	"isochron/sql/parse"
)

const codeSyntax = 1064

// kinds are the first words of statements about accounts, with what reads the rest. GRANT and REVOKE have kinds for privileges
// and for roles.
var kinds = []struct {
	words []string
	kind  string
	read  func(*reader) (Statement, error)
}{
	{[]string{"create", "user"}, "CREATE USER", (*reader).createUsers},
	{[]string{"alter", "user"}, "ALTER USER", (*reader).alterUsers},
	{[]string{"drop", "user"}, "DROP USER", (*reader).dropUsers},
	{[]string{"create", "role"}, "CREATE ROLE", (*reader).createRoles},
	{[]string{"drop", "role"}, "DROP ROLE", (*reader).dropRoles},
	{[]string{"grant", "proxy"}, "GRANT PROXY", unsupported("GRANT PROXY", "there are no proxies of users")},
	{[]string{"revoke", "proxy"}, "REVOKE PROXY", unsupported("REVOKE PROXY", "there are no proxies of users")},
	{[]string{"revoke", "if", "exists", "proxy"}, "REVOKE PROXY", unsupported("REVOKE PROXY", "there are no proxies of users")},
	{[]string{"rename", "user"}, "RENAME USER", unsupported("RENAME USER", "make a new user, grant it the same, and drop the old one")},
	{[]string{"set", "password"}, "SET", unsupported("SET PASSWORD", "use ALTER USER ... IDENTIFIED BY")},
	{[]string{"grant"}, "GRANT", (*reader).grant},
	{[]string{"revoke"}, "REVOKE", (*reader).revoke},
}

// Read reads the first statement of a text; kind is its row of Rights, empty if it is none about accounts that is read here.
// end is the place behind it and its semicolon. ansiQuotes is the mode of this name. The errors have MySQL's numbers; options
// that are not done are refused.
func Read(text string, ansiQuotes bool) (stmt Statement, kind string, end int, err error) {
	if !mayBegin(text) {
		return nil, "", 0, nil
	}
	r := &reader{parse.Reader{Text: parse.Executed(text), ANSI: ansiQuotes}}
	for _, k := range kinds {
		if !r.Words(k.words...) {
			continue
		}
		if stmt, err = k.read(r); err != nil {
			return nil, k.kind, 0, err
		}
		if t := r.Next(); t.Kind != parse.End && !t.Is(";") {
			return nil, k.kind, 0, syntax(t)
		}
		switch stmt.(type) {
		case *GrantRoles, *RevokeRoles:
			return stmt, k.kind + " ROLE", r.At, nil
		}
		return stmt, k.kind, r.At, nil
	}
	return nil, "", 0, nil
}

// mayBegin is a quick look at the first word.
func mayBegin(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		case '/', '-', '#':
			return true
		default:
			return strings.IndexByte("acdgrs", c|0x20) >= 0
		}
	}
	return false
}

// Unsupported is a statement that is refused when it is executed.
type Unsupported struct{ Err error }

func (u *Unsupported) may(*judge) error { return u.Err }

func (u *Unsupported) do(*draft) error { return u.Err }

// unsupported reads the rest of a statement that is refused, whatever it has.
func unsupported(what, instead string) func(*reader) (Statement, error) {
	return func(r *reader) (Statement, error) {
		for t := r.Peek(); t.Kind != parse.End && !t.Is(";"); t = r.Peek() {
			r.Next()
		}
		return &Unsupported{legacy.NewError(codeNotSupported, "42000", "%s is not supported: %s", what, instead)}, nil
	}
}

// reader reads parts of statements about accounts.
type reader struct{ parse.Reader }

// syntax is the error of a token that cannot stand where it does.
func syntax(t parse.Token) error {
	return legacy.NewError(codeSyntax, "42000", "syntax error at position %d near '%.80s'", t.From+1, t.Text)
}

// want goes behind words that must come next.
func (r *reader) want(list ...string) error {
	for _, w := range list {
		if !r.Take(w) {
			return syntax(r.Peek())
		}
	}
	return nil
}

// value reads a text in quotes.
func (r *reader) value() (string, error) {
	t := r.Next()
	if t.Kind != parse.Text {
		return "", syntax(t)
	}
	return t.Value(), nil
}

// part reads the name of a user, a host or a plugin: a word, or in quotes of either kind.
func (r *reader) part() (string, error) {
	switch t := r.Next(); t.Kind {
	case parse.Word, parse.Name:
		return t.Text, nil
	case parse.Text:
		return t.Value(), nil
	default:
		return "", syntax(t)
	}
}

// account reads user@host, user@ or user.
func (r *reader) account() (w Written, err error) {
	if w.User, err = r.part(); err != nil {
		return w, err
	}
	at := r.Peek()
	if at.Kind != parse.Variable {
		w.Host = anyHost
		return w, nil
	}
	r.Next()
	switch w.Host = at.Text[1:]; {
	case strings.ContainsAny(w.Host, ".@"):
		return w, syntax(at)
	case w.Host == "":
		if next := r.Peek(); next.Kind == parse.Text || next.Kind == parse.Name {
			w.Host, err = r.part()
		}
	}
	return w, err
}

// list reads parts with commas between them.
func list[T any](r *reader, one func() (T, error)) (out []T, err error) {
	for {
		v, err := one()
		if err != nil {
			return nil, err
		}
		if out = append(out, v); !r.Take(",") {
			return out, nil
		}
	}
}

func (r *reader) accounts() ([]Written, error) { return list(r, r.account) }

// roles reads accounts that are roles, which have a name.
func (r *reader) roles() ([]Written, error) {
	return list(r, func() (Written, error) {
		t := r.Peek()
		w, err := r.account()
		if err == nil && w.User == "" {
			err = legacy.NewError(codeSyntax, "42000", "the anonymous user is not a valid role name at position %d", t.From+1)
		}
		return w, err
	})
}

func (r *reader) createRoles() (Statement, error) {
	s := &CreateRoles{IfNotExists: r.Words("if", "not", "exists")}
	var err error
	s.Roles, err = r.roles()
	return s, err
}

func (r *reader) dropRoles() (Statement, error) {
	s := &Drop{IfExists: r.Words("if", "exists"), Roles: true}
	var err error
	s.Names, err = r.roles()
	return s, err
}

func (r *reader) dropUsers() (Statement, error) {
	s := &Drop{IfExists: r.Words("if", "exists")}
	var err error
	s.Names, err = r.accounts()
	return s, err
}
