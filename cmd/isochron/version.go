package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// built is what a program knows of how it was built.
type built struct {
	Version  string `json:"version"`  // of the module, or devel
	Revision string `json:"revision"` // of the sources; unknown, if it was built without
	Modified bool   `json:"modified"` // the sources were changed after that revision
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildOf() built {
	b := built{Version: "devel", Revision: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Long:    "Version says of which sources this program was built, when they were changed, and with which Go.",
		Example: "  isochron version\n  isochron version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := buildOf()
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
