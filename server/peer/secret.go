package peer

import (
	"fmt"
	"os"
)

// CheckSecret refuses a secret's file that others than its owner may read. Files that are not regular, such as
// pipes, are not checked.
func CheckSecret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if m := info.Mode(); m.IsRegular() && m.Perm()&0o044 != 0 {
		return fmt.Errorf("%s is a secret, and others may read it (mode %04o): chmod 600 %s, and use a new secret if it may have been read", path, m.Perm(), path)
	}
	return nil
}

// ReadSecret reads such a file. Its errors never quote the content.
func ReadSecret(path string) ([]byte, error) {
	if err := CheckSecret(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
