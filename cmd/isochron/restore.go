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
		Short: "Bring a backup into a new cluster",
		Long: `Restore brings a backup into a running cluster that has no tables: of as many nodes
and regions as the old one, or of others. It checks the whole backup before it
writes anything. While it runs, and if it was interrupted, SQL clients are told
that the restore is incomplete; run it again with the same backup and it completes.

A table that was placed in a region which the new cluster does not have needs
--map-region, once for each such region. Tables placed nowhere in particular need
nothing.

Tables at sources come back as they were adopted, and find their databases by the
names of the sources: have agents join under these names (isochron agent --join),
before or after. Their rows are as the databases have them, which may be newer, or
older, than the backup.`,
		Example: `  isochron restore --config c2/node1.yaml --from monday.backup
  isochron restore --config c2/node1.yaml --from monday.backup --map-region va=eu,sg=asia`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "the configuration of a node of the new cluster (needed)")
	flags.StringVar(&f.from, "from", "", "the backup (needed)")
	flags.StringToStringVar(&f.regions, "map-region", nil, "OLD=NEW: what was placed in region OLD goes to region NEW")
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
