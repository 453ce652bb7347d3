package inventory

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readYAML reads Ansible's YAML format: groups with hosts, vars and children.
func (t *tree) readYAML(b []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return t.errorf(0, "it is not YAML: %v", oneLine(err))
	}
	if len(doc.Content) == 0 {
		return nil
	}
	r := &reader{tree: t}
	return r.groups(doc.Content[0], "", 0)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// reader walks the nodes; an alias counts as what it stands for.
type reader struct {
	*tree
	nodes int
}

// pairs are the keys and values of a mapping; none of an empty value.
func (r *reader) pairs(n *yaml.Node, depth int, f func(key, val *yaml.Node) error) error {
	n, err := r.real(n, depth)
	if err != nil {
		return err
	}
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!null" || n.Value == "") {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return r.errorf(n.Line, "a mapping is expected here")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return r.errorf(key.Line, "a name is expected here")
		}
		if key.Tag == "!!merge" || key.Value == "<<" {
			return r.errorf(key.Line, "merge keys (<<) are not read here")
		}
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

var errTooMuch = errors.New("it is nested too deep, or has too much in it")

// real follows aliases.
func (r *reader) real(n *yaml.Node, depth int) (*yaml.Node, error) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, r.errorf(n.Line, "%v", errTooMuch)
	}
	if n.Kind == yaml.AliasNode {
		return r.real(n.Alias, depth+1)
	}
	return n, nil
}

// groups reads a mapping of groups, within a parent or at the top.
func (r *reader) groups(n *yaml.Node, parent string, depth int) error {
	return r.pairs(n, depth, func(key, val *yaml.Node) error {
		name := key.Value
		if name == "" || !only(name, "._-") {
			return r.errorf(key.Line, "%.80q is no group's name", name)
		}
		r.group(name, key.Line)
		if parent != "" {
			r.tree.groups[parent].children[name] = true
		}
		return r.one(name, val, depth+1)
	})
}

// one reads what is in a group.
func (r *reader) one(name string, n *yaml.Node, depth int) error {
	return r.pairs(n, depth, func(key, val *yaml.Node) error {
		switch key.Value {
		case "hosts":
			return r.hostsOf(name, val, depth+1)
		case "vars":
			found, err := r.vars(val, depth+1)
			if err != nil {
				return err
			}
			maps.Copy(r.tree.groups[name].vars, found)
			return nil
		case "children":
			return r.groups(val, name, depth+1)
		}
		return r.errorf(key.Line, "a group has hosts, vars and children, not %.40q", key.Value)
	})
}

func (r *reader) hostsOf(group string, n *yaml.Node, depth int) error {
	return r.pairs(n, depth, func(key, val *yaml.Node) error {
		if r.nodes++; r.nodes > maxNodes {
			return r.errorf(key.Line, "%v", errTooMuch)
		}
		given, err := r.vars(val, depth+1)
		if err != nil {
			return err
		}
		return r.add(key.Value, group, key.Line, given)
	})
}

// vars reads variables. Of those that are no text only the ones that matter here
// are an error.
func (r *reader) vars(n *yaml.Node, depth int) (vars, error) {
	out := vars{}
	err := r.pairs(n, depth, func(key, val *yaml.Node) error {
		val, err := r.real(val, depth+1)
		if err != nil {
			return err
		}
		if !isMatter(key.Value) {
			return nil
		}
		if val.Kind != yaml.ScalarNode || strings.HasPrefix(val.Tag, "!vault") {
			return r.errorf(val.Line, "%s is no plain text", key.Value)
		}
		if val.Tag != "!!null" {
			out[key.Value] = value{val.Value, val.Line}
		}
		return nil
	})
	return out, err
}

func isMatter(name string) bool {
	return slices.Contains(matter, name)
}
