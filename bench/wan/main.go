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
)

func main() {
	sites := flag.Int("sites", 3, "how many sites, 2 to 9")
	rtt := flag.Duration("rtt", 30*time.Millisecond, "round trip between any two sites")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: wan [--sites 3] [--rtt 30ms] COMMAND [ARGUMENT ...]\nexample: wan --rtt 30ms bash -c 'ip netns exec $WAN_NS_1 ping -c 3 $WAN_IP_2'")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *sites < 2 || *sites > 9 || *rtt < 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *sites, *rtt, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wan:", err)
		os.Exit(1)
	}
}

// run makes the sites, runs the command among them, and takes them away again.
func run(ctx context.Context, n int, rtt time.Duration, command []string) (err error) {
	if os.Geteuid() != 0 {
		return errors.New("namespaces and TUN devices need root: run it as root")
	}
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
	carryAll(sites, rtt/2)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	return cmd.Run()
}
