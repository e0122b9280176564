// Package accounts is the door between sql/account and the engine: what the engine's parser and plans say of accounts, and how
// the engine stores, shows and lets in accounts.
//
// How it works. KindOf names a statement that the engine's parser has read; RefuseOptions refuses what it says and is not done.
// ALTER USER and SYSTEM_USER, which that parser does not know, are written otherwise in the text (WithCreateUser,
// WithSystemUser), and the statement is marked or corrected (MarkAlter, CorrectSystemUser). StatementOf is an engine's plan as
// a statement of sql/account. Codec reads and writes the stored form, which is the engine's, and has the engine's tables of
// users show it. AuthServer asks an account.Gate.
//
// What the caller owes it. A statement whose text was rewritten is marked before anything else is asked about it.
package accounts
