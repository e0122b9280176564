package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"isochron/server/peer"
	"isochron/sqlload"
)

// passwordVariable of the environment holds a password, where no file does. A flag would show it to
// every user who lists the processes.
const passwordVariable = "ISOCHRON_PASSWORD"

// login is with what a command connects to an SQL server.
type login struct{ user, passwordFile, ca string }

func (l *login) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.user, "user", "root", "name of the SQL user")
	flags.StringVar(&l.passwordFile, "password-file", "", "file with the user's password; empty: the environment variable "+passwordVariable+", or no password")
	flags.StringVar(&l.ca, "tls-ca", "", "file with the certificate authority of the server, such as init's sql-ca.crt; the connection uses TLS")
}

// into completes a target.
func (l *login) into(t *sqlload.Target) error {
	t.User, t.Password = l.user, os.Getenv(passwordVariable)
	if l.passwordFile != "" {
		b, err := peer.ReadSecret(l.passwordFile)
		if err != nil {
			return fmt.Errorf("--password-file: %w", err)
		}
		t.Password = strings.TrimRight(string(b), "\r\n")
	}
	if l.ca == "" {
		return nil
	}
	b, err := os.ReadFile(l.ca)
	if err != nil {
		return fmt.Errorf("--tls-ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(b) {
		return fmt.Errorf("--tls-ca: %s holds no certificate", l.ca)
	}
	t.TLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots} // the driver adds the host's name
	return nil
}
