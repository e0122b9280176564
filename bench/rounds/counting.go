package main

import (
	"context"
	"database/sql/driver"
)

// counting opens connections whose statements a meter measures.
type counting struct {
	driver.Connector
	meter *meter
}

// Connect implements driver.Connector.
func (c counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &counted{conn, c.meter}, nil
}

// counted is one connection.
type counted struct {
	driver.Conn
	meter *meter
}

// BeginTx implements driver.ConnBeginTx.
func (c *counted) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

// QueryContext implements driver.QueryerContext.
func (c *counted) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.meter.run(ctx, text, args, func() error {
		rows, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
		return err
	})
	return rows, err
}

// ExecContext implements driver.ExecerContext.
func (c *counted) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.meter.run(ctx, text, args, func() error {
		r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
		return err
	})
	return r, err
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *counted) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}
