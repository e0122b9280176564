package deploy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/geo"
)

// Agents come last, hold nothing, receive no SQL clients, and read the account's password
// from a file beside their configuration.
func TestSourcesAreWritten(t *testing.T) {
	p := plan(t)
	p.NodesPerRegion, p.Regions = 1, []geo.Region{"va", "wa"}
	s, err := ParsePlanned("orders@wa=postgres://app@127.0.0.1:5432/shop")
	if err != nil {
		t.Fatal(err)
	}
	p.Sources = []PlannedSource{s}
	c, err := Write(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(filepath.Join(p.Dir, c.Nodes[2].Data+".yaml"))
	if err != nil || got.Role != RoleGateway || got.Region != "wa" || got.SQLListen != "" || len(got.Sources) != 1 {
		t.Fatalf("the agent came back as %+v, %v", got, err)
	}
	if _, err := got.Sources[0].Load(); err == nil || !strings.Contains(err.Error(), "password cannot be read") {
		t.Errorf("without a password file: %v", err)
	}
	file := filepath.Join(p.Dir, "orders.password")
	for text, ok := range map[string]bool{"pw\n": true, "": false, "a\nb\n": false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := got.Sources[0].Load(); (err == nil) != ok || ok && (l.Password != "pw" || l.Name != "orders") {
			t.Errorf("%q is read as %+v, %v", text, l.Password, err)
		}
	}
	if first, err := Read(filepath.Join(p.Dir, "node1.yaml")); err != nil || len(first.Sources) != 0 || first.SQLListen == "" || len(first.Nodes) != 3 {
		t.Errorf("node 1 came back as %+v, %v", first, err)
	}
	p.Sources = append(p.Sources, s)
	p.Dir = filepath.Join(t.TempDir(), "c")
	if _, err := Write(p); err == nil || !strings.Contains(err.Error(), "two sources are called orders") {
		t.Errorf("two of one name: %v", err)
	}
}

func TestASourceIsChecked(t *testing.T) {
	for address, says := range map[string]string{
		"postgres://u@h/d":    "",
		"mysql://u@h:3306/d":  "",
		"postgres://u:p@h/d":  "has a password",
		"postgres://h/d":      "names no user",
		"mysql://u@h":         "names no database",
		"oracle://u@h/d":      "postgres://... or mysql://",
		"postgres://u@h:x/%d": "cannot be read",
	} {
		s := Source{Name: "orders", Address: address}
		if err := s.Check(); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", address, err, says)
		} else if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("it repeats the password: %v", err)
		}
	}
	for _, text := range []string{"orders", "orders=postgres://u@h/d", "orders@eu", "Bad@eu=postgres://u@h/d"} {
		if _, err := ParsePlanned(text); err == nil {
			t.Errorf("%q is taken for a source", text)
		}
	}
}
