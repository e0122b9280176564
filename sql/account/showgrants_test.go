package account

import (
	"strings"
	"testing"

	"isochron/sql/legacy"
)

func TestReadShowGrants(t *testing.T) {
	for text, want := range map[string]string{
		"SHOW GRANTS": "SHOW GRANTS Grants for me@%", "show grants for current_user()": "SHOW GRANTS Grants for me@%", "SHOW GRANTS FOR CURRENT_USER; SELECT 1": "SHOW GRANTS Grants for me@%",
		"SHOW GRANTS FOR 'a b'@`10.%` USING r, s@h": "SHOW GRANTS FOR Grants for a b@10.%", "/* x */ SHOW /*! GRANTS */ FOR u": "SHOW GRANTS FOR Grants for u@%",
	} {
		s, end, err := ReadShowGrants(text, false)
		if err != nil || s == nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Kind() + " " + s.Title("me", "%"); got != want || strings.Contains(text[end:], "GRANTS") {
			t.Errorf("%s is read as %s, then %q", text, got, text[end:])
		}
	}
	for _, text := range []string{"SHOW", "SHOW TABLES", "SELECT 1", "`show` grants", ""} {
		if s, _, err := ReadShowGrants(text, false); s != nil || err != nil {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"SHOW GRANTS x", "SHOW GRANTS FOR", "SHOW GRANTS FOR CURRENT_USER(", "SHOW GRANTS FOR u USING", "SHOW GRANTS FOR u USING ''", "SHOW GRANTS FOR u, v"} {
		if _, _, err := ReadShowGrants(text, false); legacy.NumberOf(err) != 1064 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is shown gives an account what it has.
func TestGrants(t *testing.T) {
	own := nothing.with(nothing)
	own.add(everywhere, Level{"*", "*"}, bits["SELECT"]|bits["CREATE VIEW"]|grantOption)
	own.add(onADatabase, Level{"D`b", "*"}, bits["INSERT"])
	own.add(onATable, Level{"a", "T"}, bits["DELETE"]|grantOption)
	own.add(onAProcedure, Level{"a", "P"}, bits["EXECUTE"])
	own.Dynamic["role_admin"], own.Dynamic["connection_admin"], own.Dynamic["system_user"] = false, false, true
	role := nothing.with(nothing)
	role.add(onADatabase, Level{"e", "*"}, bits["UPDATE"])
	r, s, lone := Name{"%", "r"}, Name{"%", "s"}, Name{"%", "lone"}
	a := &Accounts{}
	a.book.Store(bookOf(Stored{
		Users: []*User{{Name: Name{"10.%", "u"}, Own: own}, {Name: r, Own: role, Role: true}, {Name: s, Own: nothing, Role: true}, {Name: lone, Own: nothing}},
		Roles: map[Name][]Given{{"10.%", "u"}: {{s, true}, {r, false}}},
	}))
	lines := func(user, host, text string) string {
		show, _, err := ReadShowGrants(text, false)
		if err != nil {
			t.Fatal(text, err)
		}
		out, err := a.Grants(user, host, show)
		if err != nil {
			return err.Error()
		}
		return strings.Join(out, "\n")
	}
	const first = "GRANT SELECT, CREATE VIEW ON *.* TO `u`@`10.%` WITH GRANT OPTION\nGRANT CONNECTION_ADMIN,ROLE_ADMIN ON *.* TO `u`@`10.%`\nGRANT SYSTEM_USER ON *.* TO `u`@`10.%` WITH GRANT OPTION\nGRANT INSERT ON `D``b`.* TO `u`@`10.%`\n"
	const rest = "GRANT DELETE ON `a`.`T` TO `u`@`10.%` WITH GRANT OPTION\nGRANT EXECUTE ON PROCEDURE `a`.`P` TO `u`@`10.%`\nGRANT `r`@`%` TO `u`@`10.%`\nGRANT `s`@`%` TO `u`@`10.%` WITH ADMIN OPTION"
	for text, want := range map[string]string{
		"SHOW GRANTS": first + rest, "SHOW GRANTS FOR u@'10.%' USING r": first + "GRANT UPDATE ON `e`.* TO `u`@`10.%`\n" + rest,
		"SHOW GRANTS FOR lone": "GRANT USAGE ON *.* TO `lone`@`%`", "SHOW GRANTS FOR u": "There is no such grant defined for user 'u' on host '%' (errno 1141) (sqlstate 42000)",
		"SHOW GRANTS FOR lone USING r": "`r`@`%` is not granted to `lone`@`%` (errno 3530) (sqlstate HY000)",
	} {
		if got := lines("u", "10.%", text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
	for _, line := range strings.Split(lines("u", "10.%", "SHOW GRANTS"), "\n") {
		if stmt, _, _, err := Read(line, false); stmt == nil || err != nil {
			t.Errorf("%s cannot be read: %v", line, err)
		}
	}
	h := a.Holder("lone", "%", "")
	for text, code := range map[string]int{"SHOW GRANTS": 0, "SHOW GRANTS FOR lone": 0, "SHOW GRANTS FOR u@'10.%'": 1044} {
		show, _, _ := ReadShowGrants(text, false)
		if err := h.MayShowGrants(show); legacy.NumberOf(err) != code {
			t.Errorf("%s by lone: %v", text, err)
		}
	}
}
