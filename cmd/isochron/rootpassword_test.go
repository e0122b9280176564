package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isochron/server"
	sqlaccount "isochron/sql/account"
)

// TestRootPassword: the owner of a node's files gets root back, whatever was done to it, and the
// node's log reports it. Without nodes the command explains what to do.
func TestRootPassword(t *testing.T) {
	c := lonely(t)
	config := c.about.Nodes[0].Config
	lost := filepath.Join(t.TempDir(), "password")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(lost, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := c.connect(t, 0)
	mustExec(t, db, "CREATE USER other IDENTIFIED BY 'p'")
	mustExec(t, db, "GRANT ALL ON *.* TO other WITH GRANT OPTION")
	mustExec(t, db, "DROP USER root")
	write("short")
	if code, _, errs := try("root-password", "--config", config, "--password-file", lost); code != exitUsage || !strings.Contains(errs, "one line of") {
		t.Errorf("a short password: exit %d, %s", code, errs)
	}
	write("a new password\n")
	if code, out, errs := try("root-password", "--config", config, "--password-file", lost); code != exitOK || !strings.Contains(out, "root has a new password") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	output := func() string { return c.nodes[0].stderr.String() } // it is read from a pipe
	for end := time.Now().Add(startTimeout); !strings.Contains(output(), "set the password of root") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if log := output(); !strings.Contains(log, "set the password of root") || strings.Contains(log, "a new password") {
		t.Errorf("the node's log:\n%s", log)
	}
	if err := c.connect(t, 0).Ping(); err == nil {
		t.Error("the old password still works")
	}
	c.about.RootPassword = lost
	if err := c.connect(t, 0).Ping(); err != nil {
		t.Errorf("the new password: %v", err)
	}
	mustExec(t, c.connect(t, 0), "DROP USER other")
	_ = c.nodes[0].cmd.Process.Kill()
	_ = c.nodes[0].wait()
	began := time.Now()
	code, _, errs := try("root-password", "--config", config, "--password-file", lost, "--timeout", "1s")
	if code != exitFailed || !strings.Contains(errs, "start a majority of the nodes") || time.Since(began) > startTimeout {
		t.Errorf("without nodes: exit %d, %s", code, errs)
	}
}

func TestPrivilegesAndVersion(t *testing.T) {
	if code, out, errs := try("privileges"); code != exitOK || !strings.Contains(out, "SYSTEM_VARIABLES_ADMIN") || !strings.HasPrefix(out, "STATEMENT") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	var rights []sqlaccount.Right
	if _, out, _ := try("privileges", "--json"); json.Unmarshal([]byte(out), &rights) != nil || len(rights) != len(sqlaccount.Rights()) {
		t.Errorf("--json: %s", out)
	}
	if code, out, _ := try("version"); code != exitOK || !strings.HasPrefix(out, "isochron ") || strings.Count(out, "\n") != 1 {
		t.Errorf("version: %q", out)
	}
	var b server.Build
	if _, out, _ := try("version", "--json"); json.Unmarshal([]byte(out), &b) != nil || b.Go == "" {
		t.Errorf("version --json: %s", out)
	}
}
