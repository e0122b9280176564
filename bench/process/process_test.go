package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A wait for a process that has ended returns its last output.
func TestEndedWhileStarting(t *testing.T) {
	p, err := Spawn(filepath.Join(t.TempDir(), "log"), "", "sh", "-c", "echo the port is taken; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	err = p.Await(context.Background(), "the server", func(context.Context) error { return errors.New("not yet") })
	if err == nil || !strings.Contains(err.Error(), "the server ended while it was starting; its last words: the port is taken") {
		t.Errorf("got %v", err)
	}
}

// End ends a process, and one that has ended already.
func TestEnd(t *testing.T) {
	p, err := Spawn(filepath.Join(t.TempDir(), "log"), "/", "sleep", "1000")
	if err != nil {
		t.Fatal(err)
	}
	p.End(syscall.SIGTERM)
	if err := syscall.Kill(p.Pid(), 0); err == nil {
		t.Error("it is still there")
	}
	p.End(syscall.SIGTERM)
}

// Door reads what "isochron init" writes.
func TestPortWithoutANode(t *testing.T) {
	if _, _, err := Door(t.TempDir(), filepath.Join(t.TempDir(), "node1.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
