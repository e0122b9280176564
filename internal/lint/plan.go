package lint

import "strings"

// module is the import path of the house.
const module = "isochron"

// floors are the storeys, lowest first. A package imports only from storeys
// below its own; two packages of one storey never import each other.
var floors = [][]string{
	{"geo", "coverage", "internal"}, // internal but for internal/lint
	{"routing"},
	{"txn"},
	{"store", "history", "preauth", "estimate"},
	{"workload"}, // records its operations as a history
	{"schedule", "yield", "decide", "reveal"},
	{"protocol"},
	{"participant", "raftgroup"},
	{"coordinator", "shard", "replica", "source"},
	{"node"},
	{"sim", "server"},
	{"sql", "console", "lab", "sqlload"},
	{"ops"},
	{"cmd"},
}

// besides are the directories that stand beside the house: nothing of the house
// imports them, and they may import anything.
var besides = []string{"internal/lint", "test", "bench"}

// only narrows what a package may import of the house. SQL knows a transaction
// through txn alone, so that it runs on either clock.
var only = map[string][]string{
	"preauth":   {}, // it knows connections and the time
	"sql":       {"geo", "routing", "txn", "preauth", "internal"},
	"workload":  {"geo", "routing", "txn", "history"},
	"history":   {"geo", "routing", "txn"},
	"estimate":  {"geo", "routing", "txn"},
	"sqlload":   {"history"},                  // it knows the database only as SQL
	"raftgroup": {"txn", "store", "coverage"}, // it knows nothing of the moves
}

// foreign lists the packages that may import a library, by import path prefix.
var foreign = map[string][]string{
	"github.com/cockroachdb/pebble":      {"server"},
	"go.etcd.io/raft":                    {"raftgroup", "sim"}, // sim puts messages into words
	"github.com/dolthub/go-mysql-server": {"sql", "cmd"},
	"github.com/dolthub/vitess":          {"sql", "cmd"},
	"vitess.io/vitess":                   {"sql"},
	"github.com/spf13/cobra":             {"cmd"},
	"github.com/prometheus":              {"ops", "cmd"},
	"gonum.org/v1/plot":                  {"lab"},
	"github.com/jackc/pgx":               {"server"},
}

// engine are the libraries of the SQL engine. engineDoor, with the packages below it, is where they belong; engineUsers are
// the other packages of sql that still import them. Each that no longer does leaves the list; none is added.
var (
	engine      = []string{"github.com/dolthub/go-mysql-server", "github.com/dolthub/vitess"}
	engineDoor  = "sql/legacy"
	engineUsers = []string{"sql"}
)

// core are the driven packages: they get time and disk from their driver, and randomness from a
// seed only.
var core = []string{
	"geo", "coverage", "routing", "txn", "store", "history", "workload", "estimate",
	"schedule", "yield", "decide", "reveal", "protocol",
	"participant", "raftgroup", "coordinator", "shard", "replica", "source", "node",
}

// coreMayNotImport are the libraries through which the world would get in.
var coreMayNotImport = []string{"crypto/rand", "net", "os", "os/exec", "os/signal", "syscall", "database/sql"}

// coreExceptions: geo reads the file that a person names.
var coreExceptions = map[string][]string{"geo": {"os"}}

// rowNamers may name protocols; all other packages ask the protocol's choices.
var rowNamers = []string{"protocol", "lab"}

// Sizes beyond which a thing is cut in two.
const (
	fileLinesMax = 500
	funcLinesMax = 80
	methodsMax   = 39        // of a type of the core
	textBytesMax = 1_000_000 // of a file that is not Go
)

// shame are words that tell of the machine on which something was written, or
// of where a library was fetched; they are put together here so as not to
// stand here.
var shame = []string{
	"/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/",
	"proxy.gol" + "ang.org", "sum.gol" + "ang.org", "pypi" + ".org", "registry.npm" + "js.org", "deb.deb" + "ian.org",
}

// unitOf is the package of the plan to which a directory belongs: "sql/plan"
// belongs to sql.
func unitOf(dir string) string {
	for _, b := range besides {
		if dir == b || strings.HasPrefix(dir, b+"/") {
			return b
		}
	}
	unit, _, _ := strings.Cut(dir, "/")
	return unit
}

// floorOf is the storey of a unit, -1 if the plan does not have it.
func floorOf(unit string) int {
	for i, f := range floors {
		for _, u := range f {
			if u == unit {
				return i
			}
		}
	}
	return -1
}
