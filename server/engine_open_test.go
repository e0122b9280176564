package server

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"isochron/store"
)

// smallDisk has a given number of free bytes.
type smallDisk struct {
	vfs.FS
	left uint64
}

func (d smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: d.left, TotalBytes: 1 << 40}, nil
}

// A full disk is reported immediately, also one that fills while a store is opened: the library would retry
// forever.
func TestOpeningOnAFullDiskFails(t *testing.T) {
	disk := vfs.NewCrashableMem()
	e := openTest(t, EngineConfig{Dir: "data", fs: disk})
	var b store.Batch
	b.Set([]byte("k"), []byte(strings.Repeat("v", 1<<20)))
	e.Apply(&b)
	e.Sync()
	crashed := disk.CrashClone(vfs.CrashCloneCfg{})
	full := errorfs.Wrap(crashed, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpCreate {
			return &errorFull{}
		}
		return nil
	}))
	for name, fs := range map[string]vfs.FS{"before": smallDisk{crashed, openMinBytes - 1}, "meanwhile": full} {
		if _, err := OpenEngine(EngineConfig{Dir: "data", fs: fs}); err == nil || !strings.Contains(err.Error(), "is full: free space") {
			t.Errorf("full %s: %v", name, err)
		}
	}
	again, err := OpenEngine(EngineConfig{Dir: "data", fs: smallDisk{disk.CrashClone(vfs.CrashCloneCfg{}), openMinBytes}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if v, ok := again.Get([]byte("k")); !ok || len(v) != 1<<20 {
		t.Errorf("%d bytes, %v", len(v), ok)
	}
}

type errorFull struct{}

func (*errorFull) Error() string        { return "writing: " + syscall.ENOSPC.Error() }
func (*errorFull) Is(target error) bool { return target == error(syscall.ENOSPC) }
