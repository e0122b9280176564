// Package account has the users of a cluster: who may log in, what each account holds, who may
// change it, and how much of a node it takes. It knows the engine only through a Codec.
//
// How it works. All accounts are one value of the catalogue, in a form that a Codec reads and writes. Accounts keeps a Book
// of it, which logins and checks ask; the Codec has the engine's table of users show it. Read reads a Statement about accounts,
// and refuses options that are not done: GRANT and REVOKE, and what creates, alters and drops users and roles. Grants are the lines of a SHOW GRANTS. A Statement changes
// a copy inside a transaction of the catalogue (Accounts.Change), where it is also judged: no account becomes
// stronger by making or changing another. A Gate lets clients in. Before it refuses a name or
// a password it asks the catalogue's leader once, for the account may be new. A failed login is
// logged, counted and answered late.
//
// Rights is the table of all kinds of statements with the privileges that each needs; a kind
// without a row is refused. A Holder is an account with what it holds at one time, and answers
// whether that is enough for tables, databases, procedures and sessions, by their names. Shares
// bound the connections, memory and prepared statements of one account.
//
// Invariant: a Book, its accounts and their Holdings do not change; a change makes copies.
//
// What the caller owes it.
//
//  1. Each statement is named, and its row of Rights is held against a Holder, when it is parsed and again when it is
//     executed after having been prepared (sql/legacy/accounts names those of the engine's parser).
//  2. Follow or Refresh is called before each statement, or it sees old grants.
//  3. What is taken of a Share is given back.
package account
