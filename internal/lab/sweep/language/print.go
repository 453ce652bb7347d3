package language

import (
	"encoding/json"
	"fmt"
	"strings"
)

// YAML is the file with its presets and common sections filled in: Parse makes
// the same grid of it, and the same file always gives the same bytes.
func (f File) YAML() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", f.Name)
	if f.Description != "" {
		fmt.Fprintf(&b, "description: %s\n", quoted(f.Description))
	}
	if f.UntilCI > 0 {
		fmt.Fprintf(&b, "until_ci: %s\n", f.UntilCI)
	}
	if f.Series > 0 {
		fmt.Fprintf(&b, "series: %s\n", f.Series)
	}
	if !f.Several {
		f.Sweeps[0].print(&b, "")
		return []byte(b.String())
	}
	b.WriteString("sweeps:\n")
	for _, s := range f.Sweeps {
		fmt.Fprintf(&b, "  - name: %s\n", s.Name)
		if s.Description != "" {
			fmt.Fprintf(&b, "    description: %s\n", quoted(s.Description))
		}
		s.print(&b, "    ")
	}
	return []byte(b.String())
}

func (s *Sweep) print(b *strings.Builder, indent string) {
	for _, words := range []vocabulary{trafficWords, pathWords, armWords} {
		if section := s.section(words); len(section.Settings) > 0 {
			fmt.Fprintf(b, "%s%s: %s\n", indent, words.section, section)
		}
	}
	if len(s.Exclude) > 0 {
		fmt.Fprintf(b, "%sexclude:\n", indent)
		for _, x := range s.Exclude {
			var parts []string
			for _, words := range []vocabulary{trafficWords, pathWords, armWords} {
				if section := x.section(words); len(section.Settings) > 0 {
					parts = append(parts, words.section+": "+section.String())
				}
			}
			fmt.Fprintf(b, "%s  - {%s}\n", indent, strings.Join(parts, ", "))
		}
	}
	fmt.Fprintf(b, "%srepeat: %d\n%sseed: %d\n", indent, s.Repeat, indent, s.Seed)
}

// String is the section as a YAML mapping on one line.
func (s Section) String() string {
	items := make([]string, len(s.Settings))
	for i, set := range s.Settings {
		values := make([]string, len(set.Values))
		for j, v := range set.Values {
			values[j] = scalar(v.Text)
		}
		text := strings.Join(values, ", ")
		if set.Axis {
			text = "[" + text + "]"
		}
		items[i] = set.Key + ": " + text
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// scalar quotes what YAML would not take as it stands.
func scalar(v string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.%/+-_"
	if v != "" && strings.Trim(v, plain) == "" && strings.Trim(v[:1], "%-+.") != "" && v != "null" && v != "Null" && v != "NULL" {
		return v
	}
	return quoted(v)
}

// quoted is a YAML string in double quotes, of which a JSON string is one.
func quoted(v string) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return string(text)
}
