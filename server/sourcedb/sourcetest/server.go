package sourcetest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"isochron/server/ports"
)

// Each server's ordinary account and its database.
const (
	User     = "agent"
	Password = "s3cret/of the:agent"
	Database = "bank"
)

// startMax bounds the start of a server after its data were created.
const startMax = time.Minute

// Server is a running server.
type Server struct {
	Kind string // postgres, mariadb
	Port int
	// Superuser is the name of the account with all rights, without a password.
	Superuser string

	dir     string
	port    *ports.Claim
	program string
	args    []string
	proc    *process
	// exec runs statements as the superuser; database may be "".
	exec func(s *Server, database, text string) error
}

// MissingError: a program is not on this machine.
type MissingError struct{ Program, Package string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("LEFT OUT: %s is not installed (apt-get install %s)", e.Program, e.Package)
}

// Test is LeaveOut's view of a test: a *testing.T, or similar.
type Test interface {
	Helper()
	Skip(...any)
	Fatal(...any)
}

// LeaveOut ends a test that cannot run because of err: it is skipped if a program is missing, unless the environment has
// ISOCHRON_NEED_SOURCES, and fails otherwise. Nil is no error.
func LeaveOut(t Test, err error) {
	t.Helper()
	var missing *MissingError
	switch {
	case err == nil:
	case errors.As(err, &missing) && os.Getenv("ISOCHRON_NEED_SOURCES") == "":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// Addr returns the server's host and port.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// PID returns the server's process, 0 while it is killed.
func (s *Server) PID() int {
	if s.proc == nil {
		return 0
	}
	return s.proc.cmd.Process.Pid
}

// Exec runs statements in the ordinary account's database, as the superuser.
func (s *Server) Exec(text string) error { return s.exec(s, Database, text) }

// URL returns the server's address for the ordinary account.
func (s *Server) URL() string {
	kind := s.Kind
	if kind == "mariadb" {
		kind = "mysql"
	}
	u := url.URL{Scheme: kind, User: url.UserPassword(User, Password), Host: s.Addr(), Path: "/" + Database}
	return u.String()
}

// SocketURL is URL over the server's own socket.
func (s *Server) SocketURL() string {
	u := url.URL{Scheme: s.Kind, User: url.UserPassword(User, Password), Path: "/" + Database}
	u.RawQuery = url.Values{"host": {s.dir}, "port": {fmt.Sprint(s.Port)}}.Encode()
	if s.Kind == "mariadb" {
		u.Scheme, u.RawQuery = "mysql", url.Values{"socket": {filepath.Join(s.dir, mariadbSocket)}}.Encode()
	}
	return u.String()
}

// Log returns the end of the server's log.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log")) // a missing log is empty
	return string(text[max(0, len(text)-4000):])
}

// Kill ends the server like kill -9, with all its processes.
func (s *Server) Kill() {
	s.proc.kill()
	s.proc = nil
}

// Stop stops all processes of the server until Wake: it keeps its connections, accepts new ones as far as the kernel does, and
// answers none.
func (s *Server) Stop() error { return s.proc.stop() }

// Wake continues a stopped server.
func (s *Server) Wake() error { return s.proc.wake() }

// Start starts a killed server again on its data and port, with further arguments, which stay for later starts.
func (s *Server) Start(more ...string) error {
	s.args = append(s.args, more...)
	deadline := time.Now().Add(startMax)
	var err error
	for time.Now().Before(deadline) {
		// Remaining processes may still hold the data: try again.
		if s.proc, err = start(s.dir, s.program, s.args); err != nil {
			return err
		}
		for !s.proc.ended() && time.Now().Before(deadline) {
			if err = s.exec(s, "", "SELECT 1"); err == nil {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.proc.kill()
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s did not start: %v; its log:\n%s", s.Kind, err, s.Log())
}

// Close ends the server and removes its data.
func (s *Server) Close() {
	if s.proc != nil {
		s.Kill()
	}
	s.port.Release()
	_ = os.RemoveAll(s.dir) // the rest is in the directory for temporary files
}

// find searches for a program on the path and in Debian's directories.
func find(name, pkg string, besides ...string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, pattern := range append(besides, "/usr/sbin/"+name) {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[len(found)-1], nil // the newest version
		}
	}
	return "", &MissingError{name, pkg}
}

// directory creates a directory that the servers' user may use.
func directory(kind string) (string, error) {
	dir, err := os.MkdirTemp("", "isochron-"+kind)
	if err != nil {
		return "", err
	}
	return dir, give(dir)
}

// run runs a program to its end.
func run(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if err := asUser(cmd); err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}
