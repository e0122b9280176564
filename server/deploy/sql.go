package deploy

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"time"

	"isochron/server/peer"
	"isochron/txn"
)

// A node's TLS requirement for SQL clients.
const (
	TLSRequired = "required" // clients without it are refused
	TLSOffered  = "offered"
	TLSOff      = "off"
)

// SQL has a node's settings for SQL clients.
type SQL struct {
	// Root is a file with the verifier of root's first password.
	Root string `yaml:"root,omitempty"`
	// Certificate and Key authenticate the node to clients.
	Certificate string `yaml:"certificate,omitempty"`
	Key         string `yaml:"key,omitempty"`
	// TLS is required, offered or off; empty: offered on a loopback address, required on any other.
	TLS string `yaml:"tls,omitempty"`
	// Connections bounds the open connections; 0: the SQL layer's default.
	Connections int `yaml:"connections,omitempty"`
	// Running bounds the statements that run in parallel; 0: the SQL layer's default.
	Running int `yaml:"running,omitempty"`
	// Unauthenticated bounds the connections that have not logged in; 0: the SQL layer's default.
	Unauthenticated int `yaml:"strangers,omitempty"`
	// LoginTimeout bounds a login, and FailedLoginDelay is the longest delay of the reply to a wrong password
	// (0s: no delay); empty: the SQL layer's defaults.
	LoginTimeout     string `yaml:"login_timeout,omitempty"`
	FailedLoginDelay string `yaml:"failed_login_delay,omitempty"`
	// The bounds of waits, each the initial value of a system variable: see Variables.
	WaitTimeout            string `yaml:"wait_timeout,omitempty"`
	InteractiveTimeout     string `yaml:"interactive_timeout,omitempty"`
	WriteTimeout           string `yaml:"write_timeout,omitempty"`
	IdleTransactionTimeout string `yaml:"idle_transaction_timeout,omitempty"`
	LockWaitTimeout        string `yaml:"lock_wait_timeout,omitempty"`
	StatementTimeout       string `yaml:"statement_timeout,omitempty"`
	SourceTimeout          string `yaml:"source_timeout,omitempty"`
	CommitTimeout          string `yaml:"commit_timeout,omitempty"`
}

// timeout is a key of SQL that sets a system variable.
type timeout struct {
	key, variable string
	of            func(*SQL) string
	unit          time.Duration // of the variable
	least, most   int64         // of the variable, in units
}

// The largest values of variables in seconds, and of variables that bound one wait.
const (
	yearSeconds = 31536000
	hourSeconds = 3600
)

// timeouts has all such keys. The bounds are the variables'.
var timeouts = []timeout{
	{"wait_timeout", "wait_timeout", func(s *SQL) string { return s.WaitTimeout }, time.Second, 1, yearSeconds},
	{"interactive_timeout", "interactive_timeout", func(s *SQL) string { return s.InteractiveTimeout }, time.Second, 1, yearSeconds},
	{"write_timeout", "net_write_timeout", func(s *SQL) string { return s.WriteTimeout }, time.Second, 1, yearSeconds},
	{"idle_transaction_timeout", "isochron_idle_transaction_timeout", func(s *SQL) string { return s.IdleTransactionTimeout }, time.Second, 0, yearSeconds},
	{"lock_wait_timeout", "innodb_lock_wait_timeout", func(s *SQL) string { return s.LockWaitTimeout }, time.Second, 1, 1 << 30},
	{"statement_timeout", "isochron_statement_timeout", func(s *SQL) string { return s.StatementTimeout }, time.Millisecond, 0, 1<<31 - 1},
	{"source_timeout", "isochron_source_timeout", func(s *SQL) string { return s.SourceTimeout }, time.Second, 1, hourSeconds},
	{"commit_timeout", "isochron_commit_timeout", func(s *SQL) string { return s.CommitTimeout }, time.Second, 1, hourSeconds},
}

// Variables returns the system variables that are set, in their own units. Keys that are not given are omitted.
func (s *SQL) Variables() (map[string]int64, error) {
	out := map[string]int64{}
	for _, t := range timeouts {
		text := t.of(s)
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		if n := int64(d / t.unit); err == nil && d%t.unit == 0 && n >= t.least && n <= t.most {
			out[t.variable] = n
			continue
		}
		return nil, fmt.Errorf("sql.%s: %.80q is no time from %v to %v in whole steps of %v: write for example 30s", t.key, text, time.Duration(t.least)*t.unit, time.Duration(t.most)*t.unit, t.unit)
	}
	return out, nil
}

// loginMax bounds both of these times.
const loginMax = time.Minute

// LoginTimes returns them. Zero: not given; a negative delay: none.
func (s *SQL) LoginTimes() (timeout, delay time.Duration, err error) {
	if s.LoginTimeout != "" {
		if timeout, err = time.ParseDuration(s.LoginTimeout); err != nil || timeout < time.Second || timeout > loginMax {
			return 0, 0, fmt.Errorf("sql.login_timeout: %.80q is no time from 1s to %v: write for example 10s", s.LoginTimeout, loginMax)
		}
	}
	if s.FailedLoginDelay != "" {
		if delay, err = time.ParseDuration(s.FailedLoginDelay); err != nil || delay < 0 || delay > loginMax {
			return 0, 0, fmt.Errorf("sql.failed_login_delay: %.80q is no time up to %v: write for example 5s, or 0s for no delay", s.FailedLoginDelay, loginMax)
		}
		if delay == 0 {
			delay = -1
		}
	}
	return timeout, delay, nil
}

// connectionsMax bounds the settings of connections.
const (
	connectionsMax = 100000
	runningMax     = 100000
)

func (s *SQL) check(listen string) error {
	if _, _, err := s.LoginTimes(); err != nil {
		return err
	}
	if _, err := s.Variables(); err != nil {
		return err
	}
	switch {
	case s.Unauthenticated < 0 || s.Unauthenticated > connectionsMax:
		return fmt.Errorf("sql.strangers: %d; give 1 to %d, or 0 for the default", s.Unauthenticated, connectionsMax)
	case s.TLS != "" && s.TLS != TLSRequired && s.TLS != TLSOffered && s.TLS != TLSOff:
		return fmt.Errorf("sql.tls: %.80q is none of %s, %s, %s", s.TLS, TLSRequired, TLSOffered, TLSOff)
	case (s.Certificate == "") != (s.Key == ""):
		return errors.New("sql.certificate, sql.key: give both or none")
	case (s.TLS == TLSRequired || s.TLS == TLSOffered) && s.Certificate == "":
		return fmt.Errorf("sql.tls: %s, and there is no sql.certificate", s.TLS)
	case s.Connections < 0 || s.Connections > connectionsMax:
		return fmt.Errorf("sql.connections: %d; give 1 to %d, or 0 for the default", s.Connections, connectionsMax)
	case s.Running < 0 || s.Running > runningMax:
		return fmt.Errorf("sql.running: %d; give 1 to %d, or 0 for the default", s.Running, runningMax)
	case loopback(listen):
		return nil
	case s.Root == "":
		return fmt.Errorf("sql_listen: %.200q would let anyone in, because root has no password: set its verifier in sql.root, or listen on 127.0.0.1", listen)
	case s.Certificate == "":
		return fmt.Errorf("sql_listen: %.200q is reached over a network, and there is no sql.certificate for TLS: name one, or listen on 127.0.0.1", listen)
	}
	return nil
}

// Policy returns the node's TLS requirement for clients.
func (s *SQL) Policy(listen string) string {
	switch {
	case s.TLS != "":
		return s.TLS
	case !loopback(listen):
		return TLSRequired
	case s.Certificate != "":
		return TLSOffered
	}
	return TLSOff
}

// loopback reports whether an address is reachable only from this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Load reads the verifier of root's password, "" if none is configured, and the TLS for clients, nil if it is off.
func (s *SQL) Load(listen string) (verifier string, t *tls.Config, err error) {
	if s.Root != "" {
		b, err := peer.ReadSecret(s.Root)
		if err != nil {
			return "", nil, fmt.Errorf("sql.root: the verifier of root's password cannot be read: %w", err)
		}
		verifier = strings.TrimSpace(string(b))
	}
	if s.Policy(listen) == TLSOff {
		return verifier, nil, nil
	}
	cert, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
	if err == nil {
		err = peer.CheckSecret(s.Key)
	}
	if err != nil {
		return "", nil, fmt.Errorf("the certificate %s and key %s for SQL clients cannot be used: %w", s.Certificate, s.Key, err)
	}
	// 1.2 too: some drivers in use support nothing newer.
	return verifier, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}}, nil
}

// Files of a cluster for SQL clients and their operators.
const (
	passwordFile = "root.password"
	verifierFile = "root.verifier"
	clientCA     = "sql-ca.crt"
	clientCAKey  = "sql-ca.key"
)

// passwordBytes is the number of random bytes in a generated password.
const passwordBytes = 20

// Bounds of a given password.
const (
	passwordMin = 8
	passwordMax = 256
)

// password returns root's first password: read from a file, or generated.
func (p *Plan) password() (string, error) {
	if p.RootPasswordFile == "" {
		var b [passwordBytes]byte
		if _, err := rand.Read(b[:]); err != nil {
			return "", fmt.Errorf("no randomness for the password of root: %w", err)
		}
		return strings.ToLower(base32.StdEncoding.EncodeToString(b[:])), nil
	}
	b, err := peer.ReadSecret(p.RootPasswordFile)
	if err != nil {
		return "", PlanError{fmt.Errorf("the password of root cannot be read: %w", err)}
	}
	text := strings.TrimRight(string(b), "\r\n")
	if _, err := VerifierOf(text); err != nil {
		return "", PlanError{fmt.Errorf("%s must hold one line: %w", p.RootPasswordFile, err)}
	}
	return text, nil
}

// VerifierOf returns the verifier of a password of root. It fails for one that is too short, too long or of more than
// one line.
func VerifierOf(password string) (string, error) {
	if len(password) < passwordMin || len(password) > passwordMax || strings.ContainsAny(password, "\r\n\x00") {
		return "", fmt.Errorf("a password of root is one line of %d to %d bytes", passwordMin, passwordMax)
	}
	return verifierOf(password), nil
}

// verifierOf returns mysql_native_password's stored form of a password, which every client can prove, with and without
// TLS.
func verifierOf(password string) string {
	once := sha1.Sum([]byte(password))
	return fmt.Sprintf("*%X", sha1.Sum(once[:]))
}

// writeRoot writes root's password, for people, and its verifier, for nodes.
func (p *Plan) writeRoot(write func(name string, b []byte, mode fs.FileMode)) error {
	password, err := p.password()
	if err != nil {
		return err
	}
	if p.RootPasswordFile == "" {
		write(passwordFile, []byte(password+"\n"), secret)
	}
	write(verifierFile, []byte(verifierOf(password)+"\n"), secret)
	return nil
}

// sqlName returns the name in the certificate for SQL clients.
func sqlName(node txn.NodeID) string { return fmt.Sprintf("SQL at node %d", node) }

// LoadClientAuthority reads the authority that SQL clients trust from a directory created by Write.
func LoadClientAuthority(cluster, dir string) (*peer.Authority, error) {
	return peer.LoadAuthority(cluster, filepath.Join(dir, clientCA), filepath.Join(dir, clientCAKey))
}

// sqlHosts returns the names by which SQL clients may reach a node.
func sqlHosts(n Config) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	for _, a := range []string{n.Self().Address, n.SQLListen} {
		if h, _, err := net.SplitHostPort(a); err == nil && h != "" {
			if ip := net.ParseIP(h); ip == nil || !ip.IsUnspecified() {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}
