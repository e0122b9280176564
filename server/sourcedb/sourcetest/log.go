package sourcetest

import (
	"io"
	"os"
	"path/filepath"
)

// LogFrom is what the server has written from a byte on, and where that ends.
func (s *Server) LogFrom(at int64) (text string, end int64, err error) {
	f, err := os.Open(filepath.Join(s.dir, "log"))
	if err != nil {
		return "", at, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, at, 1<<40))
	return string(b), at + int64(len(b)), err
}
