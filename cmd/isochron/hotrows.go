package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
)

func newHotRows() *cobra.Command {
	var want routing.HotRows
	cmd := newOrder(&cobra.Command{
		Use:   "hot-rows",
		Short: "Configure hot-row detection and grouping",
		Long: `Hot-rows configures hot rows, the rows for which many transactions wait, in a running
cluster: how many waiters make a row hot, and how many transactions of a group read each
other's uncommitted values before the first of them has committed. A flag that is not set
has its default. --off treats hot rows like others. All nodes apply the change immediately,
and nodes that start later too. It affects protocols that handle hot rows (see isochron lab
protocols NAME).`,
		Example: `  isochron hot-rows --config c/node1.yaml --group-size 50
  isochron hot-rows --config c/node1.yaml --off`,
	}, time.Minute, func(ctx context.Context, o *operator) error {
		return o.set(ctx, want, server.AdminCommand{Do: server.OrderHotRows, Hot: want}, printHotRows(want))
	})
	cmd.Flags().BoolVar(&want.Off, "off", false, "disable hot-row detection and grouping")
	cmd.Flags().IntVar(&want.Waiters, "waiters", 0, "number of waiters above which a row is hot; 0: the default, 32, or fewer (at least 2) if waiters times hold time exceeds 32 ms")
	cmd.Flags().IntVar(&want.GroupSize, "group-size", 0, "transactions of a group that read each other's uncommitted values; 0: the default, 10")
	return cmd
}

func printHotRows(h routing.HotRows) string {
	if h.Off {
		return "hot rows are treated as other rows from now on"
	}
	or := func(n int) string {
		if n == 0 {
			return "the default"
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("a row is hot with more waiters than %s; groups of %s", or(h.Waiters), or(h.GroupSize))
}
