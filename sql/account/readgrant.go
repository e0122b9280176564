package account

import (
	"strings"

	"isochron/sql/parse"
)

// grant reads what follows GRANT.
func (r *reader) grant() (Statement, error) {
	s := &Grant{}
	is, err := r.privileges(&s.Privileges)
	if err != nil {
		return nil, err
	}
	if !is {
		return r.grantRoles()
	}
	if err := r.want("to"); err != nil {
		return nil, err
	}
	if s.Users, err = r.accounts(); err != nil {
		return nil, err
	}
	s.GrantOption = r.Words("with", "grant", "option")
	if r.Take("as") {
		return nil, NotSupported("GRANT ... AS", "grant as the account that holds the privileges")
	}
	return s, nil
}

func (r *reader) grantRoles() (Statement, error) {
	s := &GrantRoles{}
	var err error
	if s.Roles, err = r.roles(); err == nil {
		err = r.want("to")
	}
	if err == nil {
		s.Users, err = r.accounts()
	}
	s.Admin = err == nil && r.Words("with", "admin", "option")
	return s, err
}

// revoke reads what follows REVOKE.
func (r *reader) revoke() (Statement, error) {
	ifExists := r.Words("if", "exists")
	if r.everything() {
		s := &Revoke{Privileges: Privileges{List: []Granted{{All: true}}, Level: Level{"*", "*"}}, Everything: true}
		var err error
		s.Users, err = r.accounts()
		s.IgnoreUnknown = r.Words("ignore", "unknown", "user")
		return s, err
	}
	s := &Revoke{}
	is, err := r.privileges(&s.Privileges)
	if err != nil {
		return nil, err
	}
	if !is {
		return r.revokeRoles(ifExists)
	}
	if err := r.want("from"); err != nil {
		return nil, err
	}
	s.Users, err = r.accounts()
	s.IgnoreUnknown = r.Words("ignore", "unknown", "user")
	return s, err
}

// everything goes behind ALL, GRANT OPTION FROM, if that comes next.
func (r *reader) everything() bool {
	return r.Words("all", ",", "grant", "option", "from") || r.Words("all", "privileges", ",", "grant", "option", "from")
}

func (r *reader) revokeRoles(ifExists bool) (Statement, error) {
	s := &RevokeRoles{IfExists: ifExists}
	var err error
	if s.Roles, err = r.roles(); err == nil {
		err = r.want("from")
	}
	if err == nil {
		s.Users, err = r.accounts()
	}
	s.IgnoreUnknown = err == nil && r.Words("ignore", "unknown", "user")
	return s, err
}

// privileges reads a list of privileges and what they are about; false: the list is one of roles, and nothing is read.
func (r *reader) privileges(p *Privileges) (bool, error) {
	at, columns := r.At, false
	for {
		g, ok := r.privilege()
		if !ok {
			r.At = at
			return false, nil
		}
		p.List = append(p.List, g)
		all := p.List[0].All || g.All // and no other
		if r.Peek().Is("(") {
			if err := r.columns(); err != nil {
				return false, err
			}
			columns = true
		}
		if r.Take("on") {
			break
		}
		if !r.Take(",") || all {
			r.At, p.List = at, nil
			return false, nil
		}
	}
	if columns {
		return true, NotSupported("A privilege on columns", "grant it on a view that shows just these")
	}
	return true, r.level(p)
}

// privilege reads the words of a privilege; false: they are none.
func (r *reader) privilege() (Granted, bool) {
	var words []string
	for t := r.Peek(); t.Kind == parse.Word && !t.Is("on") && !t.Is("to") && !t.Is("from"); t = r.Peek() {
		words = append(words, strings.ToUpper(r.Next().Text))
	}
	switch name := strings.Join(words, " "); {
	case name == "ALL", name == "ALL PRIVILEGES":
		return Granted{All: true}, true
	case name == "USAGE":
		return Granted{None: true}, true
	case bits[name] != 0:
		return Granted{Static: bits[name]}, true
	case len(words) == 1 && strings.Contains(name, "_"):
		return Granted{Dynamic: name}, true
	}
	return Granted{}, false
}

// columns reads names of columns in brackets.
func (r *reader) columns() error {
	if err := r.want("("); err != nil {
		return err
	}
	if _, err := list(r, r.part); err != nil {
		return err
	}
	return r.want(")")
}

// level reads what privileges are about, and refuses what they cannot be.
func (r *reader) level(p *Privileges) error {
	object := ""
	for _, w := range []string{"table", "function", "procedure"} {
		at := r.At
		if r.Take(w) {
			if next := r.Peek(); next.Is(".") || next.Is("to") || next.Is("from") { // it is the name
				r.At = at
				break
			}
			object = w
		}
	}
	var err error
	if p.Level.Object, err = r.levelPart(); err == nil && r.Take(".") {
		p.Level.Database = p.Level.Object
		if next := r.Peek(); p.Level.Database == "*" && !next.Is("*") {
			return syntax(next)
		}
		p.Level.Object, err = r.levelPart()
	}
	switch l := &p.Level; {
	case err != nil:
		return err
	case object == "function":
		return NotSupported("A privilege on a function", "there are no stored functions")
	case object != "" && l.Object == "*":
		return NotSupported("TABLE or PROCEDURE before *", "name the table or procedure, or leave the word out")
	case l.Object == "*" && l.Database != "*":
		if strings.Contains(strings.ReplaceAll(l.Database, `\%`, ""), "%") {
			return NotSupported("A pattern of databases", "grant on each of them")
		}
		l.Database = strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(l.Database)
	}
	p.Procedure = object == "procedure"
	return nil
}

// levelPart reads a name or *.
func (r *reader) levelPart() (string, error) {
	t := r.Next()
	if t.Kind == parse.Word || t.Kind == parse.Name || t.Is("*") {
		return t.Text, nil
	}
	return "", syntax(t)
}
