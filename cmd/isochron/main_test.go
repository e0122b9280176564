package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/console"
)

// asCommand makes the test binary be the command: the tested program runs, race detector included.
const asCommand = "ISOCHRON_TEST_AS_COMMAND"

var kills = flag.Int("kills", 2, "how often TestKill9 kills the demo")

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	flag.Parse()
	os.Exit(m.Run())
}

// process is a command under test.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	ports  []int       // of the regions, in order, when the welcome has been printed
	stdout *safeBuffer // of a demo
	stderr *safeBuffer
	ended  chan error
}

// safeBuffer collects output while others read it.
type safeBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// startTimeout bounds the start of a demo, on a busy machine under the race detector.
const startTimeout = 3 * time.Minute

// startProcess starts a command, and gives it and its standard output.
func startProcess(t *testing.T, cmd *exec.Cmd) (*process, io.Reader) {
	t.Helper()
	p := &process{t: t, cmd: cmd, stdout: new(safeBuffer), stderr: new(safeBuffer), ended: make(chan error, 1)}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // if the test ended early
	return p, out
}

// startDemo starts a demo and waits until it prints how to connect.
func startDemo(t *testing.T, regions int, args ...string) *process {
	t.Helper()
	p, out := startProcess(t, command(append([]string{"demo"}, args...)...))
	ports := make(chan int)
	go p.read(out, ports)
	deadline := time.After(startTimeout)
	for len(p.ports) < regions {
		select {
		case port := <-ports:
			p.ports = append(p.ports, port)
		case err := <-p.ended:
			t.Fatalf("the demo ended before it was up: %v\n%s", err, p.stderr)
		case <-deadline:
			t.Fatalf("the demo did not come up in %v\n%s", startTimeout, p.stderr)
		}
	}
	return p
}

var pasteLine = regexp.MustCompile(`mariadb -h 127\.0\.0\.1 -P (\d+) -u root shop`)

// read takes the ports from the welcome and the rest of the output.
func (p *process) read(out io.Reader, ports chan<- int) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(p.stdout, lines.Text())
		if m := pasteLine.FindStringSubmatch(lines.Text()); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				panic(err) // the expression matches digits only
			}
			ports <- n
		}
	}
	p.ended <- p.cmd.Wait()
}

// wait waits for the end.
func (p *process) wait() error {
	select {
	case err := <-p.ended:
		return err
	case <-time.After(startTimeout):
		p.t.Fatalf("the demo did not end\n%s", p.stderr)
		return nil
	}
}

func TestBadUsageIsExit2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, message string }{
		{"dmeo", `"dmeo" is not known to isochron; did you mean "demo"?`},
		{"set-protcol txsql", `did you mean "set-protocol"?`},
		{"xyzzy", `"xyzzy" is not known to isochron (see`},
		{"help dmeo", `"dmeo" is not known to isochron; did you mean "demo"? (see isochron --help)`},
		{"help lab rum", `"rum" is not known to isochron lab; did you mean "run"?`},
		{"help demo twice", `"twice" is not known to isochron demo (see`},
		{"completion bahs", `"bahs" is not known to isochron completion; did you mean "bash"?`},
		{"completion bash now", `"now" is not known to isochron completion bash`},
		{"demo --prot 3", `unknown flag --prot; did you mean "port"?`},
		{"demo --clients many", `--clients "many": invalid argument; give a whole number, such as 3`},
		{"demo --clients 99999999999999999999", "give a whole number"},
		{"demo --wan-scale wide", "give a number, such as 0.5"},
		{"demo --for soon", "give a time with its unit, such as 30s"},
		{"root-password", "--config is missing"},
		{"privileges all", "is not known"},
		{"demo now", `"now" is not known`},
		{"demo --nonsense", "unknown flag"},
		{"demo --for soon", "invalid argument"},
		{"demo --for -3s", "--for"},
		{"demo --wan atlantis", "unknown WAN"},
		{"demo --wan-scale -1", "--wan-scale"},
		{"demo --protocol carrier-pigeon", "--protocol"},
		{"demo --load heavy", "--load"},
		{"demo --clients 0", "--clients"},
		{"demo --port 65533", "--port"},
		{"demo --data " + file, "not a directory"},
		{"workload", "a name and a step"},
		{"workload tombola run", "there is no workload"},
		{"workload bank dance", "not a step"},
		{"workload bank run --dsn nowhere", "is not an address"},
		{"workload bank run --db a.b", "not a plain name"},
		{"workload bank run --clients 0", "--clients"},
		{"workload bank run --history h", "--history"},
		{"workload bank prepare --placement everywhere", "--placement"},
		{"workload tpcc prepare --scale 0", "--scale"},
		{"workload ycsb run --mix z", "--mix"},
		{"check", "one file"},
		{"check " + file, "not a recorded history"},
		{"check " + file + ".gone", "no such file"},
		{"init", "--dir is missing"},
		{"init --dir " + file + "x", "--regions is missing"},
		{"init --dir " + file + "x --wan atlantis", "unknown WAN"},
		{"init --dir " + file + "x --regions va,va", "listed twice"},
		{"init --dir " + file + "x --regions va --base-port 70000", "ports"},
		{"start", "--config is missing"},
		{"start --config " + file + "x", "cannot be read"},
		{"start --config " + file, "the file is empty"},
		{"status", "--config is missing"},
		{"status --config x --timeout -1s", "--timeout"},
	} {
		var out, err strings.Builder
		code := run(context.Background(), strings.Fields(c.args), &out, &err)
		if code != exitUsage || !strings.Contains(err.String(), c.message) || strings.Count(err.String(), "\n") != 1 || out.Len() != 0 {
			t.Errorf("isochron %s: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", c.args, code, &out, &err, c.message)
		}
	}
}

// help COMMAND prints what COMMAND --help does, of commands within commands too; the help of isochron
// lists completion.
func TestHelpOfACommand(t *testing.T) {
	output := func(args ...string) string {
		var out, err strings.Builder
		if code := run(context.Background(), args, &out, &err); code != exitOK || out.Len() == 0 || err.Len() > 0 {
			t.Errorf("%v: exit %d, %q, %q", args, code, &out, &err)
		}
		return out.String()
	}
	for _, of := range [][]string{{}, {"demo"}, {"lab", "run"}, {"completion", "bash"}} {
		if a, b := output(append([]string{"help"}, of...)...), output(append(of, "--help")...); a != b {
			t.Errorf("help of %v:\n%s\n--help:\n%s", of, a, b)
		}
	}
	if help := output("--help"); !strings.Contains(help, "  completion ") || !strings.Contains(help, "source <(isochron completion bash)") {
		t.Errorf("no completion in\n%s", help)
	}
	if a, b := output("--version"), output("version"); a != b {
		t.Errorf("--version prints %q, version %q", a, b)
	}
}

// A short demo ends by itself with one object on its standard output.
func TestDemoJSON(t *testing.T) {
	cmd := command("demo", "--for", "4s", "--wan-scale", "0.05", "--json", "--port", "0", "--clients", "2")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var got console.Report
	dec := json.NewDecoder(strings.NewReader(string(out)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if dec.More() {
		t.Errorf("more than one object: %s", out)
	}
	if len(got.Regions) != 5 || got.BooksBalance == nil || !*got.BooksBalance {
		t.Fatalf("got %s", out)
	}
	for name, r := range got.Regions {
		if r.Commits == 0 || r.LatencyMS.P50 <= 0 || r.BoundMS <= 0 || r.LatencyMS.P50 < r.BoundMS || r.ContentionSpanMS <= 0 {
			t.Errorf("region %s: %+v", name, r)
		}
	}
}

// An interrupted demo ends well and leaves no temporary directory.
func TestDemoInterrupted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	p := startDemo(t, 3, "--wan", "uniform:5ms:3", "--port", "0", "--clients", "1")
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, p.stderr)
	}
	left, err := filepath.Glob(filepath.Join(temp, "isochron-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Money made of nothing is noticed at the end, and the demo has failed.
func TestDemoNoticesForgery(t *testing.T) {
	p := startDemo(t, 3, "--wan", "uniform:2ms:3", "--port", "0", "--clients", "1")
	forger := &bank{}
	forger.connect(t, p)
	forger.exec(t, "UPDATE customers SET balance_cents = balance_cents + 1 WHERE region = 'r1' AND id = 7")
	forger.disconnect()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err == nil || p.cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(p.stderr.String(), "money does not add up") {
		t.Errorf("it ended with %v and said\n%s", err, p.stderr)
	}
}
