package account

import (
	"maps"
	"slices"
	"strings"

	"isochron/sql/legacy"
)

// dynamicPrivileges are those that can be granted here, by what they let one do.
var dynamicPrivileges = map[string]bool{
	SystemVariablesAdmin: true, connectionAdmin: true, systemUser: true, roleAdmin: true,
	ResourceGroupUser: true, "RESOURCE_GROUP_ADMIN": true, "REPLICATION_SLAVE_ADMIN": true, "REPLICATION_APPLIER": true, "BINLOG_ADMIN": true, "CLONE_ADMIN": true,
}

// DynamicNames are the dynamic privileges that can be granted, in their order.
func DynamicNames() []string { return slices.Sorted(maps.Keys(dynamicPrivileges)) }

// scope is a place where privileges are granted, and which of them can be.
type scope uint8

const (
	everywhere scope = iota
	onADatabase
	onATable
	onAProcedure
)

// grantable are the privileges that can be granted in each scope. ALL is all of them but GRANT OPTION.
var grantable = [...]Set{
	everywhere:   all,
	onADatabase:  belowGlobal | grantOption | anyOf("ALTER ROUTINE or CREATE ROUTINE or CREATE TEMPORARY TABLES or EVENT or EXECUTE or LOCK TABLES"),
	onATable:     belowGlobal | grantOption,
	onAProcedure: grantOption | anyOf("EXECUTE or ALTER ROUTINE"),
}

// resolve is what a statement is about: "*" and "*" is everything, a table of "*" all of a database.
func (p *Privileges) resolve(current string) (s scope, on Level, err error) {
	on = p.Level
	if on.Database == "" {
		if on.Database = current; current == "" {
			return 0, on, legacy.ErrNoDatabaseSelected.New()
		}
	}
	switch {
	case on.Database == "*" && on.Object != "*":
		return 0, on, legacy.ErrGrantRevokeIllegalPrivilege.New()
	case p.Procedure:
		s = onAProcedure
	case on.Database == "*":
		s = everywhere
	case on.Object == "*":
		s = onADatabase
	default:
		s = onATable
	}
	return s, on, nil
}

// split are the dynamic privileges of a statement, which hold everywhere, in lower case, and the number of the others.
func (p *Privileges) split(database string) (dynamic []string, static int, err error) {
	for _, g := range p.List {
		if g.Dynamic == "" {
			static++
			continue
		}
		if !dynamicPrivileges[g.Dynamic] {
			return nil, 0, legacy.NewError(codeNotSupported, "42000", "the privilege %s does nothing here: it is not granted", g.Dynamic)
		}
		dynamic = append(dynamic, strings.ToLower(g.Dynamic))
	}
	if len(dynamic) > 0 && database != "*" {
		err = legacy.ErrGrantRevokeIllegalPrivilege.New()
	}
	return dynamic, static, err
}

// static are the static privileges of a statement, of which there are n; everything is ALL.
func (p *Privileges) static(s scope, n int) (list Set, everything bool, err error) {
	for _, g := range p.List {
		switch {
		case g.Dynamic != "":
		case s == onAProcedure && (g.None || g.All), g.All && n > 1, !g.None && !g.All && g.Static&grantable[s] == 0:
			return 0, false, legacy.ErrGrantRevokeIllegalPrivilege.New()
		case g.All:
			everything = true
		}
		list |= g.Static
	}
	return list, everything, nil
}

func (s *Grant) do(d *draft) error {
	scope, on, err := s.resolve(d.Database)
	if err != nil {
		return err
	}
	dynamic, n, err := s.split(on.Database)
	if err != nil {
		return err
	}
	for _, w := range s.Users {
		u, ok := d.user(w.name())
		if !ok {
			return legacy.ErrGrantUserDoesNotExist.New()
		}
		static, everything, err := s.static(scope, n)
		if err != nil {
			return err
		}
		if everything {
			static = grantable[scope] &^ grantOption
		}
		if s.GrantOption {
			static |= grantOption
		}
		for _, p := range dynamic {
			u.Own.Dynamic[p] = s.GrantOption
		}
		u.Own.add(scope, on, static)
	}
	return nil
}

func (s *Revoke) do(d *draft) error {
	scope, on, err := s.resolve(d.Database)
	if err != nil {
		return err
	}
	dynamic, n, err := s.split(on.Database)
	if err != nil {
		return err
	}
	for _, w := range s.Users {
		u, ok := d.user(w.name())
		if !ok {
			err := legacy.ErrRevokeUserDoesNotExist.New(w.User, w.name().Host)
			if s.IgnoreUnknown {
				d.Warn(codeUnknownUser, "%s", err.Error())
				continue
			}
			return err
		}
		for _, p := range dynamic {
			delete(u.Own.Dynamic, p)
		}
		if s.Everything && s.Level.Database == "*" {
			u.Own = nothing.with(nothing)
			continue
		}
		static, everything, err := s.static(scope, n)
		switch {
		case err != nil:
			return err
		case everything && scope == everywhere:
			u.Own.Global, u.Own.Dynamic = 0, map[string]bool{}
		case everything:
			u.Own.remove(scope, on, all)
		default:
			u.Own.remove(scope, on, static)
		}
	}
	return nil
}

// add adds privileges.
func (h *Holdings) add(s scope, on Level, p Set) {
	if s == everywhere {
		h.Global |= p
		return
	}
	key := strings.ToLower(on.Database)
	db := h.Databases[key]
	if db == nil {
		db = &OnDatabase{Name: on.Database, Tables: map[string]*OnTable{}, Routines: map[Routine]OnRoutine{}}
		h.Databases[key] = db
	}
	object := strings.ToLower(on.Object)
	switch s {
	case onADatabase:
		db.Whole |= p
	case onAProcedure:
		r, ok := db.Routines[Routine{object, true}]
		if !ok {
			r.Name = on.Object
		}
		r.Set |= p
		db.Routines[Routine{object, true}] = r
	default:
		if db.Tables[object] == nil {
			db.Tables[object] = &OnTable{Name: on.Object, Columns: map[string]Set{}}
		}
		db.Tables[object].Whole |= p
	}
}

// remove removes privileges; those below stay.
func (h *Holdings) remove(s scope, on Level, p Set) {
	if s == everywhere {
		h.Global &^= p
		return
	}
	db := h.on(on.Database)
	if db == nil {
		return
	}
	object := strings.ToLower(on.Object)
	switch s {
	case onADatabase:
		db.Whole &^= p
	case onAProcedure:
		r := Routine{object, true}
		if one, ok := db.Routines[r]; ok {
			one.Set &^= p
			db.Routines[r] = one
		}
	default:
		if t := db.Tables[object]; t != nil {
			t.Whole &^= p
		}
	}
}
