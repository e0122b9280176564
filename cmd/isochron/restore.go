package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"isochron/sql/archive"
)

// restoreFlags are the flags of restore as given.
type restoreFlags struct {
	config, from string
	regions      map[string]string
	json         bool
}

func newRestore() *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Restore a backup into a new cluster",
		Long: `Restore writes a backup into a running cluster that has no tables; it may have other nodes
and regions than the old one. It checks the whole backup before it writes. While it runs,
and if it was interrupted, SQL clients receive an error that the restore is incomplete; run
it again with the same backup to complete it.

If a table was placed in a region that the new cluster does not have, --map-region must name
another region for it. Tables without a placement need nothing.

Tables at external databases are restored as definitions and find their databases by the
names of the sources: have agents join under these names (isochron agent --join) before or
afterwards. Their rows are those of the databases, which may be newer or older than the
backup.`,
		Example: `  isochron restore --config c2/node1.yaml --from monday.backup
  isochron restore --config c2/node1.yaml --from monday.backup --map-region va=eu,sg=asia`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration file of any node of the new cluster, a nodeN.yaml (required)")
	flags.StringVar(&f.from, "from", "", "backup file (required)")
	flags.StringToStringVar(&f.regions, "map-region", nil, "OLD=NEW: place tables of region OLD in region NEW; may be repeated")
	flags.BoolVar(&f.json, "json", false, "print one JSON object and nothing else")
	return cmd
}

func (f *restoreFlags) run(ctx context.Context, out, progress io.Writer) error {
	if f.from == "" {
		return usagef("--from is missing: name the backup, such as --from monday.backup")
	}
	c, err := readConfig(f.config)
	if err != nil {
		return err
	}
	in, err := os.Open(f.from)
	if err != nil {
		return usageError{err}
	}
	defer in.Close()
	rows, err := rowsOf(c)
	if err != nil {
		return err
	}
	begun, b := time.Now(), newBar(progress, f.json)
	done := archived{File: f.from}
	done.Contents, err = archive.Restore(ctx, rows, in, f.regions, b.show)
	b.end()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("the restore was ended before it was complete; SQL clients are refused until it is: run it again")
		}
		return err
	}
	if info, err := in.Stat(); err == nil {
		done.Size = info.Size()
	}
	done.Seconds = time.Since(begun).Seconds()
	return done.show(out, f.json, "restored")
}
