package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a node may take is said by the command or by its configuration; what cannot be
// is refused in one line before anything is opened.
func TestStartRefusesMemory(t *testing.T) {
	c := initCluster(t)
	config := filepath.Join(c.dir, "node1.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct{ line, flag, message string }{
		{"", "100MB", "--memory: 95 MiB of memory are too little for a node, which takes 256 MiB at least"},
		{"", "much", `--memory: "much" is no size of a memory`},
		{"memory: 100MB\n", "", "memory: 95 MiB of memory are too little for a node"},
		{"memory: much\n", "", `memory: "much" is no size of a memory`},
		{"memory: 2GB\n", "120%", "--memory: \"120%\": a part of the machine's memory is a whole number from 1% to 90%"},
		{"", "100TB", "are more than the"},
	} {
		if err := os.WriteFile(config, append([]byte(try.line), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		args := []string{"start", "--config", config}
		if try.flag != "" {
			args = append(args, "--memory", try.flag)
		}
		code := run(context.Background(), args, &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), try.message) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q, --memory %q: exit %d, %q; want exit %d and one line with %q", try.line, try.flag, code, &errs, exitUsage, try.message)
		}
	}
}
