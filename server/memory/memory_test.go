package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The shares are the setting, whatever it is, and each part gets something of it.
func TestTheSharesAreTheSetting(t *testing.T) {
	for _, total := range []int64{Least, 512 * mib, 2 * gib, 64 * gib, 1<<40 + 12345} {
		s, err := Divide(total)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for p := range parts {
			if s.Of(p) < mib {
				t.Errorf("of %s, %s gets %s", Bytes(total), table[p].name, Bytes(s.Of(p)))
			}
			sum += s.Of(p)
		}
		if sum > total {
			t.Errorf("the shares of %s are %s", Bytes(total), Bytes(sum))
		}
		if s.Of(Rest) < base {
			t.Errorf("of %s only %s are left for the program itself", Bytes(total), Bytes(s.Of(Rest)))
		}
		if s.MemTable()*MemTablesMost > max(s.Of(MemTables), MemTablesMost*mib) {
			t.Errorf("of %s, %d memory tables of %s are more than their share, %s", Bytes(total), MemTablesMost, Bytes(s.MemTable()), Bytes(s.Of(MemTables)))
		}
		if most := int64(s.Plans()+s.PreparedStatements()) * preparedBytes; most > max(s.Of(Prepared), 320*preparedBytes) {
			t.Errorf("of %s, plans may take %s and have %s", Bytes(total), Bytes(most), Bytes(s.Of(Prepared)))
		}
	}
}

// Below the floor there is one clear line.
func TestTooLittleMemory(t *testing.T) {
	for _, total := range []int64{-1, 0, mib, Least - 1} {
		if _, err := Divide(total); err == nil || !strings.Contains(err.Error(), "256 MiB at least") {
			t.Errorf("%d bytes: %v", total, err)
		}
	}
}

func TestSettings(t *testing.T) {
	const machine = 8 * gib
	for _, c := range []struct {
		text    string
		want    int64
		message string
	}{
		{"", machine / 100 * 50, ""},
		{"2GB", 2_000_000_000, ""},
		{" 1.5 GiB ", 3 * gib / 2, ""},
		{"512MiB", 512 * mib, ""},
		{"600000KB", 600_000_000, ""},
		{"1000000000B", 1_000_000_000, ""},
		{"25%", machine / 100 * 25, ""},
		{"91%", 0, "a whole number from 1% to 90%"},
		{"2.5%", 0, "a whole number from 1% to 90%"},
		{"0%", 0, "is no size of a memory"},
		{"1%", 0, "are too little for a node"},
		{"100MB", 0, "are too little for a node"},
		{"9GB", 0, "are more than the 8.0 GiB that this machine"},
		{"2", 0, "is no size of a memory"},
		{"-2GB", 0, "is no size of a memory"},
		{"NaNGB", 0, "is no size of a memory"},
		{"1e30GB", 0, "is no size of a memory"},
		{"much", 0, "is no size of a memory"},
	} {
		got := int64(0)
		s, err := Parse(c.text)
		if err == nil {
			got, err = s.Resolve(machine)
		}
		switch {
		case c.message == "" && (err != nil || got != c.want):
			t.Errorf("%q: %d, %v; want %d", c.text, got, err, c.want)
		case c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: %v; want one line with %q", c.text, err, c.message)
		}
	}
	small, err := Setting{}.Resolve(300 * mib)
	if err != nil || small != Least {
		t.Errorf("a small machine gets %d, %v", small, err)
	}
	if _, err := (Setting{percent: 25}).Resolve(0); err == nil {
		t.Error("a percentage of an unknown size")
	}
}

// A cgroup may have less memory than its machine, and less than its own limit if it is within another.
func TestTheMachinesMemory(t *testing.T) {
	const meminfo = "MemFree: 7 kB\nMemTotal:       8388608 kB\nCached: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no group":  {map[string]string{"proc/meminfo": meminfo}, 8 * gib},
		"no bound":  {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "max\n"}, 8 * gib},
		"version 2": {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "2147483648\n"}, 2 * gib},
		"version 1": {map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n"}, gib},
		"no bound, version 1": {map[string]string{"proc/meminfo": meminfo,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8 * gib},
		"its own group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/node.service\n",
			"sys/fs/cgroup/system.slice/node.service/memory.max": "3221225472\n"}, 3 * gib},
		"the group around it": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/node.service\n",
			"sys/fs/cgroup/system.slice/node.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "536870912\n"}, 512 * mib},
		"its own group, version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/docker/abc\n1:name=systemd:/x\n",
			"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "805306368\n"}, 768 * mib},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := machineAt(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
	for text, want := range map[string]int64{"MemTotal: -3 kB\n": 0, "MemTotal: many kB": 0, "": 0} {
		if got := totalOf([]byte(text)); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}

// Garbage stays within its share, however much memory is in use, unless that would require to
// collect without end.
func TestGarbageStaysInItsShare(t *testing.T) {
	for _, total := range []int64{512 * mib, 2 * gib, 64 * gib} {
		s, err := Divide(total)
		if err != nil {
			t.Fatal(err)
		}
		for live := mib; live < total; live *= 2 {
			percent := s.percent(live)
			garbage := live / 100 * int64(percent)
			if garbage > s.Of(Garbage) && percent > percentLeast {
				t.Errorf("of %s, with %s alive %s of garbage are let grow; its share is %s", Bytes(total), Bytes(live), Bytes(garbage), Bytes(s.Of(Garbage)))
			}
			if percent < percentLeast || percent > percentTop {
				t.Errorf("%d %%", percent)
			}
		}
	}
}

// Garbage is let grow while collecting it takes much, and no further: between two
// collections nothing changes, and a node at rest goes back to where it began.
func TestGarbageGrowsWhileThatSavesWork(t *testing.T) {
	p := pace{percent: percentFirst}
	now := cpu{}
	after := func(collecting float64) int {
		now.collecting, now.all = now.collecting+collecting, now.all+2
		return p.next(now)
	}
	if got := after(0.04); got != percentFirst {
		t.Errorf("%d %% when collecting took a fiftieth of the time, and that is neither little nor much", got)
	}
	last := p.percent
	for range 10 {
		got := after(0.2)
		if got < last || got == last && got != percentTop {
			t.Errorf("%d %% after %d %%, and collecting took a tenth of the time", got, last)
		}
		last = got
	}
	if last != percentTop || p.next(now) != last {
		t.Errorf("%d %%, and %d %% with no collection since; want %d %%", last, p.next(now), percentTop)
	}
	for range 20 {
		after(0.001)
	}
	if p.percent != percentFirst {
		t.Errorf("%d %% when nothing was to collect any more; want %d %%", p.percent, percentFirst)
	}
}

// The runtime reports the pace's inputs: after a collection both have grown, and collecting is the lesser.
func TestCollectionTimeIsMeasured(t *testing.T) {
	before := spent()
	runtime.GC()
	if now := spent(); now.all <= before.all || now.collecting < before.collecting || now.collecting > now.all {
		t.Errorf("%+v, and before it %+v", now, before)
	}
}

// The use adds up to the process's memory, and names each part once.
func TestUse(t *testing.T) {
	s := Default()
	u := s.Use(Held{BlockCache: 3 * mib})
	if len(u.Parts) != int(parts) || u.Setting != 2*gib || u.Heap == 0 {
		t.Fatalf("%+v", u)
	}
	seen := map[string]bool{}
	for _, p := range u.Parts {
		if p.Part == "" || p.What == "" || seen[p.Part] || p.Share <= 0 || p.Holds < 0 {
			t.Errorf("%+v", p)
		}
		seen[p.Part] = true
	}
	if u.Parts[BlockCache].Holds != 3*mib {
		t.Errorf("%+v", u.Parts[BlockCache])
	}
}
