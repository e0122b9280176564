package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"isochron/server/delay"
)

const usage = `usage: delay LISTEN=TARGET=RTT ...
example: delay 127.0.0.1:6401=127.0.0.1:5432=27ms 127.0.0.1:6402=127.0.0.1:3306=251ms
         delay --measure 100 27ms 73ms 251ms        round trips to an echo, over each delay`

func main() {
	measure := flag.Int("measure", 0, "make so many round trips over each delay that is named, and say how long they took")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errors.New(usage)
	switch {
	case flag.NArg() == 0:
	case *measure > 0:
		err = measureAll(flag.Args(), *measure)
	default:
		err = serve(ctx, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "delay:", err)
		os.Exit(1)
	}
}

// serve opens the links, and closes them when ctx ends.
func serve(ctx context.Context, links []string) (err error) {
	var open []*delay.Proxy
	defer func() {
		for _, p := range open {
			err = errors.Join(err, p.Close())
			fmt.Printf("%s: %v\n", p.Addr(), p.Lateness())
		}
	}()
	for _, link := range links {
		parts := strings.Split(link, "=")
		if len(parts) != 3 {
			return fmt.Errorf("%q is no LISTEN=TARGET=RTT", link)
		}
		rtt, err := time.ParseDuration(parts[2])
		if err != nil {
			return err
		}
		p, err := delay.Listen(parts[0], parts[1], rtt)
		if err != nil {
			return err
		}
		open = append(open, p)
		fmt.Printf("%s leads to %s with a round trip of %v\n", p.Addr(), parts[1], rtt)
	}
	<-ctx.Done()
	return nil
}

// measureAll says how long round trips take over each delay.
func measureAll(delays []string, times int) error {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer echo.Close()
	go answer(echo)
	for _, text := range delays {
		rtt, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		took, late, err := measureOne(echo.Addr().String(), rtt, times)
		if err != nil {
			return err
		}
		slices.Sort(took)
		at := func(percent int) time.Duration {
			return took[min(len(took)-1, len(took)*percent/100)].Round(10 * time.Microsecond)
		}
		fmt.Printf("%v: %v in the middle, %v at the 99th percentile, %v at most; %v\n", rtt, at(50), at(99), at(100), late)
	}
	return nil
}

func measureOne(echo string, rtt time.Duration, times int) (took []time.Duration, late delay.Lateness, err error) {
	p, err := delay.Listen("127.0.0.1:0", echo, rtt)
	if err != nil {
		return nil, late, err
	}
	defer p.Close()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		return nil, late, err
	}
	defer c.Close()
	word := make([]byte, 100)
	for n := range times + 1 {
		begun := time.Now()
		if _, err = c.Write(word); err == nil {
			_, err = io.ReadFull(c, word)
		}
		if err != nil {
			return nil, late, err
		}
		if n > 0 { // the first waits for the connection
			took = append(took, time.Since(begun))
		}
	}
	return took, p.Lateness(), nil
}

// answer sends back what comes.
func answer(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_, _ = io.Copy(c, c) // until the other side is gone
		}()
	}
}
