package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the files of testdata. A directive names a client, who connects
// at first mention ("va", "wa2": a region and a number), and its input is one or
// more statements, of which the results of the last are the output. Files whose
// name begins with plan are about round plans; the others give the same with and
// without them.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, path := range []string{pathAuto, pathEngine} {
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			if path == pathEngine && (strings.HasPrefix(name, "plan") || name == "ddl") {
				continue // the engine has no round plans, and other texts of its errors
			}
			t.Run(name+"/"+path, func(t *testing.T) { runScript(t, file, path) })
		}
	}
}

func runScript(t *testing.T, file, path string) {
	f := start(t)
	clients := map[string]*client{}
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
		c := clients[d.Cmd]
		if c == nil {
			c = f.connect(t, strings.TrimRight(d.Cmd, "0123456789"), "shop")
			c.exec("SET isochron_path = '" + path + "'")
			clients[d.Cmd] = c
		}
		var out string
		var err error
		for _, statement := range strings.Split(d.Input, ";\n") {
			out, err = c.try(strings.TrimSuffix(statement, ";"))
			if err != nil {
				return fmt.Sprintf("%v\n", err)
			}
		}
		if out == "" {
			out = "ok\n"
		}
		return out
	})
	for _, c := range clients {
		c.conn.Close()
	}
}

func TestMain(m *testing.M) { os.Exit(m.Run()) }
