package main

import (
	"net"

	"isochron/txn"
)

type sqlServer interface{ Close() error }

func serveSQL(txn.DB, net.Listener) (sqlServer, error) { return nil, nil }
