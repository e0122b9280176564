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
		Short: "Say what is done about rows for which many wait",
		Long: `Hot-rows changes, in a running cluster, how rows are treated for which many wait: when
a row counts as hot, and how many transactions may go on from each other's uncommitted
values before the first of them has committed. With --off they are rows like others.
What is not named gets its default. All nodes follow at once, and nodes that start
later as well. It concerns protocols that treat hot rows in a way of their own (isochron
lab protocols tells which).`,
		Example: `  isochron hot-rows --config c/node1.yaml --group-size 50
  isochron hot-rows --config c/node1.yaml --off`,
	}, time.Minute, func(ctx context.Context, o *operator) error {
		return o.set(ctx, want, server.AdminCommand{Do: server.OrderHotRows, Hot: want}, printHotRows(want))
	})
	cmd.Flags().BoolVar(&want.Off, "off", false, "treat them as other rows")
	cmd.Flags().IntVar(&want.Waiters, "waiters", 0, "more waiters than this make a row hot; 0: the default, which is 32, and fewer (two at least) of whom the last would wait over 32 ms by what a turn takes")
	cmd.Flags().IntVar(&want.GroupSize, "group-size", 0, "transactions that may go on from each other before the first has committed; 0: the default, 10")
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
