package lint

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// page is a file of Markdown.
type page struct {
	path  string
	lines []string // of the file
	prose []string // the same without blocks of code
}

// markdown reads the files of Markdown of the tree.
func markdown(t *Tree) (all []page, err error) {
	for _, p := range t.Texts {
		if !strings.HasSuffix(p, ".md") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(t.Root, p))
		if err != nil {
			return nil, err
		}
		all = append(all, newPage(p, string(text)))
	}
	return all, nil
}

func newPage(path, text string) page {
	p := page{path: path, lines: strings.Split(text, "\n")}
	fence := ""
	for _, line := range p.lines {
		marks := strings.TrimLeft(line, " ")
		switch {
		case fence != "" && strings.HasPrefix(marks, fence):
			fence, line = "", ""
		case fence != "":
			line = ""
		case strings.HasPrefix(marks, "```"), strings.HasPrefix(marks, "~~~"):
			fence, line = marks[:3], ""
		}
		p.prose = append(p.prose, line)
	}
	return p
}

var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	linkOf     = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	anchorOf   = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	linkText   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// checkLinks reports links between files of the tree whose file, or heading, does not exist.
func checkLinks(t *Tree, all []page) (out []Finding) {
	anchors := map[string]map[string]bool{}
	for _, p := range all {
		anchors[p.path] = p.anchors()
	}
	for _, p := range all {
		for i, line := range p.prose {
			for _, m := range linkOf.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, "``"), -1) {
				if wrong := deadLink(t, p.path, m[1], anchors); wrong != "" {
					out = append(out, Finding{p.path, i + 1, wrong})
				}
			}
		}
	}
	return out
}

// deadLink describes the fault of a page's link, "" if it has none.
func deadLink(t *Tree, from, target string, anchors map[string]map[string]bool) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return "" // not of the tree
	}
	file, anchor, _ := strings.Cut(target, "#")
	to := from
	if file != "" {
		to = path.Join(path.Dir(from), file)
		if strings.HasPrefix(file, "/") {
			to = path.Clean(file[1:])
		}
	}
	if _, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(to))); err != nil || strings.HasPrefix(to, "../") {
		return fmt.Sprintf("links to %s, which does not exist", target)
	}
	if anchor != "" && anchors[to] != nil && !anchors[to][anchor] {
		return fmt.Sprintf("links to %s, and %s has no such heading", target, to)
	}
	return ""
}

// anchors are the anchors of a page's headings, as GitHub makes them, and those it sets itself.
func (p page) anchors() map[string]bool {
	out, used := map[string]bool{}, map[string]int{}
	for _, line := range p.prose {
		for _, m := range anchorOf.FindAllStringSubmatch(line, -1) {
			out[m[1]] = true
		}
		title := strings.TrimLeft(line, "#")
		if n := len(line) - len(title); n == 0 || n > 6 || !strings.HasPrefix(title, " ") {
			continue
		}
		a := slug(title)
		if n := used[a]; n > 0 {
			out[fmt.Sprintf("%s-%d", a, n)] = true
		} else {
			out[a] = true
		}
		used[a]++
	}
	return out
}

// slug is the anchor of a heading: lower case, blanks as hyphens, without punctuation.
func slug(title string) string {
	title = linkText.ReplaceAllString(strings.TrimSpace(title), "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			b.WriteRune(r)
		}
	}
	return b.String()
}
