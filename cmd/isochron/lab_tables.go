package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	figures "isochron/lab/figure"
)

func newLabTables() *cobra.Command {
	var docs string
	var check bool
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Write the tables of documents from the records of figures",
		Long: `Tables reads the records that isochron lab run --record has written to the directory figures
of the documents, and writes the tables of every document, between their comments, and the
page of all claims. With --check it writes nothing and exits with 1 if a document differs.`,
		Example: "  isochron lab tables --docs docs\n  isochron lab tables --docs docs --check",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeTables(docs, check, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&docs, "docs", "docs", "directory of the documents")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; report documents that differ from their records")
	return cmd
}

func writeTables(docs string, check bool, out io.Writer) error {
	pages, err := figures.Documents(docs)
	if err != nil {
		return err
	}
	var changed []string
	for _, page := range pages {
		if page.Text == page.Was {
			continue
		}
		changed = append(changed, page.Name)
		if check {
			continue
		}
		if err := os.WriteFile(filepath.Join(docs, page.Name), []byte(page.Text), 0o644); err != nil {
			return fmt.Errorf("a document could not be written: %w", err)
		}
	}
	switch {
	case len(changed) == 0:
		_, err = fmt.Fprintln(out, "All documents are as their records say.")
	case check:
		err = fmt.Errorf("not as their records say: %s; isochron lab tables writes them", strings.Join(changed, ", "))
	default:
		_, err = fmt.Fprintln(out, "Written:", strings.Join(changed, ", "))
	}
	return err
}
