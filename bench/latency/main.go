package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
)

type config struct {
	wan   geo.WAN
	name  string // of the map, as given
	row   protocol.Row
	times int
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "latency: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	wanSpec := flag.String("wan", "azure5", "the map")
	scale := flag.Float64("wan-scale", 1, "multiply every delay by this")
	rowName := flag.String("protocol", protocol.Table()[0].Name, "the protocol row")
	times := flag.Int("times", 15, "how often each statement is run")
	flag.Parse()

	wan, err := geo.Parse(*wanSpec)
	if err != nil {
		return err
	}
	if len(wan.Regions) < 4 {
		return fmt.Errorf("the map %s has %d regions; four are needed", *wanSpec, len(wan.Regions))
	}
	row, err := protocol.LiveByName(*rowName)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "isochron-latency-")
	if err != nil {
		return err
	}
	err = measure(config{wan: wan.Scale(*scale), name: *wanSpec, row: row, times: *times}, dir)
	return errors.Join(err, os.RemoveAll(dir))
}

// measure starts a cluster in dir, measures, and prints.
func measure(cfg config, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	cluster, err := server.Start(ctx, server.Config{Dir: dir, WAN: cfg.wan, WANName: cfg.name, Row: cfg.row})
	if err != nil {
		return err
	}
	b := &bench{config: cfg}
	err = b.open(cluster)
	if err == nil {
		err = b.all(ctx)
	}
	return errors.Join(err, b.close(), cluster.Close())
}
