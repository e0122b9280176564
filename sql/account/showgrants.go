package account

import (
	"maps"
	"slices"
	"strings"

	"isochron/sql/legacy"
	"isochron/sql/parse"
)

// Errors of MySQL about an account that is not there, and a role that it does not have.
const (
	codeNoSuchGrant    = 1141
	codeRoleNotGranted = 3530
)

// ShowGrants is a SHOW GRANTS.
type ShowGrants struct {
	Of    *Written // nil: the session's own account
	Using []Written
}

// ReadShowGrants reads the first statement of a text if it is SHOW GRANTS; nil: it is another. end is the place behind it and
// its semicolon.
func ReadShowGrants(text string, ansiQuotes bool) (s *ShowGrants, end int, err error) {
	if !mayBegin(text) {
		return nil, 0, nil
	}
	r := &reader{parse.Reader{Text: parse.Executed(text), ANSI: ansiQuotes}}
	if !r.Words("show", "grants") {
		return nil, 0, nil
	}
	s = &ShowGrants{}
	if r.Take("for") {
		if r.Take("current_user") {
			if r.Take("(") {
				err = r.want(")")
			}
		} else {
			var of Written
			of, err = r.account()
			s.Of = &of
		}
		if err == nil && r.Take("using") {
			s.Using, err = r.roles()
		}
	}
	if err != nil {
		return nil, 0, err
	}
	if t := r.Next(); t.Kind != parse.End && !t.Is(";") {
		return nil, 0, syntax(t)
	}
	return s, r.At, nil
}

// Kind is its row of Rights.
func (s *ShowGrants) Kind() string {
	if s.Of != nil {
		return "SHOW GRANTS FOR"
	}
	return "SHOW GRANTS"
}

// Title is the name of the answer's column; user and host are the session's account.
func (s *ShowGrants) Title(user, host string) string {
	if s.Of != nil {
		user, host = s.Of.User, s.Of.Host
	}
	return "Grants for " + user + "@" + host
}

// MayShowGrants is nil if the holder may see what a statement asks for: one's own, or that of all with SELECT on the database
// mysql.
func (h *Holder) MayShowGrants(s *ShowGrants) error {
	if s.Of == nil || h.IsSelf(s.Of.User, s.Of.Host) {
		return nil
	}
	return h.HoldsOnDatabase([]string{"SELECT"}, "mysql")
}

// Grants are the statements that would give an account what it has, in MySQL's order; user and host are the session's account.
func (a *Accounts) Grants(user, host string, s *ShowGrants) ([]string, error) {
	if s.Of != nil {
		user, host = s.Of.User, s.Of.Host
	}
	b := a.book.Load()
	u := b.named(user, host)
	if u == nil {
		return nil, legacy.NewError(codeNoSuchGrant, "42000", "There is no such grant defined for user '%s' on host '%s'", user, host)
	}
	held := u.Own
	for _, w := range s.Using {
		role := b.users[w.name()]
		if role == nil || !slices.ContainsFunc(b.roles[u.Name], func(g Given) bool { return g.Role == role.Name }) {
			return nil, legacy.NewError(codeRoleNotGranted, "HY000", "%s is not granted to %s", w.quoted("`"), Written{u.User, u.Host}.quoted("`"))
		}
		held = held.with(role.Own)
	}
	l := grantLines{to: Written{u.User, u.Host}.quoted("`")}
	l.holdings(held)
	l.roles(b.roles[u.Name])
	return l.out, nil
}

// grantLines are GRANT statements for one account.
type grantLines struct {
	to  string
	out []string
}

func (l *grantLines) add(what, on string, option bool) {
	if on != "" {
		what += " ON " + on
	}
	what = "GRANT " + what + " TO " + l.to
	if option {
		what += " WITH GRANT OPTION"
	}
	l.out = append(l.out, what)
}

// static adds a line of privileges on something, if there are any.
func (l *grantLines) static(p Set, on string) {
	if p != 0 {
		l.add(p.listed(), on, p&grantOption != 0)
	}
}

// listed are the privileges as GRANT has them, without GRANT OPTION.
func (p Set) listed() string {
	var out []string
	for i, name := range names {
		if p&(1<<i)&^grantOption != 0 {
			out = append(out, name)
		}
	}
	if out == nil {
		return "USAGE"
	}
	return strings.Join(out, ", ")
}

func (l *grantLines) holdings(h *Holdings) {
	l.add(h.Global.listed(), "*.*", h.Global&grantOption != 0)
	for _, option := range []bool{false, true} {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(h.Dynamic)) {
			if h.Dynamic[name] == option {
				list = append(list, strings.ToUpper(name))
			}
		}
		if list != nil {
			l.add(strings.Join(list, ","), "*.*", option)
		}
	}
	databases := slices.Sorted(maps.Keys(h.Databases))
	for _, key := range databases {
		l.static(h.Databases[key].Whole, backquoted(h.Databases[key].Name)+".*")
	}
	for _, key := range databases {
		d := h.Databases[key]
		for _, t := range slices.Sorted(maps.Keys(d.Tables)) {
			l.static(d.Tables[t].Whole, backquoted(d.Name)+"."+backquoted(d.Tables[t].Name))
		}
	}
	for _, key := range databases {
		d := h.Databases[key]
		for _, r := range slices.SortedFunc(maps.Keys(d.Routines), func(a, b Routine) int { return strings.Compare(a.Name, b.Name) }) {
			what := "FUNCTION "
			if r.Procedure {
				what = "PROCEDURE "
			}
			l.static(d.Routines[r].Set, what+backquoted(d.Name)+"."+backquoted(d.Routines[r].Name))
		}
	}
}

func (l *grantLines) roles(list []Given) {
	for _, admin := range []bool{false, true} {
		var out []string
		for _, g := range list {
			if g.Admin == admin {
				out = append(out, Written{g.Role.User, g.Role.Host}.quoted("`"))
			}
		}
		if out == nil {
			continue
		}
		slices.Sort(out)
		l.add(strings.Join(out, ","), "", false)
		if admin {
			l.out[len(l.out)-1] += " WITH ADMIN OPTION"
		}
	}
}

func backquoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
