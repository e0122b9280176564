package server

import (
	"runtime"
	"runtime/debug"

	"isochron/protocol"
)

// Build is what a program knows of how it was built.
type Build struct {
	Version  string `json:"version"`  // of the module, or devel
	Revision string `json:"revision"` // of the sources; unknown, if it was built without
	Modified bool   `json:"modified"` // the sources were changed after that revision
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// The linker sets them where make builds: Go leaves the revision out under -buildvcs=false.
var (
	linkedRevision string
	linkedModified string // not empty: the sources were changed after it
)

const unknownRevision = "unknown"

// BuildOf is what this program knows of itself.
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

// revisionLetters are enough of a revision for people.
const revisionLetters = 12

// Short names the build in a word or three.
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

// liveProtocols are the names of those to which a cluster of this program can go over.
func liveProtocols() []string {
	var out []string
	for _, spec := range protocol.Live() {
		out = append(out, spec.Name)
	}
	return out
}
