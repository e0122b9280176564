package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"isochron/geo"
	"isochron/server/ports"
)

// Command makes a call of the isochron command.
type Command func(args ...string) *exec.Cmd

// readyWait bounds the start of a node, on a busy machine under the race detector.
const readyWait = 3 * time.Minute

// Cluster is a cluster of processes on this machine.
type Cluster struct {
	Nodes        []*Node
	Password     string // of root
	PasswordFile string
	command      Command
}

// Node is one of its nodes.
type Node struct {
	ID      int
	Region  string `json:"region"`
	Config  string `json:"config"`
	SQL     string `json:"sql_listen"`
	HTTP    string `json:"http_listen"`
	DataDir string

	command Command
	log     string
	ports   *ports.Claim // of a copy
	mu      sync.Mutex
	run     *nodeRun // the latest; nil: never started
}

// nodeRun is one process.
type nodeRun struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when SQL clients may come
	ended chan struct{} // closed when the process is gone
	err   error         // of Wait, when ended is closed
	meant bool          // its end is intended
	last  string        // line of its standard error
}

// FreePorts is a base port above which init's ports for n nodes are free. They are this process'
// until it ends.
func FreePorts(n int) (int, error) {
	c, err := ports.Take(n, 100, 200)
	if err != nil {
		return 0, err
	}
	return c.Base, nil
}

// NewCluster makes the files of a cluster in dir/c: one node in each region of
// the map, whose delays are emulated.
func NewCluster(dir string, command Command, wan geo.WAN, protocol string) (*Cluster, error) {
	plan := filepath.Join(dir, "map.yaml")
	if err := os.WriteFile(plan, wan.File(), 0o600); err != nil {
		return nil, err
	}
	args := []string{"--wan", plan}
	if protocol != "" {
		args = append(args, "--protocol", protocol)
	}
	return InitCluster(dir, command, len(wan.Regions), args...)
}

// InitCluster makes the files of a cluster of n nodes in dir/c; args are further arguments of
// "isochron init".
func InitCluster(dir string, command Command, n int, args ...string) (*Cluster, error) {
	base, err := FreePorts(n)
	if err != nil {
		return nil, err
	}
	files := filepath.Join(dir, "c")
	var stderr strings.Builder
	cmd := command(append([]string{"init", "--dir", files, "--base-port", fmt.Sprint(base), "--json"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("isochron init: %w: %s", err, &stderr)
	}
	c := &Cluster{command: command}
	var about struct {
		Nodes        []*Node
		RootPassword string `json:"root_password_file"`
	}
	if err := json.Unmarshal(out, &about); err != nil {
		return nil, fmt.Errorf("isochron init --json: %w", err)
	}
	password, err := os.ReadFile(about.RootPassword)
	if err != nil {
		return nil, fmt.Errorf("root's password: %w", err)
	}
	c.PasswordFile, c.Password = about.RootPassword, strings.TrimSpace(string(password))
	for i, n := range about.Nodes {
		n.ID, n.command = i+1, command
		n.DataDir = filepath.Join(files, fmt.Sprintf("node%d", n.ID))
		n.log = filepath.Join(dir, fmt.Sprintf("node%d.log", n.ID))
	}
	c.Nodes = about.Nodes
	return c, nil
}

// Start starts the node; Await waits for it.
func (n *Node) Start() error {
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	r := &nodeRun{cmd: n.command("start", "--config", n.Config), ready: make(chan struct{}), ended: make(chan struct{})}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		return errors.Join(err, log.Close())
	}
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		return errors.Join(err, log.Close())
	}
	if err := r.cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	n.mu.Lock()
	n.run = r
	n.mu.Unlock()
	var reading sync.WaitGroup
	reading.Go(func() { n.readStdout(r, stdout) })
	reading.Go(func() { n.readStderr(r, stderr, log) })
	go func() {
		reading.Wait()
		r.err = r.cmd.Wait()
		_ = log.Close() // of lines that were written one by one
		close(r.ended)
	}()
	return nil
}

func (n *Node) readStdout(r *nodeRun, from io.Reader) {
	text := false
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if !text && strings.Contains(lines.Text(), " is ready: ") { // MySQL at, or agent of
			text = true
			close(r.ready)
		}
	}
}

func (n *Node) readStderr(r *nodeRun, from io.Reader, log io.Writer) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, _ = fmt.Fprintln(log, lines.Text()) // a log that cannot be written must not stop the node
		n.mu.Lock()
		r.last = lines.Text()
		n.mu.Unlock()
	}
}

// current is the latest process.
func (n *Node) current() *nodeRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run
}

// Await waits until the node accepts SQL clients.
func (n *Node) Await(ctx context.Context) error {
	r := n.current()
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	select {
	case <-r.ready:
		return nil
	case <-r.ended:
		return fmt.Errorf("node %d ended before it was ready: %w: %s", n.ID, r.err, n.lastLine())
	case <-ctx.Done():
		return fmt.Errorf("node %d is not ready: %w; see %s", n.ID, ctx.Err(), n.log)
	}
}

func (n *Node) lastLine() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run.last
}

// PID is the number of the latest process.
func (n *Node) PID() int { return n.current().cmd.Process.Pid }

// Signal sends a signal; meant: it may end the process.
func (n *Node) Signal(s syscall.Signal, meant bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.run.meant = n.run.meant || meant
	return n.run.cmd.Process.Signal(s)
}

// Kill ends the node immediately, and waits until it is gone.
func (n *Node) Kill() error {
	if err := n.Signal(syscall.SIGKILL, true); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-n.current().ended
	return nil
}

// Strayed returns an error if the node has ended unintentionally.
func (n *Node) Strayed() error {
	r := n.current()
	if r == nil {
		return nil
	}
	select {
	case <-r.ended:
	default:
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.meant {
		return nil
	}
	return fmt.Errorf("node %d ended by itself (%v): %s", n.ID, r.err, r.last)
}

// Terminate has the node end gracefully, and waits until it is gone.
func (n *Node) Terminate() error {
	if err := n.Signal(syscall.SIGTERM, true); err != nil {
		return err
	}
	select {
	case <-n.current().ended:
		return nil
	case <-time.After(gracefulWait):
		return errors.Join(fmt.Errorf("node %d did not end in %v when asked to", n.ID, gracefulWait), n.Kill())
	}
}

// mayEnd is the latest process, whose end is no surprise from now on.
func (n *Node) mayEnd() *nodeRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.run.meant = true
	return n.run
}

// Links runs "isochron links" on the node.
func (n *Node) Links(args ...string) error {
	out, err := n.command(append([]string{"links", "--config", n.Config}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("isochron links %v at node %d: %w: %s", args, n.ID, err, out)
	}
	return nil
}

// strayed returns an error for the nodes that have ended unintentionally.
func (c *Cluster) strayed() error {
	var errs []error
	for _, n := range c.Nodes {
		errs = append(errs, n.Strayed())
	}
	return errors.Join(errs...)
}

// diskNode is the node on the small disk, counted from 0.
func (c *Cluster) diskNode() int { return len(c.Nodes) - 1 }

// StartAll starts all nodes and waits for them.
func (c *Cluster) StartAll(ctx context.Context) error {
	for _, n := range c.Nodes {
		if err := n.Start(); err != nil {
			return err
		}
	}
	for _, n := range c.Nodes {
		if err := n.Await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// gracefulWait bounds the graceful end of a node.
const gracefulWait = 30 * time.Second

// Close ends all nodes, gracefully if they will.
func (c *Cluster) Close() error {
	var errs []error
	for _, n := range c.Nodes {
		if n.current() != nil {
			_ = n.Signal(syscall.SIGCONT, true) // it may be paused, or gone
			_ = n.Signal(syscall.SIGTERM, true)
		}
	}
	for _, n := range c.Nodes {
		r := n.current()
		if r == nil {
			continue
		}
		select {
		case <-r.ended:
		case <-time.After(gracefulWait):
			errs = append(errs, fmt.Errorf("node %d did not end in %v when asked to", n.ID, gracefulWait), n.Kill())
		}
	}
	return errors.Join(errs...)
}
