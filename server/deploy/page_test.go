package deploy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"isochron/test/pages"
)

// setting has a key's data that its comment lacks: unit and default, and the meaning where the
// field has no comment of its own.
type setting struct{ unit, otherwise, meaning string }

var settings = map[string]setting{
	"format":                       {"", "1", "version of this file"},
	"cluster":                      {"", "", "name of the cluster, as init wrote it: 1 to 32 lower-case letters and digits"},
	"node":                         {"", "", "id of this node, one of those under nodes"},
	"region":                       {"", "", "region of this node, the one under nodes"},
	"role":                         {"", "a storage node", "gateway: the node holds no replica and answers SQL"},
	"data":                         {"", "", "directory of the node's data; a relative path is one from this file"},
	"peer_listen":                  {"host:port", "", "where the node listens for other nodes"},
	"sql_listen":                   {"host:port", "", "where the node listens for SQL clients; a node with sources may leave it out"},
	"sql.root":                     {"", "root has no password, on a loopback address only", "file with the verifier of root's first password"},
	"sql.certificate":              {"", "", "certificate that is presented to SQL clients"},
	"sql.key":                      {"", "", "its private key"},
	"sql.tls":                      {"", "offered on a loopback address, else required", "required: clients without TLS are refused; offered; off"},
	"sql.connections":              {"connections", "4000", "SQL connections at a time"},
	"sql.running":                  {"statements", "64 for each core, at least 128", "statements that execute at a time; more wait"},
	"sql.strangers":                {"connections", "1024", "connections that have not logged in, at a time"},
	"sql.login_timeout":            {"duration, 1s to 1m", "10s", "time a client has to log in"},
	"sql.failed_login_delay":       {"duration, up to 1m", "5s", "longest delay of the reply to a wrong password; 0s: no delay"},
	"sql.wait_timeout":             {"duration, whole seconds", "8h", "first value of the variable wait_timeout"},
	"sql.interactive_timeout":      {"duration, whole seconds", "8h", "first value of the variable interactive_timeout"},
	"sql.write_timeout":            {"duration, whole seconds", "60s", "first value of the variable net_write_timeout"},
	"sql.idle_transaction_timeout": {"duration, whole seconds", "10m", "first value of the variable isochron_idle_transaction_timeout"},
	"sql.lock_wait_timeout":        {"duration, whole seconds", "5s", "first value of the variable innodb_lock_wait_timeout"},
	"sql.statement_timeout":        {"duration, whole milliseconds", "0s: no limit", "first value of the variable isochron_statement_timeout"},
	"sql.source_timeout":           {"duration, whole seconds", "the variable's", "first value of the variable isochron_source_timeout"},
	"sql.commit_timeout":           {"duration, whole seconds", "20s", "first value of the variable isochron_commit_timeout"},
	"http_listen":                  {"host:port", "not served", "where metrics and health are served over plain HTTP, without authentication"},
	"http_profiles":                {"", "false", "true: Go's profiles at /debug/pprof/, on a loopback address only"},
	"slow_transaction":             {"duration", "1s", "transactions that take longer are logged; 0s: none"},
	"verify_every":                 {"duration, from 1s", "never", "how often replicas are compared"},
	"verify_rate":                  {"megabytes a second", "8", "what each replica reads for that"},
	"memory":                       {"bytes such as 2GB or 1536MiB, or percent such as 25%", "50% of the machine's", "memory of the node"},
	"tls.ca":                       {"", "", "certificate of the cluster's authority"},
	"tls.certificate":              {"", "", "certificate of this node"},
	"tls.key":                      {"", "", "its private key"},
	"protocol":                     {"", "", "the protocol with which a new cluster starts; later set-protocol decides"},
	"wan":                          {"", "fits round trips below 250 ms", "map of the delays between regions: a name or a file"},
	"add_delays":                   {"", "false", "add the delays of the map to this node's links: for tests"},
	"election_timeout":             {"duration, up to 1m", "what fits the map", "time without a message of the leader after which a replica campaigns; the same at all nodes"},
	"join":                         {"", "false", "the node was added to a cluster that existed"},
	"sources[].name":               {"", "", "name of the database, as statements and tables have it"},
	"sources[].address":            {"URL", "", "postgres://user@host:port/database or mysql://user@host:port/database"},
	"sources[].password_file":      {"", "the environment's ISOCHRON_SOURCE_PASSWORD, or no password", "file with the account's password, one line"},
	"sources[].connections":        {"connections, 1 to 4096", "64", "connections of the agent to the database"},
	"sources[].isolation":          {"", "locks", "what serializable transactions at a PostgreSQL use: locks, or serializable, its own level"},
	"sources[].deadlock_after":     {"duration", "100ms", "wait at the database after which a deadlock over several databases is looked for; below 0: never"},
	"nodes[].id":                   {"", "", "id of a node; ids rise"},
	"nodes[].region":               {"", "", "its region"},
	"nodes[].address":              {"host:port", "", "its address for the other nodes"},
	"nodes[].role":                 {"", "a storage node", "gateway: it holds no replica"},
}

// The page of settings has each key of a node's file, and each is known to settings.
func TestPageOfSettings(t *testing.T) {
	structs := map[string]*ast.StructType{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if st, ok := s.Type.(*ast.StructType); ok {
					structs[s.Name.Name] = st
				}
			}
			return true
		})
	}
	var b strings.Builder
	b.WriteString(`# Settings of a node

The keys of a node's file, ` + "`nodeN.yaml`" + `, which ` + "`isochron init`" + ` writes. A node reads it when it
starts, and refuses a file with a key that is not here. A key with a default may be left out.

| key | unit | default | meaning |
|---|---|---|---|
`)
	known := map[string]bool{}
	writeKeys(t, &b, structs, "Config", "", known)
	for key := range settings {
		if !known[key] {
			t.Errorf("%s is no key", key)
		}
	}
	pages.Hold(t, "settings.md", b.String())
}

// writeKeys writes the keys of a struct, and those of the structs in it.
func writeKeys(t *testing.T, b *strings.Builder, structs map[string]*ast.StructType, name, prefix string, known map[string]bool) {
	t.Helper()
	for _, f := range structs[name].Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			t.Fatal(err)
		}
		key, _, _ := strings.Cut(reflect.StructTag(tag).Get("yaml"), ",")
		if key == "" || key == "-" {
			continue
		}
		key = prefix + key
		inner, element := f.Type, ""
		if a, ok := inner.(*ast.ArrayType); ok {
			inner, element = a.Elt, "[]"
		}
		if id, ok := inner.(*ast.Ident); ok && structs[id.Name] != nil {
			writeKeys(t, b, structs, id.Name, key+element+".", known)
			continue
		}
		s, ok := settings[key]
		if !ok {
			t.Errorf("the key %s is new: give it a unit, a default and a meaning in settings", key)
		}
		known[key] = true
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", key, pages.Cell(s.unit), pages.Cell(s.otherwise), pages.Cell(s.meaning))
	}
}
