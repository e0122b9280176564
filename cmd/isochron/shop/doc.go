// Package shop is a small shop over SQL: what the demo's clients do.
//
// How it works. Customers and their orders are at home in a region; products are spread over all.
// Most transactions are a home customer's order, whose rows are all led from the client's own
// region; some orders also take products off the shelf, or money moves between customers of two
// regions, so that a transaction spans the world. Nothing is created or lost by them, which Check
// verifies: money is either on a customer's account or in an order, and a product is either on the
// shelf or in an order line. It is plain SQL through database/sql: any database that speaks MySQL
// can run it.
//
// What the caller owes it. One *sql.DB for each region, connected to that
// region's port, with room for as many connections as there are clients. The
// database named in the connections exists. Check is run when no client is at work.
package shop
