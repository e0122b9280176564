package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
)

func newAdmission() *cobra.Command {
	var want routing.Admission
	cmd := newOrder(&cobra.Command{
		Use:   "admission",
		Short: "Configure admission control of contended tables",
		Long: `Admission configures admission control of a running cluster. When most transactions that
start on the same table abort each other, each gateway limits how many of them run
concurrently: its window. The others queue before their first statement and are admitted
by age. The gateway chooses the window between --min-window and --max-window; a flag that
is not set has its default. --off disables the limit. All nodes apply the change
immediately, and nodes that start later too. The table isochron.admission shows the
windows and queues.`,
		Example: `  isochron admission --config c/node1.yaml --max-window 64
  isochron admission --config c/node1.yaml --off`,
	}, time.Minute, func(ctx context.Context, o *operator) error {
		return o.set(ctx, want, server.AdminCommand{Do: server.OrderAdmission, Admission: want}, printAdmission(want))
	})
	cmd.Flags().BoolVar(&want.Off, "off", false, "disable admission control")
	cmd.Flags().IntVar(&want.Least, "min-window", 0, "lower bound of the window; 0: the default, 1")
	cmd.Flags().IntVar(&want.Most, "max-window", 0, fmt.Sprintf("upper bound of the window; 0: the default, %d", routing.AdmissionMost))
	return cmd
}

func printAdmission(a routing.Admission) string {
	if a.Off {
		return "admission control is off"
	}
	return fmt.Sprintf("admission control is on: each gateway admits between %d and %d concurrent transactions of a contended table", cmp.Or(a.Least, 1), cmp.Or(a.Most, routing.AdmissionMost))
}
