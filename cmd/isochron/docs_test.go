package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The pages whose console blocks are run. In such a block
//
//   - "$ command" is run by one sh for all of the page, in an empty directory; "> " continues it;
//   - "MySQL [db]> statement" is run by the client that the command before has started, which is in
//     the same session for all of the block; "    -> " continues it;
//   - other lines are the output, after varying has replaced the parts that differ between runs;
//     "..." is any number of lines.
//
// "make demo" is the demo of this build, until the page ends; other make commands are not run. Ports
// are replaced by free ones.
var commandPages = []string{"README.md", "docs/start.md"}

// varying replaces what two runs print differently: times, rates, ports, ids, counts of a load.
var varying = []struct {
	this *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`/\S*isochron-demo-\d+`), "DIR"},
	{regexp.MustCompile(`-P \d+`), "-P PORT"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "ID"},
	{regexp.MustCompile(`^(\d +\S+ +up +ADDRESS) .*`), "$1 #"}, // transactions and version of a node in status
	{regexp.MustCompile(`\d+\.\d+`), "#"},
	{regexp.MustCompile(`^In \d+s: \d+ commits, \d+ aborts \(retried\), \d+ with`), "In #: # commits, # aborts (retried), # with"},
	{regexp.MustCompile(`\d+ orders and \d+ products`), "# orders and # products"},
	{regexp.MustCompile(`^((?:va|wa|pr|nsw|sg) +)\d+ \|`), "${1}PORT |"},
	{regexp.MustCompile(` - `), " # "}, // nothing measured
	{regexp.MustCompile(`^all +\d+ +\d+`), "all # #"},
	{regexp.MustCompile(`^\d+ tries checked`), "# tries checked"},
	{regexp.MustCompile(` +`), " "},
}

func masked(line string) string {
	for _, v := range varying {
		line = v.this.ReplaceAllString(line, v.by)
	}
	return strings.TrimSpace(line)
}

// step is a command of a page, or a statement, and its output according to the page.
type step struct {
	line    int // of the page
	command string
	sql     bool
	want    []string
}

var statementPrompt = regexp.MustCompile(`^MySQL \[\S+\]> (.*)`)

// blocks returns the steps of each console block of a page.
func blocks(page string) (all [][]step) {
	var block []step
	in := false
	for i, line := range strings.Split(page, "\n") {
		m := statementPrompt.FindStringSubmatch(line)
		switch last := len(block) - 1; {
		case line == "```console":
			in, block = true, nil
		case !in:
		case line == "```":
			in, all = false, append(all, block)
		case strings.HasPrefix(line, "$ "):
			block = append(block, step{line: i + 1, command: line[2:]})
		case m != nil:
			block = append(block, step{line: i + 1, command: m[1], sql: true})
		case last < 0:
			panic(fmt.Sprintf("line %d: a console block begins with a command", i+1))
		case len(block[last].want) == 0 && strings.HasPrefix(line, "> ") && !block[last].sql:
			block[last].command += "\n" + line[2:]
		case len(block[last].want) == 0 && strings.HasPrefix(line, "    -> ") && block[last].sql:
			block[last].command += "\n" + line[7:]
		default:
			block[last].want = append(block[last].want, line)
		}
	}
	return all
}

// same reports whether output equals a page's lines; both are masked.
func same(got, want []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		return same(got, want[1:]) || len(got) > 0 && same(got[1:], want)
	}
	return len(got) > 0 && got[0] == want[0] && same(got[1:], want[1:])
}

// lines are masked lines, without empty ones.
func maskedLines(lines []string) (out []string) {
	for _, l := range lines {
		if l = masked(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

func (s step) compare(t *testing.T, page, got string) {
	t.Helper()
	if !same(maskedLines(strings.Split(got, "\n")), maskedLines(s.want)) {
		t.Errorf("%s:%d: %s\nprinted\n%s\nand the page has\n%s", page, s.line, s.command, got, strings.Join(s.want, "\n"))
	}
}

// The commands of the pages for newcomers are real: each prints what the page shows.
func TestPagesShowTheOutputOfCommands(t *testing.T) {
	if _, err := exec.LookPath("mariadb"); err != nil {
		t.Skip("LEFT OUT: the mariadb client is not installed")
	}
	for _, page := range commandPages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile("../../" + page)
			if err != nil {
				t.Fatal(err)
			}
			newPageRun(t, page).run(blocks(string(text)))
		})
	}
}

// pageRun runs the commands of one page.
type pageRun struct {
	t        *testing.T
	page     string
	sh       *exec.Cmd
	in       io.Writer
	out      *bufio.Reader
	commands int
	base     int // port of node 1 of a cluster of processes
	demo     *process
	demoStep step
}

// newPageRun starts a shell in which isochron is this build.
func newPageRun(t *testing.T, page string) *pageRun {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	shim := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asCommand, os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "isochron"), []byte(shim), 0o755); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &pageRun{t: t, page: page, sh: exec.Command("sh"), out: bufio.NewReader(r), base: freePorts(t, 3)}
	p.sh.Dir, p.sh.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	p.sh.Stdout, p.sh.Stderr = w, w
	p.sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.in, err = p.sh.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.sh.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // the shell has its own
	group := -p.sh.Process.Pid
	stuck := time.AfterFunc(startTimeout, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	t.Cleanup(func() {
		stuck.Stop()
		_ = syscall.Kill(group, syscall.SIGKILL)
		_ = p.sh.Wait()
	})
	return p
}

func (p *pageRun) run(all [][]step) {
	for _, block := range all {
		for i := 0; i < len(block); i++ {
			s := block[i]
			end := i + 1
			for end < len(block) && block[end].sql {
				end++
			}
			switch {
			case end > i+1:
				p.session(s, block[i+1:end])
				i = end - 1
			case s.command == "make demo":
				p.startDemo(s)
			case strings.HasPrefix(s.command, "make "):
			default:
				got, code := p.shell(s.command)
				if code != 0 {
					p.t.Fatalf("%s:%d: %s: exit %d\n%s", p.page, s.line, s.command, code, got)
				}
				s.compare(p.t, p.page, got)
			}
		}
	}
	p.endDemo()
}

var (
	demoPort    = regexp.MustCompile(`\b440([1-5])\b`)
	clusterPort = regexp.MustCompile(`\b460([0-2])\b`)
)

// shell runs a command with free ports, and gives its output and exit code.
func (p *pageRun) shell(command string) (string, int) {
	p.t.Helper()
	command = demoPort.ReplaceAllStringFunc(command, func(port string) string {
		if p.demo == nil {
			p.t.Fatalf("%s: no demo runs for %s", p.page, command)
		}
		return strconv.Itoa(p.demo.ports[port[3]-'1'])
	})
	command = clusterPort.ReplaceAllStringFunc(command, func(port string) string { return strconv.Itoa(p.base + 100 + int(port[3]-'0')) })
	command = strings.Replace(command, "isochron init ", fmt.Sprintf("isochron init --base-port %d ", p.base), 1)
	p.commands++
	mark := fmt.Sprintf("<<%d>>", p.commands)
	fmt.Fprintf(p.in, "{ %s\n} </dev/null\nexited=$?; echo; echo '%s' $exited\n", command, mark)
	var got strings.Builder
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s: the shell ended in %s: %v\n%s", p.page, command, err, &got)
		}
		if code, found := strings.CutPrefix(line, mark+" "); found {
			n, err := strconv.Atoi(strings.TrimSpace(code))
			if err != nil {
				p.t.Fatal(err)
			}
			return got.String(), n
		}
		got.WriteString(line)
	}
}

// session runs the statements of a client in one session, and compares the result of each. With -t
// -vvv the client prints as it does on a terminal, after an echo of each statement between dashes.
func (p *pageRun) session(client step, statements []step) {
	p.t.Helper()
	var all []string
	for _, s := range statements {
		all = append(all, s.command)
	}
	file := filepath.Join(p.sh.Dir, "statements")
	if err := os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
		p.t.Fatal(err)
	}
	got, code := p.shell(client.command + " -t -vvv <" + file)
	const dashes = "--------------\n"
	parts := strings.Split(strings.TrimSuffix(strings.TrimSpace(got), "Bye"), dashes)
	if code != 0 || len(parts) != 2*len(statements)+1 {
		p.t.Fatalf("%s:%d: %s: exit %d\n%s", p.page, client.line, client.command, code, got)
	}
	for i, s := range statements {
		s.compare(p.t, p.page, parts[2*i+2])
	}
}

// startDemo starts what make demo starts, on free ports.
func (p *pageRun) startDemo(s step) {
	p.t.Helper()
	p.demo, p.demoStep = startDemo(p.t, 5, "--port", "0"), s
}

// endDemo is Ctrl-C; the page has what make prints before the demo, and what that prints.
func (p *pageRun) endDemo() {
	p.t.Helper()
	if p.demo == nil {
		return
	}
	if err := p.demo.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	if err := p.demo.wait(); err != nil {
		p.t.Errorf("make demo: %v\n%s", err, p.demo.stderr)
	}
	p.demoStep.compare(p.t, p.page, makeSays(p.t, "demo")+p.demo.stdout.String())
}

// makeSays returns the output of a Makefile target before its first command runs.
func makeSays(t *testing.T, target string) string {
	t.Helper()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(text), "\n"+target+":\n")
	rules, _, _ = strings.Cut(rules, "\n\n")
	var output []string
	for _, m := range regexp.MustCompile(`(?m)^\t@echo "(.*)"$`).FindAllStringSubmatch(rules, -1) {
		output = append(output, m[1])
	}
	return strings.Join(output, "\n") + "\n"
}

// privateWords are words that the pages for newcomers and the demo do not use: the field has others.
var privateWords = regexp.MustCompile(`(?i)\b(told|tells|hears|heard|whoever|nobody|somebody|anew|at once|goes on|go on|gives way|makes way|in vain|stands|for ever)\b`)

// The pages for newcomers fit a screen and use the field's words.
func TestPagesForNewcomersArePlain(t *testing.T) {
	var help strings.Builder
	if code := run(t.Context(), []string{"demo", "--help"}, &help, io.Discard); code != exitOK {
		t.Fatal(code)
	}
	texts := map[string]string{"isochron demo --help": help.String()}
	for _, page := range slices.Concat(commandPages, []string{"docs/use/README.md", "CHANGELOG.md", "CONTRIBUTING.md"}) {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
		for i, line := range strings.Split(string(text), "\n") {
			if len([]rune(line)) > 100 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has more than 100 columns", page, i+1)
			}
		}
	}
	for name, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			if word := privateWords.FindString(line); word != "" {
				t.Errorf("%s:%d: %q in %q", name, i+1, word, line)
			}
		}
	}
	if n := strings.Count(texts["README.md"], "\n"); n > 150 {
		t.Errorf("README.md has %d lines, and 150 at most", n)
	}
}
