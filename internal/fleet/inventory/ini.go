package inventory

import (
	"strings"
)

// readINI reads Ansible's INI format: hosts a line, under [group],
// [group:children] and [group:vars].
func (t *tree) readINI(text string) error {
	section, kind := ungrouped, "hosts"
	line := 0
	for raw := range strings.Lines(text) {
		line++
		content := strings.TrimSpace(raw)
		if content == "" || content[0] == '#' || content[0] == ';' {
			continue
		}
		if content[0] == '[' {
			var err error
			if section, kind, err = t.section(content, line); err != nil {
				return err
			}
			continue
		}
		if err := t.line(content, section, kind, line); err != nil {
			return err
		}
	}
	return nil
}

// section reads [name] or [name:kind].
func (t *tree) section(content string, line int) (name, kind string, err error) {
	inner, after, closed := strings.Cut(content[1:], "]")
	if after = strings.TrimSpace(after); !closed || after != "" && after[0] != '#' && after[0] != ';' {
		return "", "", t.errorf(line, "%.80q is no [group]", content)
	}
	name, kind, special := strings.Cut(inner, ":")
	if !special {
		kind = "hosts"
	}
	switch {
	case name == "" || !only(name, "._-"):
		return "", "", t.errorf(line, "%.80q is no group's name", name)
	case kind != "hosts" && kind != "vars" && kind != "children":
		return "", "", t.errorf(line, "[%s:…] takes vars or children, not %.40q", name, kind)
	}
	t.group(name, line)
	return name, kind, nil
}

func (t *tree) line(content, section, kind string, line int) error {
	if kind == "vars" {
		key, v, ok := strings.Cut(content, "=")
		if !ok {
			return t.errorf(line, "%.80q is no NAME=VALUE", content)
		}
		t.groups[section].vars[strings.TrimSpace(key)] = value{unquote(strings.TrimSpace(v)), line}
		return nil
	}
	words, err := fields(content)
	if err != nil {
		return t.errorf(line, "%v", err)
	}
	if len(words) == 0 {
		return nil
	}
	if kind == "children" {
		if len(words) > 1 || !only(words[0], "._-") {
			return t.errorf(line, "%.80q is no group's name", content)
		}
		t.group(words[0], line)
		t.groups[section].children[words[0]] = true
		return nil
	}
	given := vars{}
	for _, w := range words[1:] {
		key, v, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return t.errorf(line, "%.80q is no NAME=VALUE", w)
		}
		given[key] = value{v, line}
	}
	pattern := words[0]
	// host:port is Ansible's older form; an address of IPv6 has more colons.
	if name, port, ok := strings.Cut(pattern, ":"); ok && !strings.Contains(port, ":") && !strings.ContainsAny(name, "[/") {
		if _, err := parsePort(port); err != nil {
			return t.errorf(line, "%v", err)
		}
		pattern = name
		if _, ok := given[portVars[0]]; !ok {
			given[portVars[0]] = value{port, line}
		}
	}
	return t.add(pattern, section, line, given)
}

// unquote takes off the quotes around a value.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
