package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"isochron/bench/command"
	"isochron/server/delay"
)

const usage = `Links with the delay of a wide-area network before servers, until Ctrl-C; or, with --measure, what
a delay asked for is on this machine.

  delay [flags] LISTEN=TARGET=RTT ...
  delay 127.0.0.1:6401=127.0.0.1:5432=27ms 127.0.0.1:6402=127.0.0.1:3306=251ms
  delay --measure 100 27ms 73ms 251ms        round trips to an echo, over each delay`

func main() { command.Main("delay", run) }

// run is the whole command.
func run(ctx context.Context, args []string, out, _ io.Writer) error {
	f := command.NewFlags("delay", usage)
	measure := f.Int("measure", 0, "make so many round trips over each delay that is named, and say how long they took")
	asJSON := f.Bool("json", false, "print a JSON object for each link or delay, and nothing else")
	if err := f.ParseSome(args, out); err != nil {
		return err
	}
	t := reporter{out, *asJSON}
	switch {
	case f.NArg() == 0:
		return command.Usagef("name a link, or a delay to measure; see --help")
	case *measure > 0:
		return t.measureAll(ctx, f.Args(), *measure)
	}
	return t.serve(ctx, f.Args())
}

// reporter prints the results.
type reporter struct {
	out    io.Writer
	asJSON bool
}

// report prints a line for people, or an object.
func (t reporter) report(object any, format string, args ...any) error {
	if t.asJSON {
		return json.NewEncoder(t.out).Encode(object)
	}
	_, err := fmt.Fprintf(t.out, format+"\n", args...)
	return err
}

// lateness is the lateness of a link, in milliseconds.
type lateness struct {
	Pieces int64   `json:"pieces"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func latenessOf(l delay.Lateness) lateness {
	return lateness{int64(l.Pieces), millis(l.P50), millis(l.P99), millis(l.Max)}
}

// link is a requested link: LISTEN=TARGET=RTT.
type link struct {
	listen, target string
	rtt            time.Duration
}

func parseLinks(texts []string) (links []link, err error) {
	for _, text := range texts {
		parts := strings.Split(text, "=")
		if len(parts) != 3 {
			return nil, command.Usagef("%q is no LISTEN=TARGET=RTT", text)
		}
		rtt, err := time.ParseDuration(parts[2])
		if err != nil {
			return nil, command.Usage(err)
		}
		links = append(links, link{parts[0], parts[1], rtt})
	}
	return links, nil
}

// serve opens the links, and closes them when ctx ends.
func (t reporter) serve(ctx context.Context, texts []string) (err error) {
	links, err := parseLinks(texts)
	if err != nil {
		return err
	}
	var open []*delay.Proxy
	defer func() {
		for _, p := range open {
			err = errors.Join(err, p.Close(), t.report(struct {
				Listen string   `json:"listen"`
				Late   lateness `json:"late"`
			}{p.Addr(), latenessOf(p.Lateness())}, "%s: %v", p.Addr(), p.Lateness()))
		}
	}()
	for _, l := range links {
		p, err := delay.Listen(l.listen, l.target, l.rtt)
		if err != nil {
			return err
		}
		open = append(open, p)
		if err := t.report(struct {
			Listen string  `json:"listen"`
			Target string  `json:"target"`
			RTT    float64 `json:"rtt_ms"`
		}{p.Addr(), l.target, millis(l.rtt)}, "%s leads to %s with a round trip of %v", p.Addr(), l.target, l.rtt); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// measureAll prints the length of round trips over each delay.
func (t reporter) measureAll(ctx context.Context, delays []string, times int) error {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer echo.Close()
	go answer(echo)
	for _, text := range delays {
		rtt, err := time.ParseDuration(text)
		if err != nil {
			return command.Usage(err)
		}
		took, late, err := measureOne(ctx, echo.Addr().String(), rtt, times)
		if err != nil {
			return err
		}
		slices.Sort(took)
		at := func(percent int) time.Duration {
			return took[min(len(took)-1, len(took)*percent/100)].Round(10 * time.Microsecond)
		}
		if err := t.report(struct {
			RTT  float64  `json:"rtt_ms"`
			P50  float64  `json:"p50_ms"`
			P99  float64  `json:"p99_ms"`
			Max  float64  `json:"max_ms"`
			Late lateness `json:"late"`
		}{millis(rtt), millis(at(50)), millis(at(99)), millis(at(100)), latenessOf(late)},
			"%v: %v in the middle, %v at the 99th percentile, %v at most; %v", rtt, at(50), at(99), at(100), late); err != nil {
			return err
		}
	}
	return nil
}

func measureOne(ctx context.Context, echo string, rtt time.Duration, times int) (took []time.Duration, late delay.Lateness, err error) {
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
		if ctx.Err() != nil {
			return nil, late, ctx.Err()
		}
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

// answer sends received bytes back.
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
