package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tree is a copy of the repository in which mutations are applied.
type tree struct {
	dir   string        // the copy
	plain string        // the command, built without any mutation
	bound time.Duration // of one check
	clean map[check]error
}

// newTree copies the repository that holds the working directory.
func newTree(ctx context.Context, bound time.Duration) (*tree, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "isochron-mutants-")
	if err != nil {
		return nil, err
	}
	t := &tree{dir: dir, bound: bound, clean: map[check]error{}}
	if err = copyTree(root, dir); err == nil {
		t.plain, err = t.build(ctx, "plain")
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

func (t *tree) remove() error { return os.RemoveAll(t.dir) }

// repository is the directory of go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in the repository: no directory above it has a go.mod", dir)
		}
	}
}

// copyTree copies the files that a build and its tests need.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || rel == "bin"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}

// command returns a command in the tree. Its child processes end with it.
func (t *tree) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = t.dir, append(os.Environ(), "CGO_ENABLED=0"), 5*time.Second
	return c
}

// gotool returns a go command with the flags of this repository. Paths are trimmed, so that
// packages built in one copy need not be built in the next.
func (t *tree) gotool(ctx context.Context, verb string, args ...string) *exec.Cmd {
	return t.command(ctx, "go", append([]string{verb, "-trimpath", "-tags", "gms_pure_go"}, args...)...)
}

// build builds this command, with the core under it.
func (t *tree) build(ctx context.Context, name string) (string, error) {
	path := filepath.Join(t.dir, "bin", name)
	out, err := t.gotool(ctx, "build", "-o", path, "./test/mutants").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("it does not build: %w\n%s", err, out)
	}
	return path, nil
}

// sight is the result of a check.
type sight struct {
	Check   string  `json:"check"`
	Sees    bool    `json:"sees"`
	What    string  `json:"what,omitempty"` // the failure
	Seconds float64 `json:"seconds"`
}

// look runs a check in the mutated tree. The error means that it could not be run.
func (t *tree) look(ctx context.Context, c check, mutated string) (sight, error) {
	began := time.Now()
	bounded, cancel := context.WithTimeout(ctx, t.bound)
	defer cancel()
	var s sight
	var err error
	if c.pkg != "" {
		s, err = t.lookAtTests(bounded, c)
	} else {
		s, err = t.checkFaultRun(bounded, c, mutated)
	}
	if bounded.Err() != nil && ctx.Err() == nil {
		s, err = sight{Sees: true, What: fmt.Sprintf("does not end within %v", t.bound)}, nil
	}
	s.Check, s.Seconds = c.String(), time.Since(began).Seconds()
	return s, err
}

// failed matches the tests that go test reports as failed.
var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

func (t *tree) lookAtTests(ctx context.Context, c check) (sight, error) {
	out, err := t.gotool(ctx, "test", "-count=1", "-run", c.run, "./"+c.pkg).CombinedOutput()
	if err == nil {
		return sight{}, nil
	}
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return sight{}, fmt.Errorf("the tests of %s do not build:\n%s", c.pkg, out)
	}
	s := sight{Sees: true, What: "a panic in the tests of " + c.pkg}
	if names := failed.FindAllSubmatch(out, -1); len(names) > 0 {
		s.What = c.pkg + " " + string(names[0][1])
		if len(names) > 1 {
			s.What += fmt.Sprintf(" and %d more", len(names)-1)
		}
	}
	return s, nil
}

func (t *tree) checkFaultRun(ctx context.Context, c check, binary string) (sight, error) {
	f, err := t.faultRun(ctx, binary, c, 1, c.seeds)
	if err != nil || f.Seed == 0 {
		return sight{}, err
	}
	again, err := t.faultRun(ctx, t.plain, c, f.Seed, 1)
	if err == nil && again.Seed != 0 {
		err = fmt.Errorf("seed %d of %s breaks a promise without the mutation too: %s: %s", f.Seed, c, again.Anomaly, again.Detail)
	}
	return sight{Sees: true, What: fmt.Sprintf("%s after %d seeds: %s", c, f.Runs, f.Anomaly)}, err
}

func (t *tree) faultRun(ctx context.Context, binary string, c check, seed uint64, seeds int) (f found, err error) {
	cmd := t.command(ctx, binary, "faultrun", "-row", c.row, "-seed", strconv.FormatUint(seed, 10), "-seeds", strconv.Itoa(seeds), "-switch", c.among)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		last, _ := io.ReadAll(io.LimitReader(&errs, 2000))
		return found{Seed: seed, Anomaly: "the fault run itself fails", Detail: string(last)}, nil
	}
	return f, json.Unmarshal(out, &f)
}

// holds reports whether a check of tests passes in the tree without a mutation.
func (t *tree) holds(ctx context.Context, c check) error {
	if c.pkg == "" {
		return nil // a fault run repeats its own seed
	}
	if err, known := t.clean[c]; known {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, t.bound)
	defer cancel()
	out, err := t.gotool(bounded, "test", "-run", c.run, "./"+c.pkg).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s fails without a mutation: %w\n%s", c, err, tail(out))
	}
	t.clean[c] = err
	return err
}

// tail returns the end of a command's output.
func tail(out []byte) []byte {
	const most = 2000
	return out[max(0, len(out)-most):]
}
