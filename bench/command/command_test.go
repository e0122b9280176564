package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

// A program ends with the exit code of its result, and reports an error once.
func TestExitCodes(t *testing.T) {
	program := func(_ context.Context, args []string, out, _ io.Writer) error {
		f := NewFlags("thing", "A thing.\n\n  thing --broken\n")
		broken := f.Bool("broken", false, "whether it fails")
		if err := f.Parse(args, out); err != nil {
			return err
		}
		if *broken {
			return errors.New("it is broken")
		}
		return nil
	}
	for args, want := range map[string]struct {
		code       int
		out, words string
	}{
		"":          {exitOK, "", ""},
		"--broken":  {exitFailed, "", "thing: it is broken\n"},
		"--nothing": {exitUsage, "", "thing: flag provided but not defined: -nothing; see --help\n"},
		"word":      {exitUsage, "", "thing: \"word\" is no flag; see --help\n"},
		"--help":    {exitOK, "A thing.\n\n  thing --broken\n\n  -broken\n    \twhether it fails\n", ""},
	} {
		var out, words bytes.Buffer
		if code := exit(context.Background(), "thing", program, strings.Fields(args), &out, &words); code != want.code || out.String() != want.out || words.String() != want.words {
			t.Errorf("%q: exit %d, out %q, words %q; want %v", args, code, &out, &words, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, text := range []string{"x", "0", "4", "1,,9"} {
		if n, err := Numbers("n", text, 1, 3); err == nil {
			t.Errorf("%q is %v", text, n)
		}
	}
	if n, err := Numbers("n", "1, 3", 1, 3); err != nil || len(n) != 2 {
		t.Errorf("%v, %v", n, err)
	}
}

func TestMap(t *testing.T) {
	for name, m := range map[string]Map{"no map": {Name: "nowhere"}, "no scale": {Name: "azure5", Scale: 11}} {
		var usage usageError
		if _, err := m.WAN(); !errors.As(err, &usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if wan, err := (Map{Name: "uniform:30ms:3", Scale: 0.5}).WAN(); err != nil || wan.RTT(wan.Regions[0], wan.Regions[1]).Milliseconds() != 15 {
		t.Errorf("%v, %v", wan, err)
	}
}

// The directory of a failed run is kept and named; a successful or interrupted run leaves none,
// unless it is to be kept.
func TestScratch(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	failed := errors.New("it failed")
	for name, c := range map[string]struct {
		ctx        context.Context
		err        error
		keep, kept bool
	}{
		"went well":                  {context.Background(), nil, false, false},
		"failed":                     {context.Background(), failed, false, true},
		"interrupted":                {stopped, failed, false, false},
		"interrupted, with findings": {stopped, failed, true, true},
		"went well, with keep":       {stopped, nil, true, false},
	} {
		s, err := NewScratch("test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(s.Dir) })
		if c.keep {
			s.Keep()
		}
		err = s.Leave(c.ctx, c.err)
		_, closed := os.Stat(s.Dir)
		if kept := closed == nil; kept != c.kept || !errors.Is(err, c.err) || kept && !strings.Contains(err.Error(), s.Dir) {
			t.Errorf("%s: kept %v, reported %v", name, kept, err)
		}
	}
}

func TestHelpIsPrinted(t *testing.T) {
	f := NewFlags("thing", "usage")
	if err := f.ParseSome([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}
