package inventory

import (
	"fmt"
	"maps"
	"slices"
)

// tree is an inventory as it was read: groups in groups, and hosts in them.
type tree struct {
	file   string
	groups map[string]*group
	order  []string // of hosts, as they came
	known  map[string]*member
	named  int // hosts that lines named, the same one perhaps often
}

type member struct {
	line   int
	groups map[string]bool
	vars   vars
}

// group is one, with its own variables.
type group struct {
	line     int
	hosts    map[string]bool
	children map[string]bool
	vars     vars
}

// vars are variables; the line is where each was set.
type vars map[string]value

type value struct {
	text string
	line int
}

// Groups that Ansible has by itself.
const (
	all       = "all"
	ungrouped = "ungrouped"
)

func newTree(file string) *tree {
	t := &tree{file: file, groups: map[string]*group{}, known: map[string]*member{}}
	t.group(all, 0)
	return t
}

func (t *tree) errorf(line int, format string, args ...any) *Error {
	return &Error{File: t.file, Line: line, What: fmt.Sprintf(format, args...)}
}

// group is the one of that name, made where there is none yet.
func (t *tree) group(name string, line int) *group {
	g := t.groups[name]
	if g == nil {
		g = &group{line: line, hosts: map[string]bool{}, children: map[string]bool{}, vars: vars{}}
		t.groups[name] = g
	}
	return g
}

// add puts the hosts of a pattern into a group.
func (t *tree) add(pattern, in string, line int, given vars) error {
	names, err := expand(pattern)
	if err != nil {
		return t.errorf(line, "%v", err)
	}
	if t.named += len(names); t.named > maxNodes {
		return t.errorf(line, "it names hosts more than %d times", maxNodes)
	}
	g := t.group(in, line)
	for _, name := range names {
		m := t.known[name]
		if m == nil {
			if len(t.order) >= MaxHosts {
				return t.errorf(line, "it has more than %d hosts", MaxHosts)
			}
			m = &member{line: line, groups: map[string]bool{}, vars: vars{}}
			t.known[name] = m
			t.order = append(t.order, name)
		}
		g.hosts[name] = true
		m.groups[in] = true
		maps.Copy(m.vars, given)
	}
	return nil
}

// hosts gives each host its variables: those of all, of groups from the outermost
// to the innermost, and its own. Of groups at one depth the later name wins, as
// Ansible has it.
func (t *tree) hosts() ([]Host, error) {
	depth, err := t.depths()
	if err != nil {
		return nil, err
	}
	parents := map[string][]string{}
	for name, g := range t.groups {
		for child := range g.children {
			parents[child] = append(parents[child], name)
		}
	}
	var out []Host
	for _, name := range t.order {
		m := t.known[name]
		of := map[string]bool{}
		for g := range m.groups {
			climb(parents, g, of)
		}
		groups := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
			if depth[a] != depth[b] {
				return depth[a] - depth[b]
			}
			if a < b {
				return -1
			}
			return 1
		})
		merged := maps.Clone(t.groups[all].vars)
		for _, g := range groups {
			maps.Copy(merged, t.groups[g].vars)
		}
		maps.Copy(merged, m.vars)
		h, err := t.host(name, m.line, merged)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			if g != all && g != ungrouped {
				h.Groups = append(h.Groups, g)
			}
		}
		out = append(out, h)
	}
	return out, nil
}

func climb(parents map[string][]string, g string, of map[string]bool) {
	if of[g] {
		return
	}
	of[g] = true
	for _, p := range parents[g] {
		climb(parents, p, of)
	}
}

// depths are how far each group is from the outermost one.
func (t *tree) depths() (map[string]int, error) {
	depth := map[string]int{}
	for range maxDepth {
		deeper := false
		for name, g := range t.groups {
			for child := range g.children {
				if depth[child] <= depth[name] {
					depth[child] = depth[name] + 1
					deeper = true
				}
			}
		}
		if !deeper {
			return depth, nil
		}
	}
	return nil, &Error{File: t.file, What: "a group is within itself, or groups are nested too deep"}
}
