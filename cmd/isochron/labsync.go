package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"isochron/lab"
)

// syncsMeasured is how many lab sync makes unless it is told.
const syncsMeasured = 500

func newLabSync() *cobra.Command {
	var dir string
	var count int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Measure what one sync of a disk costs",
		Long: `Sync writes a little to a file and waits until the disk has it, again and again. What
commits cost that wait for a disk is the laboratory's --fsync; the figures of hot rows have
what was measured on the machine that their other costs were measured on.`,
		Example: "  isochron lab sync --dir /var/lib/isochron",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if count < 1 {
				return usagef("--count is %d; it must be at least 1", count)
			}
			s, err := lab.MeasureSync(dir, count)
			if err != nil {
				return err
			}
			return reportSyncs(cmd.OutOrStdout(), s, asJSON)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "a directory on the disk")
	cmd.Flags().IntVar(&count, "count", syncsMeasured, "how many syncs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	return cmd
}

// reportSyncs prints what syncs took, in microseconds.
func reportSyncs(out io.Writer, s lab.Syncs, asJSON bool) error {
	us := func(percent int) int64 { return s.Part(percent).Microseconds() }
	if asJSON {
		return json.NewEncoder(out).Encode(map[string]int64{"count": int64(len(s)), "p25_us": us(25), "p50_us": us(50), "p75_us": us(75), "p99_us": us(99)})
	}
	_, err := fmt.Fprintf(out, "One sync takes %d us: half of %d took %d to %d us, one in a hundred more than %d. The laboratory has %d us in figures of hot rows, and %d elsewhere.\n",
		us(50), len(s), us(25), us(75), us(99), lab.DiskSync.Microseconds(), lab.Fsync.Microseconds())
	return err
}
