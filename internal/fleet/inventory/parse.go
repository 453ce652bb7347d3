package inventory

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Parse reads a file of hosts: an Ansible inventory as INI, of which a plain list
// of names is one, or as YAML. The name tells which, and the first line where it
// does not. Errors are *Error.
func Parse(name string, b []byte) ([]Host, error) {
	fail := func(what string) ([]Host, error) { return nil, &Error{File: name, What: what} }
	switch {
	case len(b) > MaxFile:
		return fail("it is longer than 4 MiB")
	case !utf8.Valid(b):
		return fail("it is not UTF-8 text")
	case bytes.HasPrefix(b, []byte("#!")):
		return nil, &Error{File: name, What: "it is a program: inventories that are run are not read", hint: "ansible-inventory -i " + name + " --list --yaml --output hosts.yml writes what it says"}
	}
	t := newTree(name)
	var err error
	if isYAML(name, b) {
		err = t.readYAML(b)
	} else {
		err = t.readINI(string(b))
	}
	if err != nil {
		return nil, err
	}
	return t.hosts()
}

// mapping is a line that only YAML has: a key that ends it.
var mapping = regexp.MustCompile(`^[\w.-]+:$`)

func isYAML(name string, b []byte) bool {
	switch path.Ext(name) {
	case ".yml", ".yaml", ".json":
		return true
	case ".ini", ".cfg":
		return false
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		return line == "---" || strings.HasPrefix(line, "{") || mapping.MatchString(line)
	}
	return false
}
