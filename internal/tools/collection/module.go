package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// entry is what is documented of a module or of a role's entry point, in
// Ansible's words.
type entry struct {
	Name        string  `yaml:"-"`
	Short       string  `yaml:"short_description"`
	Description lines   `yaml:"description"`
	Options     options `yaml:"options"`
	Notes       lines   `yaml:"notes"`
	Attributes  options `yaml:"attributes"`
	Fragments   lines   `yaml:"extends_documentation_fragment"`
	Examples    string  `yaml:"-"`
	Return      options `yaml:"-"`
}

// option is one option, attribute or returned value.
type option struct {
	Name        string  `yaml:"-"`
	Description lines   `yaml:"description"`
	Type        string  `yaml:"type"`
	Elements    string  `yaml:"elements"`
	Required    bool    `yaml:"required"`
	Default     any     `yaml:"default"`
	Choices     []any   `yaml:"choices"`
	Returned    string  `yaml:"returned"`
	Support     string  `yaml:"support"`
	Details     lines   `yaml:"details"`
	Contains    options `yaml:"contains"`
}

// lines is a text or a list of texts.
type lines []string

func (l *lines) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = lines{node.Value}
		return nil
	}
	return node.Decode((*[]string)(l))
}

// options are in the order in which they are written.
type options []option

func (o *options) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: options are a mapping", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		one := option{Name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&one); err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		*o = append(*o, one)
	}
	return nil
}

// modules are those of a collection, in the order of their names.
func modules(collection fs.FS) ([]entry, error) {
	names, err := fs.Glob(collection, "plugins/modules/*.py")
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, name := range names {
		source, err := fs.ReadFile(collection, name)
		if err != nil {
			return nil, err
		}
		e, err := module(string(source))
		if err == nil {
			err = e.extend(collection)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		e.Name = strings.TrimSuffix(path.Base(name), ".py")
		out = append(out, e)
	}
	return out, nil
}

// module reads the documentation in a module's source.
func module(source string) (entry, error) {
	var e entry
	for _, part := range []struct {
		name string
		into any
	}{{"DOCUMENTATION", &e}, {"RETURN", &e.Return}} {
		text, err := literal(source, part.name)
		if err == nil {
			err = yaml.Unmarshal([]byte(text), part.into)
		}
		if err != nil {
			return e, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	var err error
	e.Examples, err = literal(source, "EXAMPLES")
	return e, err
}

// extend adds the options and attributes of the fragments that a module names, in
// their order, after its own.
func (e *entry) extend(collection fs.FS) error {
	for _, name := range e.Fragments {
		f, err := fragment(collection, name)
		if err != nil {
			return fmt.Errorf("fragment %s: %w", name, err)
		}
		e.Options = append(e.Options, f.Options...)
		e.Attributes = append(e.Attributes, f.Attributes...)
	}
	return nil
}

// fragment reads documentation that modules share: unchoke.net.FILE, or one part
// of it, unchoke.net.FILE.PART.
func fragment(collection fs.FS, name string) (entry, error) {
	var e entry
	rest, ours := strings.CutPrefix(name, collectionName+".")
	file, part, parted := strings.Cut(rest, ".")
	if !ours {
		return e, fmt.Errorf("it is of another collection than %s", collectionName)
	}
	if !parted {
		part = "DOCUMENTATION"
	}
	source, err := fs.ReadFile(collection, path.Join("plugins/doc_fragments", file+".py"))
	if err != nil {
		return e, err
	}
	text, err := literal(string(source), strings.ToUpper(part))
	if err != nil {
		return e, err
	}
	return e, yaml.Unmarshal([]byte(text), &e)
}

// literal is the text of a variable, of a module or of a class in it: a raw
// string in three quotation marks.
func literal(source, name string) (string, error) {
	begins := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(name) + ` = r"""\n`).FindStringIndex(source)
	if begins == nil {
		return "", fmt.Errorf("there is no %s = r\"\"\"…\"\"\"", name)
	}
	text, _, ended := strings.Cut(source[begins[1]:], "\"\"\"")
	if !ended {
		return "", fmt.Errorf("%s does not end", name)
	}
	return text, nil
}

// entryPoints are those of a role, main first.
func entryPoints(collection fs.FS, role string) ([]entry, error) {
	name := path.Join("roles", role, "meta/argument_specs.yml")
	text, err := fs.ReadFile(collection, name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Specs map[string]entry `yaml:"argument_specs"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []entry
	for _, point := range sortedMainFirst(file.Specs) {
		e := file.Specs[point]
		e.Name = point
		out = append(out, e)
	}
	return out, nil
}
