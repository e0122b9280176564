package account_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"isochron/sql/account"
	"isochron/sql/legacy/accounts"
)

// The privileges have the engine's numbers and names.
func TestNamesOfPrivileges(t *testing.T) {
	if got := accounts.SetOf(mysql_db.NewPrivilegeSetWithAllPrivileges().ToSlice()); got != account.All {
		t.Errorf("all privileges are %b", got)
	}
	for i, name := range account.Names {
		if engine := gms.PrivilegeType(i); engine.String() != name || account.Bits[name] != accounts.SetOf([]gms.PrivilegeType{engine}) {
			t.Errorf("%s is %s to the engine", name, engine)
		}
	}
	if got := account.AnyOf("SELECT or CREATE VIEW or no privilege"); got != account.Bits["SELECT"]|account.Bits["CREATE VIEW"] {
		t.Errorf("one of two is %b", got)
	}
}

// some makes a set with privileges at each level.
func some(r *rand.Rand) mysql_db.PrivilegeSet {
	p := mysql_db.NewPrivilegeSet()
	one := func() gms.PrivilegeType {
		return []gms.PrivilegeType{gms.PrivilegeType_Select, gms.PrivilegeType_Insert, gms.PrivilegeType_GrantOption}[r.IntN(3)]
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range r.IntN(5) {
		db, in := pick("d", "D", "e"), pick("t", "T", "u")
		switch r.IntN(6) {
		case 0:
			p.AddGlobalStatic(one())
		case 1:
			p.AddGlobalDynamic(r.IntN(2) == 0, pick("system_user", "ROLE_ADMIN"))
		case 2:
			p.AddDatabase(db, one())
		case 3:
			p.AddTable(db, in, one())
		case 4:
			p.AddColumn(db, in, pick("c", "C"), one())
		case 5:
			p.AddRoutine(db, in, r.IntN(2) == 0, one())
		}
	}
	return p
}

// What is held is what the engine's set has; together two accounts hold what either does, and all that one has who is no
// part of it.
func TestHoldingsAreTheEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 41))
	more, fewer := 0, 0
	for range 5000 {
		a, b := some(r), some(r)
		x, y := accounts.HoldingsOf(a), accounts.HoldingsOf(b)
		both := a.Copy()
		both.UnionWith(b)
		for _, c := range []struct {
			p mysql_db.PrivilegeSet
			h *account.Holdings
		}{{a, x}, {both, x.With(y)}} {
			for _, one := range []gms.PrivilegeType{gms.PrivilegeType_Select, gms.PrivilegeType_Insert, gms.PrivilegeType_GrantOption, gms.PrivilegeType_Drop} {
				bit := accounts.SetOf([]gms.PrivilegeType{one})
				if c.p.Has(one) != (c.h.Global&bit != 0) {
					t.Fatalf("%s everywhere: %v", one, c.h)
				}
				for _, db := range []string{"d", "E", "f"} {
					on, have := c.p.Database(db), c.h.On(db)
					if on.Has(one) != (have.All()&bit != 0) || on.HasPrivileges() != have.Some() {
						t.Fatalf("%s on %s: %v", one, db, have)
					}
					for _, in := range []string{"T", "u", "v"} {
						if on.Table(in).Has(one) != (have.Table(in).All()&bit != 0) || on.Table(in).HasPrivileges() != have.Table(in).Some() {
							t.Fatalf("%s on %s.%s: %v", one, db, in, have)
						}
					}
					if on.Routine("t", true).Has(one) != (have.Routine(account.Routine{"t", true})&bit != 0) {
						t.Fatalf("%s on routine t of %s: %v", one, db, have)
					}
				}
			}
			if again := accounts.HoldingsOf(accounts.PrivilegeSet(c.h)); !reflect.DeepEqual(again, c.h) {
				t.Fatalf("%v becomes %v", c.h, again)
			}
			if c.p.HasDynamic("SYSTEM_USER") != c.h.Has("SYSTEM_USER") {
				t.Fatalf("SYSTEM_USER: %v", c.h)
			}
		}
		if with := x.With(y); !account.HoldsAll(with, x) || !account.HoldsAll(with, y) || account.HoldsAll(x, y) != account.HoldsAll(x, with) {
			t.Fatalf("%v with %v", x, y)
		}
		if account.HoldsAll(x, y) {
			more++
		} else {
			fewer++
		}
	}
	if more < 500 || fewer < 500 {
		t.Errorf("one held all of another %d times, and not %d times", more, fewer)
	}
}

// A privilege is held below where it was given, and nowhere else.
func TestHoldsAll(t *testing.T) {
	with := func(do func(p mysql_db.PrivilegeSet)) *account.Holdings {
		p := mysql_db.NewPrivilegeSet()
		do(p)
		return accounts.HoldingsOf(p)
	}
	read := gms.PrivilegeType_Select
	everywhere := with(func(p mysql_db.PrivilegeSet) { p.AddGlobalStatic(read) })
	database := with(func(p mysql_db.PrivilegeSet) { p.AddDatabase("d", read) })
	table := with(func(p mysql_db.PrivilegeSet) { p.AddTable("d", "t", read) })
	column := with(func(p mysql_db.PrivilegeSet) { p.AddColumn("d", "t", "c", read) })
	routine := with(func(p mysql_db.PrivilegeSet) { p.AddRoutine("d", "t", true, read) })
	other := with(func(p mysql_db.PrivilegeSet) { p.AddTable("e", "t", read) })
	for i, wider := range []*account.Holdings{everywhere, database, table, column} {
		for j, narrower := range []*account.Holdings{everywhere, database, table, column} {
			if got := account.HoldsAll(wider, narrower); got != (i <= j) {
				t.Errorf("%d holds what %d does: %t", i, j, got)
			}
		}
	}
	if !account.HoldsAll(database, routine) || account.HoldsAll(table, routine) || account.HoldsAll(routine, table) || account.HoldsAll(database, other) || account.HoldsAll(table, other) {
		t.Error("routines or other databases are taken for tables")
	}
	if !account.HoldsAll(&account.Holdings{Global: account.Super}, with(func(p mysql_db.PrivilegeSet) { p.AddGlobalDynamic(true, "SYSTEM_USER") })) || account.HoldsAll(database, everywhere) {
		t.Error("SUPER does not stand for all")
	}
}
