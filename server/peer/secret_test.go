package peer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A secret that others may read is refused with a remedy; the error does not contain it.
func TestReadableSecretsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root.password")
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o604: false, 0o644: false, 0o444: false} { // order: each by itself
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte("verysecret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		b, err := ReadSecret(path)
		switch {
		case good && (err != nil || string(b) != "verysecret"):
			t.Errorf("%o: %v", mode, err)
		case !good && (err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) || strings.Contains(err.Error(), "verysecret")):
			t.Errorf("%o: %v", mode, err)
		}
	}
}
