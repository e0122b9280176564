package account

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	vitess "github.com/dolthub/vitess/go/mysql"
)

// Each type of statement that the parser can make has a row, or is one that it never
// makes. A new type has none, and is refused.
func TestEveryStatementHasARight(t *testing.T) {
	never := []string{"Stream", "OtherRead", "OtherAdmin", "SrsAttribute", "InjectedStatement"}
	named := map[string]bool{}
	for _, f := range parseFiles(t, ".") {
		if strings.HasSuffix(f.name, "kind.go") {
			ast.Inspect(f.file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					named[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	for _, name := range []string{"Select", "SetOp", "ParenSelect"} {
		named[name] = named["SelectStatement"]
	}
	dir, err := build.Import("github.com/dolthub/vitess/go/vt/sqlparser", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, f := range parseFiles(t, dir.Dir) {
		for _, d := range f.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "iStatement" || fn.Recv == nil {
				continue
			}
			types++
			name := ""
			ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					name = id.Name
				}
				return true
			})
			if !named[name] && !slices.Contains(never, name) {
				t.Errorf("statements of the type %s have no right: name its kind in kindOf, and what it needs in rights", name)
			}
		}
	}
	if types < 60 {
		t.Errorf("%d types of statements were found", types)
	}
}

type sourceFile struct {
	name string
	file *ast.File
}

func parseFiles(t *testing.T, dir string) []sourceFile {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sourceFile
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sourceFile{name, f})
	}
	return out
}

// Each kind of statement has one row.
func TestOneRowOfEachKind(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rights() {
		if seen[r.Statement] {
			t.Errorf("%s has two rows", r.Statement)
		}
		seen[r.Statement] = true
	}
}

// Only the words of an option are one: names of accounts are not.
func TestNamesAreNoOptions(t *testing.T) {
	for text, want := range map[string]string{
		"ALTER USER u ACCOUNT LOCK": "lock,", "alter user u account unlock": "unlock,", "ALTER USER u ACCOUNT UNLOCK ACCOUNT LOCK": "lock,",
		"/* x */ ALTER /* USER */ USER u account -- c\n lock": "lock,", "ALTER USER account, lock ACCOUNT UNLOCK": "unlock,", "ALTER USER u, account , unlock": "",
		"ALTER USER u COMMENT 'account lock'": "", "ALTER USER `account` LOCK": "", "ALTER USER u REQUIRE NONE ACCOUNT LOCK; ALTER USER u ACCOUNT UNLOCK": "lock,notls,",
	} {
		if _, mark := WithCreateUser(text); mark != alterMark+want {
			t.Errorf("%s: %q", text, mark)
		}
	}
	for _, text := range []string{"", "SELECT 1", "ALTER TABLE user ADD n INT", "ALTER", "CREATE USER u ACCOUNT LOCK", "'alter user'", "/* alter user"} {
		if got, mark := WithCreateUser(text); mark != "" || got != text {
			t.Errorf("%s: %q, %q", text, got, mark)
		}
	}
}

// From an address that has asked for an unknown name the leader is asked for known ones, too.
func TestStrangers(t *testing.T) {
	var s strangers
	now := time.Unix(1000, 0)
	if s.asks("h", false, now) {
		t.Error("the leader is asked for a known name at once")
	}
	if !s.asks("h", true, now) || !s.asks("h", false, now.Add(strangersFor-1)) || s.asks("other", false, now) || s.asks("h", false, now.Add(strangersFor)) {
		t.Error("the leader is asked as it should not be")
	}
}

// An unknown account is asked for a password as a known one is, always the same, at every node.
func TestDecoy(t *testing.T) {
	var nodes [2]*Accounts
	for i := range nodes {
		a, err := New(nil, mysql_db.CreateEmptyMySQLDb(), "*"+strings.Repeat("A", 40))
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = a
	}
	if got := nodes[0].decoy("x"); got != vitess.MysqlNativePassword {
		t.Errorf("nobody has another than mysql_native_password, and x is asked for %s", got)
	}
	for _, a := range nodes {
		ed := a.shown.Editor()
		ed.PutUser(&mysql_db.User{User: "sha", Host: "%", PrivilegeSet: mysql_db.NewPrivilegeSet(), Plugin: string(vitess.CachingSha2Password), AuthString: "x"})
		ed.Close()
		a.book.Store(bookOf(a.shown))
	}
	ways := map[string]int{}
	for i := range 200 {
		name := strings.Repeat("x", i)
		way := nodes[0].decoy(name)
		if again := nodes[1].decoy(name); again != way {
			t.Fatal("a name is asked in two ways")
		}
		ways[string(way)]++
	}
	if len(ways) != 2 || ways["caching_sha2_password"] < 60 || ways["mysql_native_password"] < 60 {
		t.Errorf("%v", ways)
	}
}

// An account without a password is refused from another machine. A locked one may prove its
// password (TestLockedAccount).
func TestWhoMayTry(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	open, locked, proved := &userAccount{}, &userAccount{verifier: "x", locked: true}, &userAccount{verifier: "x"}
	for _, c := range []struct {
		user *userAccount
		from net.Addr
		want bool
	}{{open, near, true}, {open, far, false}, {locked, near, true}, {proved, far, true}} {
		if got := mayTry(&vitess.Conn{}, c.user, c.from); got != c.want {
			t.Errorf("%+v from %s: %v", c.user, c.from, got)
		}
	}
}
