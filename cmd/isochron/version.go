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
		Use:   "version",
		Short: "Print the revision of this build",
		Long: `Version prints the revision from which this program was built, whether the tree had
uncommitted changes, and the version of Go.`,
		Example: "  isochron version\n  isochron version --json\n  isochron --version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := server.BuildOf()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(b)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine(b))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	return cmd
}

// versionLine is the version in one line, as isochron version and isochron --version print it.
func versionLine(b server.Build) string {
	changed := ""
	if b.Modified {
		changed = " with changes"
	}
	return fmt.Sprintf("isochron %s, revision %s%s, %s on %s", b.Version, b.Revision, changed, b.Go, b.Platform)
}
