package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"isochron/server/deploy"
)

// Door returns the address for clients of a node that "isochron init" has prepared in a directory,
// and root's password.
func Door(files, config string) (address, password string, err error) {
	c, err := deploy.Read(config)
	if err != nil {
		return "", "", err
	}
	if c.SQLListen == "" {
		return "", "", fmt.Errorf("%s has no sql_listen", config)
	}
	text, err := os.ReadFile(filepath.Join(files, "root.password"))
	return c.SQLListen, strings.TrimSpace(string(text)), err
}
