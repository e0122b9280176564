package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
)

// The demo starts its own databases, moves money among them and a table of the cluster, runs TPC-C
// over them, and prints the cost; no money is made or lost. Ctrl-C, which goes to its databases as
// well, ends it with its figures, and nothing is left behind.
func TestTheDemoOverSources(t *testing.T) {
	s, err := sourcetest.MariaDB()
	sourcetest.LeaveOut(t, err)
	s.Close()
	dir, err := os.MkdirTemp("", "isochron-demo-test-") // readable by the databases' user
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o1777); err != nil {
		t.Fatal(err)
	}
	var idle []string
	for work := 4 * time.Second; work < startTimeout; work *= 4 { // a busy machine does less
		if idle = demonstrate(t, dir, work); len(idle) == 0 {
			break
		}
	}
	if len(idle) > 0 {
		t.Errorf("nothing was done at %v", idle)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// demonstrate runs the demo with its files in a directory, ends it after so much work, and gives the
// databases at which nothing was done.
func demonstrate(t *testing.T, dir string, work time.Duration) (idle []string) {
	t.Helper()
	var out strings.Builder
	stderr := new(safeBuffer)
	cmd := command("demo", "--sources", "--native", "--for", "10m", "--port", "0", "--wan-scale", "0.05", "--clients", "2", "--json")
	cmd.Env, cmd.SysProcAttr = append(cmd.Env, "TMPDIR="+dir), &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := -cmd.Process.Pid
	defer syscall.Kill(group, syscall.SIGKILL) // if the test ends early
	for end := time.Now().Add(startTimeout); !strings.Contains(stderr.String(), "starting the clients") && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(work)
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var answered struct {
		Sources []sourceFigures
		Balance bool `json:"books_balance"`
	}
	if err := json.Unmarshal([]byte(out.String()), &answered); err != nil || !answered.Balance || len(answered.Sources) != 4 {
		t.Fatalf("%v in %s", err, &out)
	}
	for _, f := range answered.Sources {
		if f.Near+f.Far == 0 || f.TPCC == 0 {
			idle = append(idle, fmt.Sprintf("%+v", f))
		}
	}
	return idle
}

func TestFlagsOfTheDemoOverSources(t *testing.T) {
	for _, args := range [][]string{{"demo", "--native"}, {"demo", "--sources", "--data", "x"}, {"demo", "--sources", "--wan", "nowhere"}} {
		var out, stderr strings.Builder
		if code := run(context.Background(), args, &out, &stderr); code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, code, &stderr)
		}
	}
}
