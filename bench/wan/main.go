package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"isochron/bench/command"
	"isochron/geo"
)

const usage = `A command among network namespaces that have the delays of a wide-area network between them; needs root.

  wan [flags] COMMAND [ARGUMENT ...]
  wan --rtt 30ms bash -c 'ip netns exec $WAN_NS_1 ping -c 3 $WAN_IP_2'
  wan --map azure5 --map-scale 0.2 bash -c 'ip netns exec $WAN_NS_1 ping -c 3 $WAN_IP_5'

Exit 1 if the command fails. Ctrl-C is handed on to it, and when it has ended nothing is left.`

// sitesMax is the maximal number of sites: a digit of a name and of an address.
const sitesMax = 9

func main() { command.Main("wan", run) }

// parse reads the flags and the command.
func parse(args []string, out io.Writer) (wan geo.WAN, run []string, err error) {
	f := command.NewFlags("wan", usage)
	sites := f.Int("sites", 3, "how many sites, 2 to 9")
	rtt := f.Duration("rtt", 30*time.Millisecond, "round trip between any two sites")
	plan := f.String("map", "", "a site for each region of this map, such as azure5 or a YAML FILE, with its round trips, instead of --sites and --rtt")
	scale := f.Float64("map-scale", 1, "multiply the map's delays by this")
	if err = f.ParseSome(args, out); err != nil {
		return wan, nil, err
	}
	spec := *plan
	if spec == "" {
		spec = fmt.Sprintf("uniform:%v:%d", *rtt, *sites)
	}
	if wan, err = geo.Parse(spec); err != nil {
		return wan, nil, command.Usage(err)
	}
	switch n := len(wan.Regions); {
	case f.NArg() == 0:
		err = command.Usagef("name a command to run; see --help")
	case n < 2 || n > sitesMax:
		err = command.Usagef("%s has %d sites; give 2 to %d", spec, n, sitesMax)
	case !(*scale >= 0 && *scale <= 100):
		err = command.Usagef("--map-scale %v: give a number up to 100", *scale)
	}
	return wan.Scale(*scale), f.Args(), err
}

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	wan, command, err := parse(args, out)
	if err != nil {
		return err
	}
	return among(ctx, wan, command, out, words)
}

// among makes the sites, runs the command among them, and takes them away again.
func among(ctx context.Context, wan geo.WAN, command []string, out, words io.Writer) (err error) {
	if os.Geteuid() != 0 {
		return errors.New("namespaces and TUN devices need root: run it as root")
	}
	n := len(wan.Regions)
	var sites []*site
	defer func() {
		for _, s := range sites {
			err = errors.Join(err, s.remove())
		}
	}()
	env := append(os.Environ(), fmt.Sprint("WAN_SITES=", n))
	for i := 1; i <= n; i++ {
		s, err := newSite(i)
		if s != nil {
			sites = append(sites, s)
		}
		if err != nil {
			return err
		}
		env = append(env, fmt.Sprintf("WAN_NS_%d=%s", i, s.name), fmt.Sprintf("WAN_IP_%d=%s", i, s.address))
	}
	carryAll(sites, func(from, to *site) time.Duration {
		return wan.RTT(wan.Regions[from.number-1], wan.Regions[to.number-1]) / 2
	})
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, out, words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	return cmd.Run()
}
