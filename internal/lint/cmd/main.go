package main

import (
	"fmt"
	"os"
	"path/filepath"

	"isochron/internal/lint"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "words" {
		text, err := lint.WordsReport(root, append(args, "")[1])
		fmt.Print(text)
		return err
	}
	tree, err := lint.Read(root)
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "prose" {
		text, err := lint.ProseReport(tree)
		fmt.Print(text)
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("there is no %q: words, prose, or nothing for the checks", args[0])
	}
	found, err := lint.Check(tree)
	if err != nil {
		return err
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d findings", len(found))
	}
	return nil
}

// moduleRoot is the directory of go.mod, from this one upward.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod here or above")
		}
		dir = up
	}
}
