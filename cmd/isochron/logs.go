package main

import (
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// logFlags say how a node logs.
type logFlags struct {
	format string
	level  string
}

func (f *logFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "log-format", "text", "format of log lines: text or json")
	flags.StringVar(&f.level, "log-level", "info", "lowest level that is logged: debug, info, warn or error")
}

// set makes the process log to w.
func (f *logFlags) set(w io.Writer) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return usagef("--log-level %q: use debug, info, warn or error", f.level)
	}
	options := &slog.HandlerOptions{Level: level}
	switch f.format {
	case "text":
		slog.SetDefault(slog.New(slog.NewTextHandler(w, options)))
	case "json":
		slog.SetDefault(slog.New(slog.NewJSONHandler(w, options)))
	default:
		return usagef("--log-format %q: use text or json", f.format)
	}
	return nil
}
