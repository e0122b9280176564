package sourcetest

import (
	"io"
	"os"
	"path/filepath"
)

// LogFrom returns the server's log from an offset on, and its end.
func (s *Server) LogFrom(at int64) (text string, end int64, err error) {
	f, err := os.Open(filepath.Join(s.dir, "log"))
	if err != nil {
		return "", at, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, at, 1<<40))
	return string(b), at + int64(len(b)), err
}
