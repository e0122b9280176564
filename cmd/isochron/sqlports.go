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
	isosql "isochron/sql"
	"isochron/txn"
)

// sqlPorts are the regions' MySQL ports, and this process's own connections to them.
type sqlPorts struct {
	regions []geo.Region
	servers map[geo.Region]*isosql.Server
	clients map[geo.Region]*sql.DB // connected to the shop's database
}

// loopback is the only interface that the demo listens on.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// checkPorts checks before anything is started that ports are free. first 0 is any free ports, of
// which there are enough.
func checkPorts(regions []geo.Region, first int) error {
	if first == 0 {
		return nil
	}
	for i, r := range regions {
		l, err := net.Listen("tcp", loopback(first+i))
		if err != nil {
			return fmt.Errorf("cannot listen on port %d for region %s: %w (choose other ports with --port)", first+i, r, err)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// openPorts opens a port for each region, from first on; 0: any free ones.
func openPorts(regions []geo.Region, first int, db func(geo.Region) txn.DB, watch func(geo.Region) isosql.Observer) (*sqlPorts, error) {
	p := &sqlPorts{regions: regions, servers: map[geo.Region]*isosql.Server{}, clients: map[geo.Region]*sql.DB{}}
	for i, r := range regions {
		port := first
		if first != 0 {
			port += i
		}
		s, err := isosql.NewServer(db(r), isosql.Config{Address: loopback(port), Observer: watch(r)})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cannot open the MySQL port of region %s: %w", r, err), p.close())
		}
		p.servers[r] = s
	}
	return p, nil
}

// port is a region's port.
func (p *sqlPorts) port(r geo.Region) int { return p.servers[r].Addr().(*net.TCPAddr).Port }

// connect opens a pool of connections to a region; database may be "".
func (p *sqlPorts) connect(r geo.Region, database string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", p.servers[r].Addr().String(), database
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
	return errors.Join(errs...)
}
