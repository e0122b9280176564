package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"isochron/lab"
)

// syncsMeasured is the default number of syncs of lab fsync.
const syncsMeasured = 500

func newLabSync() *cobra.Command {
	var dir string
	var count int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fsync",
		Short: "Measure the time of one sync of a disk",
		Long: `Fsync writes a small block to a file and syncs it, --count times. The flag --fsync of
isochron sim takes such a time. The figures of hot rows use the time measured on the
machine on which their other costs were measured.`,
		Example: "  isochron lab fsync --dir /var/lib/isochron",
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
	cmd.Flags().StringVar(&dir, "dir", ".", "directory on the disk to measure")
	cmd.Flags().IntVar(&count, "count", syncsMeasured, "number of syncs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	return cmd
}

// reportSyncs prints the times of syncs, in microseconds.
func reportSyncs(out io.Writer, s lab.Syncs, asJSON bool) error {
	us := func(percent int) int64 { return s.Part(percent).Microseconds() }
	if asJSON {
		return json.NewEncoder(out).Encode(map[string]int64{"count": int64(len(s)), "p25_us": us(25), "p50_us": us(50), "p75_us": us(75), "p99_us": us(99)})
	}
	_, err := fmt.Fprintf(out, "One sync takes %d us (median of %d; half take %d to %d us, the 99th percentile is %d us). The laboratory uses %d us in figures of hot rows and %d us elsewhere.\n",
		us(50), len(s), us(25), us(75), us(99), lab.DiskSync.Microseconds(), lab.Fsync.Microseconds())
	return err
}
