package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"isochron/cmd/isochron/shop"
	"isochron/geo"
	"isochron/txn"
)

// sqlPorts are the regions' MySQL ports, and this process's own connections to them.
type sqlPorts struct {
	regions   []geo.Region
	listeners map[geo.Region]net.Listener
	servers   []sqlServer
	clients   map[geo.Region]*sql.DB // connected to the shop's database
}

// claimPorts takes a port of the loopback interface for each region, from first
// on; 0 takes any free ones. Nobody is served yet.
func claimPorts(regions []geo.Region, first int) (*sqlPorts, error) {
	p := &sqlPorts{regions: regions, listeners: map[geo.Region]net.Listener{}, clients: map[geo.Region]*sql.DB{}}
	for i, r := range regions {
		port := first
		if first != 0 {
			port += i
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("port %d for region %s cannot be had: %w (choose others with --port)", port, r, err), p.close())
		}
		p.listeners[r] = l
	}
	return p, nil
}

// port is a region's port.
func (p *sqlPorts) port(r geo.Region) int { return p.listeners[r].Addr().(*net.TCPAddr).Port }

// serve opens the ports for clients.
func (p *sqlPorts) serve(db func(geo.Region) txn.DB) error {
	for _, r := range p.regions {
		s, err := serveSQL(db(r), p.listeners[r])
		if err != nil {
			return fmt.Errorf("the MySQL port %d of region %s cannot be served: %w", p.port(r), r, err)
		}
		p.servers = append(p.servers, s)
	}
	return nil
}

// connect opens a pool of connections to a region; database may be "".
func (p *sqlPorts) connect(r geo.Region, database string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", p.listeners[r].Addr().String(), database
	cfg.InterpolateParams = true    // one round trip to the gateway for each statement
	cfg.Logger = &mysql.NopLogger{} // errors are returned; a log of them would garble the screen
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// createDatabase makes the shop's database and connects to it in every region.
func (p *sqlPorts) createDatabase(ctx context.Context) error {
	db, err := p.connect(p.regions[0], "")
	if err != nil {
		return err
	}
	err = shop.CreateDatabase(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	for _, r := range p.regions {
		if p.clients[r], err = p.connect(r, shop.Name); err != nil {
			return err
		}
	}
	return nil
}

// pools are the connections to the shop, enough for so many clients in each region.
func (p *sqlPorts) pools(clients int) map[geo.Region]*sql.DB {
	for _, db := range p.clients {
		db.SetMaxOpenConns(clients + 1)
		db.SetMaxIdleConns(clients + 1)
	}
	return p.clients
}

// close ends the connections, then the ports.
func (p *sqlPorts) close() error {
	var errs []error
	for _, db := range p.clients {
		errs = append(errs, db.Close())
	}
	for _, s := range p.servers {
		errs = append(errs, s.Close())
	}
	for _, l := range p.listeners {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) { // a server closes its own
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
