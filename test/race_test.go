//go:build race

package test

const underRace = true
