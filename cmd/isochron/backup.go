package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isochron/server"
	"isochron/server/deploy"
	"isochron/sql/archive"
)

// backupFlags are the flags of backup as given.
type backupFlags struct {
	config, out, verify string
	json                bool
}

// archived is the JSON output of backup and restore.
type archived struct {
	File    string  `json:"file"`
	Seconds float64 `json:"seconds"`
	Size    int64   `json:"file_bytes"`
	archive.Contents
}

func newBackup() *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Write a consistent backup of a running cluster",
		Long: `Backup writes one file with the content of a running cluster: schemas, rows, indexes, views
and AUTO_INCREMENT values. It is a consistent snapshot: every transaction that was committed
before the backup began is in it, and of each transaction all writes or none. Clients are
not blocked. The file appears under its name only when it is complete and on disk.

Of tables at external databases it contains the definitions but no rows: back up those
databases themselves.

With --verify it checks a backup file completely; no cluster is needed.`,
		Example: `  isochron backup --config c/node1.yaml --out monday.backup
  isochron backup --verify monday.backup`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration file of any node, a nodeN.yaml (required without --verify)")
	flags.StringVar(&f.out, "out", "", "file to write, which must not exist (required without --verify)")
	flags.StringVar(&f.verify, "verify", "", "backup file to check, instead of writing one")
	flags.BoolVar(&f.json, "json", false, "print one JSON object and nothing else")
	return cmd
}

func (f *backupFlags) run(ctx context.Context, out, progress io.Writer) error {
	if f.verify != "" {
		if f.config != "" || f.out != "" {
			return usagef("--verify goes without --config and --out")
		}
		return verifyBackup(f.verify, f.json, out)
	}
	if f.out == "" {
		return usagef("--out is missing: name the file to write, such as --out monday.backup")
	}
	c, err := readConfig(f.config)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(f.out); err == nil {
		return usagef("%s is there already, and nothing is overwritten: give another --out", f.out)
	}
	begun := time.Now()
	done, err := takeBackup(ctx, c, f.out, newBar(progress, f.json))
	if err != nil {
		return err
	}
	done.Seconds = time.Since(begun).Seconds()
	return done.show(out, f.json, "saved")
}

// rowsOf asks the configuration's node, and the others when it does not answer.
func rowsOf(c *deploy.Config) (*server.Rows, error) {
	creds, err := credentials(c)
	if err != nil {
		return nil, err
	}
	var members []server.Member
	for _, n := range c.Nodes {
		m := server.Member{ID: n.ID, Region: n.Region, Address: n.Address}
		if n.ID == c.Node {
			members = append([]server.Member{m}, members...)
		} else {
			members = append(members, m)
		}
	}
	return server.NewRows(creds, members), nil
}

// takeBackup writes under another name and renames at the end; an unfinished file is removed.
func takeBackup(ctx context.Context, c *deploy.Config, path string, b *bar) (done archived, err error) {
	rows, err := rowsOf(c)
	if err != nil {
		return done, err
	}
	w, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".part-*")
	if err != nil {
		return done, fmt.Errorf("the backup cannot be written: %w", err)
	}
	defer func() {
		w.Close()
		os.Remove(w.Name())
	}()
	about := archive.Header{Cluster: c.Cluster, Protocol: c.Protocol, TakenUnix: time.Now().Unix()}
	done.File = path
	done.Contents, err = archive.Take(ctx, rows, w, about, b.show)
	b.end()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("the backup was ended before it was whole; nothing is left of it")
		}
		return done, err
	}
	if err := w.Sync(); err != nil {
		return done, fmt.Errorf("the backup cannot be written: %w", err)
	}
	// A link, unlike a rename, does not overwrite a file that appeared meanwhile.
	if err := os.Link(w.Name(), path); err != nil {
		return done, fmt.Errorf("the backup cannot be given its name: %w", err)
	}
	if info, err := w.Stat(); err == nil {
		done.Size = info.Size()
	}
	return done, syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func verifyBackup(path string, asJSON bool, out io.Writer) error {
	begun := time.Now()
	in, err := os.Open(path)
	if err != nil {
		return usageError{err}
	}
	defer in.Close()
	done := archived{File: path}
	if done.Contents, err = archive.Verify(in); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if info, err := in.Stat(); err == nil {
		done.Size = info.Size()
	}
	done.Seconds = time.Since(begun).Seconds()
	return done.show(out, asJSON, "whole and sound")
}

func (a archived) show(out io.Writer, asJSON bool, what string) error {
	if asJSON {
		return json.NewEncoder(out).Encode(a)
	}
	_, err := fmt.Fprintf(out, "%s: %s: %d rows and index entries of %d tables (the catalogue is one), %s in %.1f s, as of %s\n",
		a.File, what, a.Rows, a.Tables, size(uint64(a.Size)), a.Seconds, time.Unix(0, int64(a.At)).UTC().Format(time.RFC3339))
	if err == nil && len(a.Sources) > 0 {
		_, err = fmt.Fprintf(out, "Tables at the sources %s are in it by name, without their rows: these stay in the databases, which have backups of their own.\n", strings.Join(a.Sources, ", "))
	}
	return err
}

func size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

// bar shows how far a backup or a restore is: in place on a terminal, not at all
// elsewhere.
type bar struct {
	w     io.Writer // nil: not at all
	shown time.Time
}

func newBar(w io.Writer, quiet bool) *bar {
	if quiet || !isTerminal(w) {
		return &bar{}
	}
	return &bar{w: w}
}

func (b *bar) show(p archive.Progress) {
	if b.w == nil || time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	b.shown = time.Now()
	text := fmt.Sprintf("%d rows, %s", p.Rows, size(p.Bytes))
	if p.Tables > 0 {
		text += fmt.Sprintf(", %d of %d tables", p.TablesDone, p.Tables)
	}
	if p.BytesAll > 0 {
		text += fmt.Sprintf(" of %s (%d %%)", size(p.BytesAll), p.Bytes*100/p.BytesAll)
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", text)
}

func (b *bar) end() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
