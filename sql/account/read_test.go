package account

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"isochron/sql/legacy"
)

// shown is a statement for people: its kind, and its fields that are not zero.
func shown(kind string, s Statement) string {
	v := reflect.ValueOf(s).Elem()
	out := []string{kind}
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			text := fmt.Sprintf("%+v", f.Interface())
			if o, ok := f.Interface().(Options); ok && o.MaxConnections != nil {
				n := *o.MaxConnections
				o.MaxConnections = nil
				text = fmt.Sprintf("%+v, at most %d", o, n)
			}
			if list, ok := f.Interface().([]Authenticated); ok {
				text = ""
				for _, a := range list {
					text += a.quoted("'")
					if a.Proof != nil {
						text += fmt.Sprintf("%+v", *a.Proof)
					}
				}
			}
			out = append(out, v.Type().Field(i).Name+" "+text)
		}
	}
	return strings.Join(out, ", ")
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE USER u": "CREATE USER, Users 'u'@'%'",
		"create user if not exists 'a b'@'10.%', `c`@localhost identified by 'it''s \\'x' account lock; x":                      "CREATE USER, Users 'a b'@'10.%''c'@'localhost'{Plugin:mysql_native_password password:it's 'x Identity:}, IfNotExists true, Options {SSL:false NoTLS:false Lock:true Unlock:false MaxConnections:<nil> Others:false} | x",
		"/* ALTER */ ALTER USER IF EXISTS u@ IDENTIFIED WITH 'caching_sha2_password' BY 'p' REQUIRE NONE PASSWORD EXPIRE NEVER": "ALTER USER, Users 'u'@''{Plugin:caching_sha2_password password:p Identity:}, IfExists true, Options {SSL:false NoTLS:true Lock:false Unlock:false MaxConnections:<nil> Others:true}",
		"DROP USER a, b@'%'":                                 "DROP USER, Names [{User:a Host:%} {User:b Host:%}]",
		"DROP ROLE IF EXISTS r":                              "DROP ROLE, Names [{User:r Host:%}], Roles true, IfExists true",
		"CREATE ROLE `if`, s":                                "CREATE ROLE, Roles [{User:if Host:%} {User:s Host:%}]",
		"GRANT ALL PRIVILEGES ON *.* TO u WITH GRANT OPTION": "GRANT, Privileges {Users:[{User:u Host:%}] List:[{None:false All:true Dynamic: Static:0}] Level:{Database:* Object:*} Procedure:false}, GrantOption true",
		"GRANT SHOW DATABASES, system_user ON * TO u":        "GRANT, Privileges {Users:[{User:u Host:%}] List:[{None:false All:false Dynamic: Static:16384} {None:false All:false Dynamic:SYSTEM_USER Static:0}] Level:{Database: Object:*} Procedure:false}",
		"GRANT EXECUTE ON PROCEDURE d.`p q` TO u":            "GRANT, Privileges {Users:[{User:u Host:%}] List:[{None:false All:false Dynamic: Static:262144}] Level:{Database:d Object:p q} Procedure:true}",
		"GRANT USAGE ON `a\\_b`.* TO u":                      "GRANT, Privileges {Users:[{User:u Host:%}] List:[{None:true All:false Dynamic: Static:0}] Level:{Database:a_b Object:*} Procedure:false}",
		"GRANT r, s@h TO u WITH ADMIN OPTION":                "GRANT ROLE, Roles [{User:r Host:%} {User:s Host:h}], Users [{User:u Host:%}], Admin true",
		"GRANT select TO u":                                  "GRANT ROLE, Roles [{User:select Host:%}], Users [{User:u Host:%}]",
		"REVOKE ALL, GRANT OPTION FROM u, v":                 "REVOKE, Privileges {Users:[{User:u Host:%} {User:v Host:%}] List:[{None:false All:true Dynamic: Static:0}] Level:{Database:* Object:*} Procedure:false}, Everything true",
		"REVOKE IF EXISTS r FROM u IGNORE UNKNOWN USER":      "REVOKE ROLE, Roles [{User:r Host:%}], Users [{User:u Host:%}], IfExists true, IgnoreUnknown true",
		"REVOKE INSERT ON TABLE d.t FROM u":                  "REVOKE, Privileges {Users:[{User:u Host:%}] List:[{None:false All:false Dynamic: Static:2}] Level:{Database:d Object:t} Procedure:false}",
		"/*!50000 CREATE */ USER /*!50706 IF NOT EXISTS */u": "CREATE USER, Users 'u'@'%', IfNotExists true",
	} {
		stmt, kind, end, err := Read(text, false)
		if err != nil || stmt == nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := shown(kind, stmt)
		if rest := strings.TrimSpace(text[end:]); rest != "" {
			got += " | " + rest
		}
		if got != want {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", text, got, want)
		}
	}
	for _, text := range []string{"", "SELECT 1", "ALTER TABLE user ADD n INT", "ALTER", "'alter user'", "/* alter user", "CREATE TABLE user (id INT)", "`create` user u", "SHOW GRANTS", "SET @a = 1", "SET `password` = 1"} {
		if stmt, kind, _, err := Read(text, false); stmt != nil || kind != "" || err != nil {
			t.Errorf("%s is read as %s %v, %v", text, kind, stmt, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]int{
		"CREATE USER": 1064, "CREATE USER u,": 1064, "CREATE USER u IDENTIFIED": 1064, "CREATE USER u IDENTIFIED BY p": 1064, "CREATE USER 'u": 1064, "CREATE USER u WITH": 1064,
		"CREATE USER u@10.0.0.1": 1064, "CREATE USER u PASSWORD EXPIRE": 1064, "CREATE USER u ACCOUNT": 1064, "CREATE USER u REQUIRE SSL X509": 1064, "ALTER USER USER() IDENTIFIED BY 'x'": 1064,
		"CREATE USER u IDENTIFIED BY 'x' REPLACE 'y'": 1064, "CREATE ROLE ''": 1064, "GRANT SELECT ON d.t": 1064, "GRANT SELECT ON *.t TO u": 1064, "GRANT SELECT ON d.t TO": 1064, "GRANT r WITH ADMIN OPTION": 1064,
		"GRANT SELECT INSERT ON d.t TO u": 1064, "REVOKE r": 1064, "REVOKE ALL, GRANT OPTION ON *.* FROM u": 1064, "DROP USER u u": 1064, "GRANT SELECT ON d.t TO u WITH GRANT": 1064,
		"CREATE USER u IDENTIFIED WITH x": 1524, "CREATE USER u IDENTIFIED WITH mysql_native_password AS 'x'": 1827, "ALTER USER u IDENTIFIED WITH mysql_native_password": 1235,
		"CREATE USER u IDENTIFIED BY RANDOM PASSWORD": 1235, "CREATE USER u DEFAULT ROLE r": 1235, "CREATE USER u REQUIRE X509": 1235, "CREATE USER u WITH MAX_QUERIES_PER_HOUR 1": 1235,
		"CREATE USER u WITH MAX_USER_CONNECTIONS 99999999999999999999": 1235, "CREATE USER u COMMENT 'x'": 1235, "CREATE USER u PASSWORD HISTORY 1": 1235, "CREATE USER u FAILED_LOGIN_ATTEMPTS 1": 1235,
		"GRANT SELECT (a) ON d.t TO u": 1235, "GRANT SELECT ON d.t TO u AS v": 1235, "GRANT EXECUTE ON FUNCTION d.f TO u": 1235, "GRANT SELECT ON `d%`.* TO u": 1235, "GRANT SELECT ON TABLE d.* TO u": 1235,
	} {
		_, kind, _, err := Read(text, false)
		if got := legacy.NumberOf(err); got != want || kind == "" {
			t.Errorf("%s (%s): %v, want %d", text, kind, err, want)
		}
	}
}

// FuzzRead: what is read ends within the text, has a row of Rights, and is read alike again; errors have numbers.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"CREATE USER IF NOT EXISTS u@'h' IDENTIFIED WITH caching_sha2_password BY 'p' REQUIRE SSL WITH MAX_USER_CONNECTIONS 3 PASSWORD REUSE INTERVAL 0 DAY ACCOUNT UNLOCK",
		"alter user if exists `u`@localhost, v@ identified by 'x\\'y'; select 1", "GRANT ALL, CREATE TEMPORARY TABLES (a, `b`), ROLE_ADMIN ON PROCEDURE `d\\%`.p TO u WITH GRANT OPTION AS v",
		"REVOKE IF EXISTS ALL PRIVILEGES, GRANT OPTION FROM u IGNORE UNKNOWN USER", "GRANT r@h, s TO u WITH ADMIN OPTION", "DROP ROLE IF EXISTS /*!50000 r */ -- x\n, s", "REVOKE GRANT OPTION ON * FROM u",
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		stmt, kind, end, err := Read(text, ansi)
		switch {
		case err != nil:
			if stmt != nil || legacy.NumberOf(err) == 0 || errors.Unwrap(err) != nil {
				t.Fatalf("%q: %v, %v", text, stmt, err)
			}
		case stmt == nil:
			return
		case end > len(text) || RightOf(kind) == nil:
			t.Fatalf("%q ends at %d and is a %q", text, end, kind)
		default:
			again, _, _, err := Read(text[:end], ansi)
			if err != nil || shown(kind, again) != shown(kind, stmt) {
				t.Fatalf("%q is read as %s alone, %v", text[:end], shown(kind, again), err)
			}
		}
	})
}
