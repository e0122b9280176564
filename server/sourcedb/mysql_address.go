package sourcedb

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// myConfig parses an address.
func myConfig(u *url.URL, o Options) (*mysql.Config, error) {
	cfg := mysql.NewConfig()
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "3306"))
	cfg.DBName = strings.Trim(u.Path, "/")
	cfg.Timeout, cfg.DialFunc = o.ConnectTimeout, dialSocket
	cfg.Logger = &mysql.NopLogger{}
	cfg.Collation = "utf8mb4_general_ci"
	cfg.ConnectionAttributes = "program_name:" + o.program()
	// The Go driver quotes values into the text: prepared statements cost a trip and return binary values,
	// not the server's text.
	cfg.InterpolateParams = true
	// Several statements go in one trip; only our own texts are joined (mysql_text.go).
	cfg.MultiStatements = true
	for key, values := range u.Query() {
		if err := myParameter(cfg, u, key, values[0]); err != nil {
			return nil, err
		}
	}
	if cfg.Net == "unix" && cfg.TLS != nil {
		return nil, errors.New("the source's address has a socket and tls: connections over a local socket are not encrypted")
	}
	return cfg, nil
}

// myParameter parses a parameter of an address.
func myParameter(cfg *mysql.Config, u *url.URL, key, value string) error {
	switch key {
	case "socket":
		if !path.IsAbs(value) || u.Host != "" && u.Host != "localhost" {
			return fmt.Errorf("socket=%s in the source's address must be the absolute path of the server's socket, with no other host than localhost before it", value)
		}
		cfg.Net, cfg.Addr = "unix", value
		return nil
	case "tls":
		return myTLS(cfg, u, value)
	}
	return fmt.Errorf("unknown parameter %q in the source's address; mysql has socket=/path and tls=true, skip-verify, preferred or false", key)
}

// myTLS parses the encryption of connections.
func myTLS(cfg *mysql.Config, u *url.URL, value string) error {
	switch value {
	case "true":
		cfg.TLS = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	case "skip-verify", "preferred":
		cfg.TLS = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} // #nosec: requested by the address
		cfg.AllowFallbackToPlaintext = value == "preferred"
	case "false", "":
	default:
		return fmt.Errorf("tls=%s in the source's address must be true, skip-verify, preferred or false", value)
	}
	return nil
}
