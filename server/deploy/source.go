package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/server"
	"isochron/server/peer"
	"isochron/server/sourcedb"
)

// Source is an external database with an agent at the node.
type Source struct {
	Name    string `yaml:"name"`
	Address string `yaml:"address"` // postgres://user@host:port/database or mysql://...
	// PasswordFile has the account's password, one line; empty: it is in the environment (PasswordEnv), or there
	// is none.
	PasswordFile string `yaml:"password_file,omitempty"`
	// Connections bounds the connections to the database; 0: the agent's default.
	Connections int `yaml:"connections,omitempty"`
	// Isolation is how transactions at a PostgreSQL that request SERIALIZABLE are ordered: locks (the default), or
	// serializable, its own level.
	Isolation sourcedb.Ordering `yaml:"isolation,omitempty"`
	// DeadlockAfter is the wait after which a deadlock over several databases is searched for; 0: 100 ms, below 0:
	// never, and such a deadlock ends by the bound of a lock wait.
	DeadlockAfter time.Duration `yaml:"deadlock_after,omitempty"`
}

// PasswordEnv returns the environment variable with the password of a source without a password file.
const PasswordEnv = "ISOCHRON_SOURCE_PASSWORD"

// Reach checks once that the source's database exists and accepts the account.
func (s *Source) Reach(ctx context.Context, cluster string) error {
	c, err := s.Load()
	if err != nil {
		return err
	}
	db, err := sourcedb.Open(s.Address, sourcedb.Options{Password: c.Password, Connections: 1, Ordering: s.Isolation, Cluster: cluster})
	if err != nil {
		return fmt.Errorf("source %s: %w", s.Name, err)
	}
	defer db.Close()
	if _, err := db.Facts(ctx); err != nil {
		return fmt.Errorf("source %s: %w", s.Name, err)
	}
	return nil
}

// passwordFileMax bounds a password file.
const passwordFileMax = 4096

// Check returns the fault of a source, without reading a file or contacting the source.
func (s *Source) Check() error {
	if err := routing.CheckSourceName(s.Name); err != nil {
		return err
	}
	u, err := url.Parse(s.Address)
	if err != nil {
		return fmt.Errorf("source %s: the address cannot be read: it is postgres://user@host:port/database or mysql with the same", s.Name)
	}
	if _, has := u.User.Password(); has {
		return fmt.Errorf("source %s: the address has a password, which others could read: put it into a file, and leave it out here", s.Name)
	}
	db, err := sourcedb.Open(s.Address, sourcedb.Options{Connections: s.Connections, Ordering: s.Isolation})
	if err != nil {
		return fmt.Errorf("source %s: %w", s.Name, err)
	}
	return db.Close()
}

// Load reads what the node needs to connect to the source.
func (s *Source) Load() (server.SourceConfig, error) {
	out := server.SourceConfig{Name: s.Name, Address: s.Address, Connections: s.Connections, Ordering: s.Isolation, DeadlockAfter: s.DeadlockAfter, Password: os.Getenv(PasswordEnv)}
	if s.PasswordFile == "" {
		return out, nil
	}
	if err := peer.CheckSecret(s.PasswordFile); err != nil {
		return out, fmt.Errorf("source %s: the password cannot be read: %w", s.Name, err)
	}
	f, err := os.Open(s.PasswordFile)
	if err != nil {
		return out, fmt.Errorf("source %s: the password cannot be read: %w", s.Name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, passwordFileMax+1))
	if err != nil {
		return out, fmt.Errorf("source %s: the password cannot be read: %w", s.Name, err)
	}
	out.Password = strings.TrimRight(string(b), "\r\n")
	if out.Password == "" || len(b) > passwordFileMax || strings.ContainsAny(out.Password, "\r\n\x00") {
		return out, fmt.Errorf("source %s: %s must hold one line, the account's password", s.Name, s.PasswordFile)
	}
	return out, nil
}

// checkSources checks a node's sources.
func (c *Config) checkSources() error {
	if len(c.Sources) > routing.SourcesMax {
		return fmt.Errorf("sources: %d of them, and at most %d may be", len(c.Sources), routing.SourcesMax)
	}
	for i := range c.Sources {
		s := &c.Sources[i]
		if err := s.Check(); err != nil {
			return fmt.Errorf("sources: %w", err)
		}
		for _, before := range c.Sources[:i] {
			if before.Name == s.Name {
				return fmt.Errorf("sources: two are called %s", s.Name)
			}
		}
	}
	return nil
}

// checkSQL checks the settings for SQL clients. A node with sources may serve none.
func (c *Config) checkSQL() error {
	if c.SQLListen == "" && len(c.Sources) > 0 {
		if c.SQL != (SQL{}) {
			return errors.New("sql: the node has no sql_listen, so it has no SQL clients to configure")
		}
		return nil
	}
	if err := checkAddress(c.SQLListen, true); err != nil {
		return fmt.Errorf("sql_listen: %w", err)
	}
	return c.SQL.check(c.SQLListen)
}

// absoluteSources makes the sources' paths absolute.
func (c *Config) absoluteSources(dir string) {
	for i := range c.Sources {
		if p := &c.Sources[i].PasswordFile; *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
}

// PlannedSource is a source of a new cluster, with an agent node of its own.
type PlannedSource struct {
	Source
	Region geo.Region
}

// ParsePlanned parses name@region=address. The password's file is beside the configuration.
func ParsePlanned(text string) (PlannedSource, error) {
	head, address, ok := strings.Cut(text, "=")
	name, region, in := strings.Cut(head, "@")
	if !ok || !in {
		return PlannedSource{}, fmt.Errorf("%.80q is no source: write name@region=postgres://user@host:port/database or mysql://", head)
	}
	p := PlannedSource{Source{Name: name, Address: address, PasswordFile: name + ".password"}, geo.Region(region)}
	return p, p.Check()
}

// checkPlanned checks a plan's sources, whose agents are the last nodes.
func checkPlanned(all []Config, sources []PlannedSource) error {
	for i := range sources {
		if err := all[len(all)-len(sources)+i].check(); err != nil {
			return err
		}
		for _, before := range sources[:i] {
			if before.Name == sources[i].Name {
				return fmt.Errorf("two sources are called %s", before.Name)
			}
		}
	}
	return nil
}
