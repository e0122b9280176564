// Package accounts is the door between sql/account and the engine: how statements about accounts go through its parser and
// plans, and how it stores, shows and lets in accounts.
//
// How it works. Parse has account.Read read a statement about accounts, and gives it to the engine as a node that goes through
// trees and plans unchanged. KindOf names all other statements, by what the engine's parser has read. Codec reads and
// writes the stored form, which is the engine's, and has the engine's tables of users show it. AuthServer asks an
// account.Gate.
//
// What the caller owes it. Parse is asked before the engine's parser; a statement about accounts that comes from that is refused,
// as no kind has its row. A Node is executed by account.Accounts.Change.
package accounts
