package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	collectionName = "unchoke.net"
	roleName       = "unchoke"
)

const head = `# The collection's modules and role

<!-- Written by go run ./internal/tools/collection from the collection itself. -->

[ansible.md](ansible.md) says how they are used together.
`

// reference is the page of all modules and the role of a collection.
func reference(collection fs.FS) (string, error) {
	found, err := modules(collection)
	if err != nil {
		return "", err
	}
	points, err := entryPoints(collection, roleName)
	if err != nil {
		return "", err
	}
	var w strings.Builder
	w.WriteString(head)
	for _, m := range found {
		fmt.Fprintf(&w, "\n## Module %s.%s\n", collectionName, m.Name)
		m.body(&w, "parameter")
		fmt.Fprintf(&w, "\n```yaml\n%s```\n", strings.TrimPrefix(m.Examples, "\n"))
		if len(m.Return) > 0 {
			w.WriteString("\n| returns | type | when | |\n|---|---|---|---|\n")
			returned(&w, "", m.Return)
		}
	}
	for _, p := range points {
		title := collectionName + "." + roleName
		if p.Name != "main" {
			title += ", tasks_from: " + p.Name
		}
		fmt.Fprintf(&w, "\n## Role %s\n", title)
		p.body(&w, "variable")
	}
	return w.String(), nil
}

// body is what modules and entry points have alike.
func (e entry) body(w *strings.Builder, what string) {
	fmt.Fprintf(w, "\n%s.\n", plain(e.Short))
	for _, line := range e.Description {
		fmt.Fprintf(w, "\n%s\n", plain(line))
	}
	fmt.Fprintf(w, "\n| %s | type | default | |\n|---|---|---|---|\n", what)
	for _, o := range e.Options {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", o.Name, o.kind(), o.otherwise(), o.words())
	}
	for _, a := range e.Attributes {
		if a.Support != "" && a.Name != "platform" {
			fmt.Fprintf(w, "\n%s: %s. %s\n", strings.ReplaceAll(a.Name, "_", " "), a.Support, sentences(a.Details))
		}
	}
	for _, line := range e.Notes {
		fmt.Fprintf(w, "\n%s\n", plain(line))
	}
}

func returned(w *strings.Builder, above string, values options) {
	for _, v := range values {
		fmt.Fprintf(w, "| `%s%s` | %s | %s | %s |\n", above, v.Name, v.kind(), plain(v.Returned), sentences(v.Description))
		returned(w, above+v.Name+".", v.Contains)
	}
}

func (o option) kind() string {
	if o.Elements != "" {
		return o.Type + " of " + o.Elements
	}
	return o.Type
}

// otherwise is what counts where the option is left out.
func (o option) otherwise() string {
	switch d := o.Default.(type) {
	case nil:
		if o.Required {
			return "required"
		}
		return ""
	case []any:
		return ""
	case string:
		if d == "" {
			return "empty"
		}
	}
	return fmt.Sprintf("`%v`", o.Default)
}

func (o option) words() string {
	text := sentences(o.Description)
	if len(o.Choices) > 0 {
		var choices []string
		for _, c := range o.Choices {
			choices = append(choices, fmt.Sprintf("`%v`", c))
		}
		text += " One of " + strings.Join(choices, ", ") + "."
	}
	return text
}

func sentences(l lines) string {
	var out []string
	for _, line := range l {
		out = append(out, plain(line))
	}
	return strings.ReplaceAll(strings.Join(out, " "), "|", `\|`)
}

// markup is Ansible's: C(code), V(value), O(option), RV(returned value),
// M(module).
var markup = regexp.MustCompile(`\b(C|V|O|RV|M)\(([^)]*)\)`)

// plain is a text as Markdown.
func plain(text string) string {
	return strings.TrimSpace(markup.ReplaceAllString(text, "`$2`"))
}

// sortedMainFirst are a role's entry points, main before the others.
func sortedMainFirst(specs map[string]entry) []string {
	return slices.SortedFunc(maps.Keys(specs), func(a, b string) int {
		if a == "main" || b == "main" {
			return cmp.Compare(boolean(b == "main"), boolean(a == "main"))
		}
		return cmp.Compare(a, b)
	})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
