package accounts

import (
	"context"
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/account"
)

// Node is a statement about accounts, in the engine's trees and plans. The engine does not execute it.
type Node struct {
	Kind      string // its row of account.Rights
	Statement account.Statement
	Show      *account.ShowGrants // nil: it changes accounts
}

// Parse reads the first statement of a text if it is one about accounts that account.Read knows; nil: it is none. end is the
// place behind it.
func Parse(text string, ansiQuotes bool) (stmt sqlparser.Statement, end int, err error) {
	n := &Node{}
	if n.Statement, n.Kind, end, err = account.Read(text, ansiQuotes); err != nil {
		return nil, 0, err
	}
	if n.Statement == nil {
		if n.Show, end, err = account.ReadShowGrants(text, ansiQuotes); n.Show == nil || err != nil {
			return nil, 0, err
		}
		n.Kind = n.Show.Kind()
	}
	// The engine does not judge: account.Accounts does when the statement is executed.
	leave := sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE, TargetType: sqlparser.AuthTargetType_Ignore}
	return sqlparser.InjectedStatement{Auth: leave, Statement: n}, end, nil
}

var _ gms.ExecSourceRel = (*Node)(nil)

// WithResolvedChildren implements sqlparser.Injectable.
func (n *Node) WithResolvedChildren(context.Context, []any) (any, error) { return n, nil }

// String implements gms.Node.
func (n *Node) String() string { return n.Kind }

// Resolved implements gms.Node.
func (n *Node) Resolved() bool { return true }

// IsReadOnly implements gms.Node.
func (n *Node) IsReadOnly() bool { return n.Show != nil }

// Schema implements gms.Node.
func (n *Node) Schema(ctx *gms.Context) gms.Schema {
	if n.Show == nil {
		return types.OkResultSchema
	}
	who := ctx.Client()
	return gms.Schema{{Name: n.Show.Title(who.User, who.Address), Type: types.LongText}}
}

// Children implements gms.Node.
func (n *Node) Children() []gms.Node { return nil }

// WithChildren implements gms.Node.
func (n *Node) WithChildren(_ *gms.Context, children ...gms.Node) (gms.Node, error) {
	if len(children) > 0 {
		return nil, gms.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// RowIter implements gms.ExecSourceRel.
func (n *Node) RowIter(*gms.Context, gms.Row) (gms.RowIter, error) {
	return nil, fmt.Errorf("%s is not the engine's to execute", n.Kind)
}
