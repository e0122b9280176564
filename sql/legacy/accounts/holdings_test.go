package accounts

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"isochron/sql/account"
)

// The privileges have the engine's numbers and names.
func TestNamesOfPrivileges(t *testing.T) {
	for _, p := range mysql_db.NewPrivilegeSetWithAllPrivileges().ToSlice() {
		if p == gms.PrivilegeType_GrantOption {
			continue
		}
		stmt, _, _, err := account.Read("GRANT "+p.String()+" ON *.* TO u", false)
		if err != nil {
			t.Fatal(p, err)
		}
		if g, ok := stmt.(*account.Grant); !ok || len(g.List) != 1 || g.List[0].Static != SetOf([]gms.PrivilegeType{p}) || g.List[0].Static == 0 {
			t.Errorf("%s is read as %+v", p, stmt)
		}
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

// What is held is what the engine's set has, and becomes it again.
func TestHoldingsAreTheEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 41))
	for range 5000 {
		p := some(r)
		h := HoldingsOf(p)
		for _, one := range []gms.PrivilegeType{gms.PrivilegeType_Select, gms.PrivilegeType_Insert, gms.PrivilegeType_GrantOption, gms.PrivilegeType_Drop} {
			bit := SetOf([]gms.PrivilegeType{one})
			if p.Has(one) != (h.Global&bit != 0) {
				t.Fatalf("%s everywhere: %v", one, h)
			}
			for _, db := range []string{"d", "E", "f"} {
				on, have := p.Database(db), h.Databases[strings.ToLower(db)]
				if have == nil {
					have = &account.OnDatabase{}
				}
				if on.Has(one) != (have.Whole&bit != 0) || on.Routine("t", true).Has(one) != (have.Routines[account.Routine{Name: "t", Procedure: true}].Set&bit != 0) {
					t.Fatalf("%s on %s: %v", one, db, have)
				}
				for _, in := range []string{"T", "u", "v"} {
					if table := have.Tables[strings.ToLower(in)]; on.Table(in).Has(one) != (table != nil && table.Whole&bit != 0) {
						t.Fatalf("%s on %s.%s: %v", one, db, in, have)
					}
				}
			}
		}
		if again := HoldingsOf(PrivilegeSet(h)); !reflect.DeepEqual(again, h) {
			t.Fatalf("%v becomes %v", h, again)
		}
		if _, has := h.Dynamic["system_user"]; p.HasDynamic("SYSTEM_USER") != has {
			t.Fatalf("SYSTEM_USER: %v", h)
		}
	}
}
