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
		Short: "Bound how many transactions contend for the same rows",
		Long: `Admission changes, in a running cluster, between which bounds each gateway chooses how
many tries of transactions may contend at once, once most of those that begin with the
same table fail for each other. The others wait before their first statement, and are
let in by age. With --off nobody waits. What is not named gets its default. All nodes
follow at once, and nodes that start later as well. The table isochron.admission shows
who contends and who waits.`,
		Example: `  isochron admission --config c/node1.yaml --most 64
  isochron admission --config c/node1.yaml --off`,
	}, time.Minute, func(ctx context.Context, o *operator) error {
		return o.set(ctx, want, server.AdminCommand{Do: server.OrderAdmission, Admission: want}, sayAdmission(want))
	})
	cmd.Flags().BoolVar(&want.Off, "off", false, "nobody waits to be let in")
	cmd.Flags().IntVar(&want.Least, "least", 0, "so many may always contend; 0: the default, 1")
	cmd.Flags().IntVar(&want.Most, "most", 0, fmt.Sprintf("and no more than this, once most have failed; 0: the default, %d", routing.AdmissionMost))
	return cmd
}

func sayAdmission(a routing.Admission) string {
	if a.Off {
		return "nobody waits to be let in from now on"
	}
	return fmt.Sprintf("where most tries fail, each gateway lets in between %d and %d at once", cmp.Or(a.Least, 1), cmp.Or(a.Most, routing.AdmissionMost))
}
