package memory

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultPercent of the machine's memory is the default setting.
const DefaultPercent = 50

// percentMost leaves some memory to the machine.
const percentMost = 90

// Setting is a requested limit: bytes, or a percentage of the machine's memory. The zero value requests nothing.
type Setting struct {
	bytes   int64
	percent int64
}

// units of a setting, the longest names first. The decimal ones count in thousands, as machines are sold.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", kib}, {"MiB", mib}, {"GiB", gib}, {"TiB", gib << 10},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"%", 0}, {"B", 1},
}

// Parse parses a setting such as 2GB, 1536MiB or 25%; "" requests nothing. The error is one line.
func Parse(text string) (Setting, error) {
	if text == "" {
		return Setting{}, nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.TrimSpace(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch {
		case err != nil || !(n > 0) || n*float64(max(u.bytes, 1)) >= 1<<60:
			return Setting{}, malformed(text)
		case u.name == "%" && (n > percentMost || n != float64(int64(n))):
			return Setting{}, fmt.Errorf("%.40q: a part of the machine's memory is a whole number from 1%% to %d%%", text, percentMost)
		case u.name == "%":
			return Setting{percent: int64(n)}, nil
		}
		return Setting{bytes: int64(n * float64(u.bytes))}, nil
	}
	return Setting{}, malformed(text)
}

func malformed(text string) error {
	return fmt.Errorf("%.40q is no size of a memory: write for example 2GB, 1536MiB, or 25%% of the machine's", text)
}

// Given reports whether a limit was requested.
func (s Setting) Given() bool { return s != Setting{} }

// Resolve returns the setting in bytes on a machine with so much memory; 0: unknown. An impossible request is an error;
// without a request a small machine gets Least.
func (s Setting) Resolve(machine int64) (int64, error) {
	switch {
	case !s.Given() && machine <= 0:
		return 2 * gib, nil
	case !s.Given():
		return max(Least, machine/100*DefaultPercent), nil
	case s.percent > 0 && machine <= 0:
		return 0, fmt.Errorf("%d%%: how much memory this machine has is not known; give a size, such as 2GB", s.percent)
	}
	n := s.bytes
	if s.percent > 0 {
		n = machine / 100 * s.percent
	}
	if machine > 0 && n > machine {
		return 0, fmt.Errorf("%s are more than the %s that this machine, or the node's group of processes, has", Bytes(n), Bytes(machine))
	}
	_, err := Divide(n)
	return n, err
}
