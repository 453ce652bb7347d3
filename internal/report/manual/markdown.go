package manual

import (
	"fmt"
	"strings"
)

// Markdown is the page for the site; pages beside it have the name of their
// command with .md.
func (p Page) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```\n%s\n```\n", p.Command, plain(capital(p.Short)+"."), p.Usage)
	for _, block := range blocks(p.Long) {
		if block.literal {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.Join(block.lines, "\n"))
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", plain(strings.Join(block.lines, "\n")))
	}
	if len(p.Commands) > 0 {
		b.WriteString("\n## Commands\n\n| command | does |\n|---|---|\n")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, "| [`%s`](%s.md) | %s |\n", c.Command, name(c.Command), cell(c.Short))
		}
	}
	if len(p.Flags) > 0 {
		b.WriteString("\n## Options\n\n| option | does |\n|---|---|\n")
		for _, f := range p.Flags {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.spelled(), "|", `\|`), cell(f.told()))
		}
	}
	if p.Examples != "" {
		fmt.Fprintf(&b, "\n## Examples\n\n```\n%s\n```\n", p.Examples)
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n| | |\n|---|---|\n", s.Title)
		for _, i := range s.Items {
			fmt.Fprintf(&b, "| `%s` | %s |\n", i.Name, cell(i.Text))
		}
	}
	if len(p.See) > 0 {
		b.WriteString("\n## See also\n\n")
		for _, c := range p.See {
			fmt.Fprintf(&b, "- [%s](%s.md): %s\n", c.Command, name(c.Command), plain(c.Short))
		}
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(plain(text), "|", `\|`) }

// plain is text whose characters all stand for themselves in Markdown.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "`", "\\`").Replace(text)
}

// capital is text with a capital at its beginning.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
