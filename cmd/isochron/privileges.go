package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	sqlaccount "isochron/sql/account"
)

func newPrivileges() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "privileges",
		Short: "List which SQL statement needs which privilege",
		Long: `Privileges lists the privileges that each kind of statement needs, and where they must be
granted: global is GRANT ... ON *.*, object is on the tables or databases of the statement,
or global. A kind of statement that is not listed is refused. SUPER includes every other
privilege.`,
		Example: `  isochron privileges
  isochron privileges --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(sqlaccount.Rights())
			}
			var text strings.Builder
			w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "STATEMENT\tNEEDS\tON\tNOTE")
			for _, r := range sqlaccount.Rights() {
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
