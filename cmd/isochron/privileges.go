package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	isosql "isochron/sql"
)

func newPrivileges() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "privileges",
		Short: "List which SQL statement needs which privilege",
		Long: `Privileges prints the table by which the nodes of this version let users do statements:
each kind of statement, the privileges that it needs, and where they must be granted:
global is GRANT ... ON *.*, object is on the tables or databases that the statement names,
or global. A kind of statement that is not in the table is refused. SUPER stands for every
other privilege.`,
		Example: `  isochron privileges
  isochron privileges --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(isosql.Rights())
			}
			var text strings.Builder
			w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "STATEMENT\tNEEDS\tON\tNOTE")
			for _, r := range isosql.Rights() {
				need := strings.Join(r.Needs, ", ")
				if need == "" {
					need = "-"
				}
				fmt.Fprintln(w, strings.Join([]string{r.Statement, need, r.On, r.Note}, "\t"))
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for line := range strings.Lines(text.String()) {
				fmt.Fprintln(out, strings.TrimRight(line, " \n"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array and nothing else")
	return cmd
}
