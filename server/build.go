package server

import (
	"runtime"
	"runtime/debug"

	"isochron/protocol"
)

// Build describes how a program was built.
type Build struct {
	Version  string `json:"version"`  // of the module, or devel
	Revision string `json:"revision"` // of the sources; unknown, if built without it
	Modified bool   `json:"modified"` // the sources were changed after that revision
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Set by make through the linker: with -buildvcs=false Go omits the revision.
var (
	linkedRevision string
	linkedModified string // not empty: the sources were changed after it
)

const unknownRevision = "unknown"

// BuildOf returns this program's Build.
func BuildOf() Build {
	b := Build{Version: "devel", Revision: unknownRevision, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
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
	if b.Revision == unknownRevision && linkedRevision != "" {
		b.Revision, b.Modified = linkedRevision, linkedModified != ""
	}
	return b
}

// revisionLetters is the length of a shortened revision.
const revisionLetters = 12

// Short returns a build's name of one to three words.
func (b Build) Short() string {
	out := b.Version
	if b.Revision != unknownRevision {
		out += " " + b.Revision[:min(len(b.Revision), revisionLetters)]
	}
	if b.Modified {
		out += " with changes"
	}
	return out
}

// liveProtocols returns the protocols a cluster of this program can switch to.
func liveProtocols() []string {
	var out []string
	for _, spec := range protocol.Live() {
		out = append(out, spec.Name)
	}
	return out
}
