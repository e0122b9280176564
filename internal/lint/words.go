package lint

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// wordsBaseline is the last commit before the names were changed.
const wordsBaseline = "20c3a2c"

//go:embed words.tsv
var wordsTable string

// Word is one row of words.tsv: phrases that are to become a plain word.
type Word struct {
	Table   string // A: identifiers, compared by case; B: prose, not compared by case
	Phrases []string
	Plain   string
}

// Words reads words.tsv.
func Words() (all []Word, err error) {
	for i, line := range strings.Split(strings.TrimSpace(wordsTable), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] != "A" && f[0] != "B" {
			return nil, fmt.Errorf("words.tsv:%d: want a table, A or B, phrases and a plain word", i+1)
		}
		all = append(all, Word{Table: f[0], Phrases: strings.Split(f[1], " | "), Plain: f[2]})
	}
	return all, nil
}

// PhrasesIn returns the phrases of table B that occur in a text, each with its plain word.
func PhrasesIn(text string, words []Word) (found []string) {
	for _, w := range words {
		for _, p := range w.Phrases {
			c := new(corpus)
			c.add(inDocs, text)
			if w.Table == "B" && c.count([]Word{{w.Table, []string{p}, w.Plain}})[0].all() > 0 {
				found = append(found, fmt.Sprintf("%q (write: %s)", p, w.Plain))
			}
		}
	}
	return found
}

// Where a phrase can occur.
const (
	inCode = iota // identifiers of Go
	inComments
	inStrings // of Go
	inDocs    // written by hand
	places
)

// counts are occurrences by place.
type counts [places]int

func (c counts) all() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// corpus is the text of a tree as tokens: words, and what ends a phrase.
type corpus [places][]string

// tokenOf is a flag, a word, or a mark over which no phrase goes.
var tokenOf = regexp.MustCompile(`--[a-z][-a-z0-9]*|[\pL_][\pL\pN_]*(?:'[a-z]+)?|[.;:,()!?|]`)

// gap ends every phrase.
const gap = "\x00"

func (c *corpus) add(place int, text string) {
	c[place] = append(c[place], tokenOf.FindAllString(text, -1)...)
}

// addGo reads a Go file. Comments that follow each other are one text.
func (c *corpus) addGo(text []byte) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	next := 0 // the line on which a comment would continue
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.COMMENT:
			line := file.Line(pos)
			if line != next {
				c[inComments] = append(c[inComments], gap)
			}
			next = line + strings.Count(lit, "\n") + 1
			c.add(inComments, strings.TrimPrefix(lit, "//"))
			continue
		case token.STRING:
			c.add(inStrings, lit)
			c[inStrings] = append(c[inStrings], gap)
		case token.IDENT:
			c[inCode] = append(c[inCode], lit)
		case token.PERIOD:
			c[inCode] = append(c[inCode], ".")
		default:
			c[inCode] = append(c[inCode], gap)
		}
	}
}

// addFile adds a file of the tree that people write.
func (c *corpus) addFile(path string, text []byte) {
	switch {
	case strings.HasSuffix(path, ".go"):
		c.addGo(text)
	case handWritten(path):
		c.add(inDocs, string(text))
		c[inDocs] = append(c[inDocs], gap)
	}
}

// formerlyGenerated are pages made by commands, where they were at first.
var formerlyGenerated = map[string]bool{"docs/CLAIMS.md": true, "docs/DIALECTS.md": true, "docs/RULES.md": true}

// handWritten reports whether a file is a page that no command makes.
func handWritten(path string) bool {
	return strings.HasSuffix(path, ".md") && !strings.HasPrefix(path, generatedDir+"/") && !formerlyGenerated[path]
}

// generatedDir has the pages that commands make.
const generatedDir = "docs/generated"

// count counts the words' phrases in a corpus.
func (c *corpus) count(words []Word) []counts {
	type phrase struct {
		tokens []string
		word   int
	}
	exact, lower := map[string][]phrase{}, map[string][]phrase{}
	for i, w := range words {
		by := exact
		if w.Table == "B" {
			by = lower
		}
		for _, p := range w.Phrases {
			if tokens := tokenOf.FindAllString(p, -1); len(tokens) > 0 {
				by[tokens[0]] = append(by[tokens[0]], phrase{tokens, i})
			}
		}
	}
	out := make([]counts, len(words))
	for place := range c {
		tokens := c[place]
		for at := range tokens {
			for _, p := range exact[tokens[at]] {
				if hasPrefix(tokens[at:], p.tokens, false) {
					out[p.word][place]++
				}
			}
			if place == inCode {
				continue // prose has none
			}
			for _, p := range lower[strings.ToLower(tokens[at])] {
				if hasPrefix(tokens[at:], p.tokens, true) {
					out[p.word][place]++
				}
			}
		}
	}
	return out
}

func hasPrefix(tokens, phrase []string, fold bool) bool {
	if len(tokens) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		if tokens[i] != p && (!fold || !strings.EqualFold(tokens[i], p)) {
			return false
		}
	}
	return true
}

// readCorpus reads the tree below root.
func readCorpus(root string) (*corpus, error) {
	t, err := Read(root)
	if err != nil {
		return nil, err
	}
	c := new(corpus)
	for _, f := range t.Files {
		c.addFile(f.Path, f.text)
	}
	for _, path := range t.Texts {
		if !strings.HasSuffix(path, ".md") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		c.addFile(path, text)
	}
	return c, nil
}

// readCorpusOf reads the tree of a commit of the clone at root.
func readCorpusOf(root, commit string) (*corpus, error) {
	cmd := exec.Command("git", "archive", "--format=tar", commit)
	cmd.Dir = root
	archive, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git archive %s failed: %w", commit, err)
	}
	c := new(corpus)
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(h.Name, ".go") && !strings.HasSuffix(h.Name, ".md") {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		c.addFile(h.Name, text)
	}
}

// WordsReport is the state of the language as a page: how often each phrase of words.tsv occurred in
// commit, "" for the one before the names were changed, and how often it does now.
func WordsReport(root, commit string) (string, error) {
	if commit == "" {
		commit = wordsBaseline
	}
	words, err := Words()
	if err != nil {
		return "", err
	}
	then, err := readCorpusOf(root, commit)
	if err != nil {
		return "", err
	}
	now, err := readCorpus(root)
	if err != nil {
		return "", err
	}
	before, after := then.count(words), now.count(words)
	var b strings.Builder
	fmt.Fprintf(&b, "# Words\n\nOccurrences in %s and now: identifiers of Go, comments, strings of Go, pages written by hand.\n"+
		"A name or word that has another, sound meaning too is counted with it.\n", commit)
	for _, table := range []struct{ name, title string }{{"A", "Identifiers and public names"}, {"B", "Prose"}} {
		fmt.Fprintf(&b, "\n## %s. %s\n\n| phrase | plain | before | code | comments | strings | docs | now | code | comments | strings | docs |\n"+
			"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", table.name, table.title)
		var was, is counts
		for i, w := range words {
			if w.Table != table.name {
				continue
			}
			for place := range places {
				was[place] += before[i][place]
				is[place] += after[i][place]
			}
			writeWord(&b, strings.Join(w.Phrases, ", "), w.Plain, before[i], after[i])
		}
		writeWord(&b, "**all**", "", was, is)
	}
	return b.String(), nil
}

func writeWord(b *strings.Builder, phrase, plain string, before, after counts) {
	fmt.Fprintf(b, "| %s | %s |", phrase, plain)
	for _, c := range []counts{before, after} {
		fmt.Fprintf(b, " %d |", c.all())
		for _, n := range c {
			fmt.Fprintf(b, " %d |", n)
		}
	}
	b.WriteByte('\n')
}

// records are pages that report measurements or a decision with its measurements: they are as long
// as their measurements, and are summed apart from the pages that explain.
var records = map[string]bool{
	"docs/inside/decisions/sql-core.md": true,
	"sql/exec/DESIGN.md":                true,
	"docs/laboratory/bonspiel.md":       true,
	"docs/laboratory/d2pc.md":           true,
	"docs/laboratory/geotp.md":          true,
	"docs/laboratory/natto.md":          true,
	"docs/laboratory/performance.md":    true,
	"docs/laboratory/txsql.md":          true,
}

// ProseReport lists the pages that are written by hand with their numbers of words, and two sums: of
// records of measurement, and of all other pages. It fails nothing: a page is as long as its reader
// needs.
func ProseReport(t *Tree) (string, error) {
	var b strings.Builder
	measured, others := 0, 0
	for _, path := range t.Texts {
		if !handWritten(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(t.Root, path))
		if err != nil {
			return "", err
		}
		n := len(strings.FieldsFunc(string(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '-' && r != '_'
		}))
		fmt.Fprintf(&b, "%7d %s\n", n, path)
		if records[path] {
			measured += n
		} else {
			others += n
		}
	}
	fmt.Fprintf(&b, "%7d words in records of measurement\n%7d words in other pages that are written by hand\n", measured, others)
	return b.String(), nil
}
