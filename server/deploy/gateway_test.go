package deploy

import (
	"path/filepath"
	"strings"
	"testing"

	"isochron/geo"
)

// Gateways come after the nodes that hold data, say so in their files and in
// everybody's list, and may stand where nothing else does.
func TestGatewaysAreWritten(t *testing.T) {
	p := plan(t)
	p.NodesPerRegion, p.Regions, p.Gateways = 1, []geo.Region{"va", "wa"}, []geo.Region{"pr", "va"}
	c, err := Write(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Node{{1, "va", "", ""}, {2, "wa", "", ""}, {3, "pr", "", RoleGateway}, {4, "va", "", RoleGateway}} {
		got, err := Read(filepath.Join(p.Dir, c.Nodes[i].Data+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if self := got.Self(); got.Role != want.Role || self.Role != want.Role || self.ID != want.ID || self.Region != want.Region {
			t.Errorf("node %d came back as %+v with the role %q", i+1, self, got.Role)
		}
	}
	p.Gateways = append(p.Gateways, "nowhere")
	p.Dir = filepath.Join(t.TempDir(), "c")
	if _, err := Write(p); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a gateway off the map: %v", err)
	}
}

func TestARoleIsChecked(t *testing.T) {
	p := plan(t)
	p.Gateways = []geo.Region{"va"}
	last := func() Config { // its lists are its own
		all := p.configs("aa")
		return all[len(all)-1]
	}
	for _, b := range []struct {
		message string
		edit    func(*Config)
	}{
		{"", func(*Config) {}},
		{`role: "", but under nodes node 7 has "gateway"`, func(c *Config) { c.Role = "" }},
		{`role: "proxy"; write gateway`, func(c *Config) { c.Nodes[6].Role = "proxy" }},
		{"all are gateways", func(c *Config) {
			for i := range c.Nodes {
				c.Nodes[i].Role = RoleGateway
			}
		}},
	} {
		c := last()
		b.edit(&c)
		if err := c.check(); b.message == "" && err != nil || b.message != "" && (err == nil || !strings.Contains(err.Error(), b.message)) {
			t.Errorf("%v, want %q", err, b.message)
		}
	}
}
