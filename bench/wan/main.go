package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"isochron/geo"
)

func main() {
	sites := flag.Int("sites", 3, "how many sites, 2 to 9")
	rtt := flag.Duration("rtt", 30*time.Millisecond, "round trip between any two sites")
	plan := flag.String("map", "", "a site for each region of this map, such as azure5 or a YAML FILE, with its round trips, instead of --sites and --rtt")
	scale := flag.Float64("map-scale", 1, "multiply the map's delays by this")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: wan [--sites 3] [--rtt 30ms] [--map MAP] COMMAND [ARGUMENT ...]\nexample: wan --rtt 30ms bash -c 'ip netns exec $WAN_NS_1 ping -c 3 $WAN_IP_2'")
		flag.PrintDefaults()
	}
	flag.Parse()
	spec := *plan
	if spec == "" {
		spec = fmt.Sprintf("uniform:%v:%d", *rtt, *sites)
	}
	wan, err := geo.Parse(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wan:", err)
		os.Exit(2)
	}
	if n := len(wan.Regions); flag.NArg() == 0 || n < 2 || n > 9 || !(*scale >= 0 && *scale <= 100) {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, wan.Scale(*scale), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wan:", err)
		os.Exit(1)
	}
}

// run makes the sites, runs the command among them, and takes them away again.
func run(ctx context.Context, wan geo.WAN, command []string) (err error) {
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
	cmd.Env, cmd.Stdout, cmd.Stderr = env, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	return cmd.Run()
}
