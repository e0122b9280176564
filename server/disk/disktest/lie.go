package disktest

import (
	"path/filepath"
	"strings"
)

// Lie is a disk that breaks its promises, as if the server on it made a mistake. The zero value is honest.
type Lie struct {
	// Claims describes the mistake.
	Claims string
	// Files are patterns of names (filepath.Match) whose syncs do nothing; a renamed file counts by its last name.
	Files []string
	// Dirs are patterns of directories, relative to the disk's (".": itself), whose syncs do nothing.
	Dirs []string
	// Late are patterns of names whose syncs keep only the data written before the previous sync.
	Late []string
}

func (l Lie) ignores(rel string, dir bool) bool {
	if dir {
		return matches(l.Dirs, rel)
	}
	return matches(l.Files, filepath.Base(rel))
}

func (l Lie) late(rel string) bool { return matches(l.Late, filepath.Base(rel)) }

// matches reports whether the last elements of a path match a pattern.
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
