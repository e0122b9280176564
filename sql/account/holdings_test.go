package account

import (
	"math/rand/v2"
	"testing"
)

func TestAnyOf(t *testing.T) {
	if got := anyOf("SELECT or CREATE VIEW or no privilege"); got != bits["SELECT"]|bits["CREATE VIEW"] {
		t.Errorf("one of two is %b", got)
	}
}

// given are holdings with privileges on a level.
func given(s scope, on Level, p Set) *Holdings {
	h := nothing.with(nothing)
	h.add(s, on, p)
	return h
}

// some are holdings with privileges at each level.
func some(r *rand.Rand) *Holdings {
	h := nothing.with(nothing)
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range r.IntN(5) {
		on := Level{pick("d", "D", "e"), pick("t", "T", "u")}
		h.add(scope(r.IntN(4)), on, bits[pick("SELECT", "INSERT", "GRANT OPTION")])
		if r.IntN(3) == 0 {
			h.Dynamic[pick("system_user", "role_admin")] = r.IntN(2) == 0
		}
	}
	return h
}

// Two accounts together hold what either does, and all that one has who is no part of it is not held by the other.
func TestHoldingsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 41))
	more, fewer := 0, 0
	for range 5000 {
		x, y := some(r), some(r)
		both := x.with(y)
		for _, db := range []string{"d", "E", "f"} {
			if both.on(db).all() != x.on(db).all()|y.on(db).all() || both.on(db).some() != (x.on(db).some() || y.on(db).some()) {
				t.Fatalf("on %s: %v with %v", db, x, y)
			}
			for _, in := range []string{"T", "u", "v"} {
				if both.on(db).table(in).all() != x.on(db).table(in).all()|y.on(db).table(in).all() {
					t.Fatalf("on %s.%s: %v with %v", db, in, x, y)
				}
			}
			if p := (Routine{"t", true}); both.on(db).routine(p) != x.on(db).routine(p)|y.on(db).routine(p) {
				t.Fatalf("on a routine of %s: %v with %v", db, x, y)
			}
		}
		if both.Global != x.Global|y.Global || both.has("SYSTEM_USER") != (x.has("SYSTEM_USER") || y.has("SYSTEM_USER")) {
			t.Fatalf("everywhere: %v with %v", x, y)
		}
		if !holdsAll(both, x) || !holdsAll(both, y) || holdsAll(x, y) != holdsAll(x, both) {
			t.Fatalf("%v with %v", x, y)
		}
		if holdsAll(x, y) {
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
	read := bits["SELECT"]
	everything, database, table := given(everywhere, Level{"*", "*"}, read), given(onADatabase, Level{"d", "*"}, read), given(onATable, Level{"d", "t"}, read)
	column := given(onATable, Level{"d", "t"}, 0)
	column.Databases["d"].Tables["t"].Columns["c"] = read
	routine, other := given(onAProcedure, Level{"d", "t"}, read), given(onATable, Level{"e", "t"}, read)
	for i, wider := range []*Holdings{everything, database, table, column} {
		for j, narrower := range []*Holdings{everything, database, table, column} {
			if got := holdsAll(wider, narrower); got != (i <= j) {
				t.Errorf("%d holds what %d does: %t", i, j, got)
			}
		}
	}
	if !holdsAll(database, routine) || holdsAll(table, routine) || holdsAll(routine, table) || holdsAll(database, other) || holdsAll(table, other) {
		t.Error("routines or other databases are taken for tables")
	}
	systemUser := nothing.with(nothing)
	systemUser.Dynamic["system_user"] = true
	if !holdsAll(&Holdings{Global: super}, systemUser) || holdsAll(database, everything) {
		t.Error("SUPER does not stand for all")
	}
}
