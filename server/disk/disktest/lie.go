package disktest

import (
	"path/filepath"
	"strings"
)

// Lie is a disk that does not keep its word, as a server would seem to run on that makes
// a mistake. The zero value tells the truth.
type Lie struct {
	// Claims what the mistake is.
	Claims string
	// Files are patterns of names (filepath.Match) whose syncs do nothing; of a file that is
	// renamed the last name counts.
	Files []string
	// Dirs are patterns of directories, from the disk's own on ("." is that), whose syncs
	// do nothing.
	Dirs []string
	// Late are patterns of names whose syncs keep only what was written before the last.
	Late []string
}

func (l Lie) ignores(rel string, dir bool) bool {
	if dir {
		return matches(l.Dirs, rel)
	}
	return matches(l.Files, filepath.Base(rel))
}

func (l Lie) late(rel string) bool { return matches(l.Late, filepath.Base(rel)) }

// matches reports whether a path, from its last elements on, fits a pattern.
func matches(patterns []string, path string) bool {
	for _, p := range patterns {
		if ok, err := filepath.Match(p, path); ok && err == nil {
			return true
		}
		if strings.HasPrefix(p, "*/") && strings.HasSuffix(path, p[1:]) {
			return true
		}
	}
	return false
}
