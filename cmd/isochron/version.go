package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"isochron/server"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Long:    "Version says of which sources this program was built, when they were changed, and with which Go.",
		Example: "  isochron version\n  isochron version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := server.BuildOf()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(b)
			}
			changed := ""
			if b.Modified {
				changed = " with changes"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "isochron %s, revision %s%s, %s on %s\n", b.Version, b.Revision, changed, b.Go, b.Platform)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	return cmd
}
