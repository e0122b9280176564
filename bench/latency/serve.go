package main

import (
	"errors"
	"net"

	"isochron/geo"
	"isochron/server"
	"isochron/sql"
)

// ports are the MySQL ports of the regions.
type ports map[geo.Region]*sql.Server

func openPorts(cluster *server.Cluster, regions []geo.Region) (ports, error) {
	p := ports{}
	for _, r := range regions {
		port, err := sql.NewServer(cluster.DB(r), sql.Config{})
		if err != nil {
			return p, err
		}
		p[r] = port
	}
	return p, nil
}

func (p ports) addr(r geo.Region) net.Addr { return p[r].Addr() }

func (p ports) close() error {
	var errs []error
	for _, s := range p {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
