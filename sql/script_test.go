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
// more statements, of which the results of the last are the output.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	f := start(t)
	clients := map[string]*client{}
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
		c := clients[d.Cmd]
		if c == nil {
			c = f.connect(t, strings.TrimRight(d.Cmd, "0123456789"), "shop")
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
