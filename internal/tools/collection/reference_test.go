package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write docs/ansible-reference.md")

const (
	collectionDir = "../../../ansible"
	published     = "../../../docs/ansible-reference.md"
)

// The published reference is that of the modules as they are.
func TestReferenceIsCurrent(t *testing.T) {
	want, err := reference(os.DirFS(collectionDir))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(published, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/ansible-reference.md is not that of ansible/: go test ./internal/tools/collection -run TestReferenceIsCurrent -update")
	}
}

const source = `
DOCUMENTATION = r"""
short_description: Do it
description: Does it, as C(tool) does.
options:
  second:
    description: [One., Two.]
    type: list
    elements: str
    default: []
  first:
    description: A | or b.
    type: str
    required: true
    choices: [a, b]
extends_documentation_fragment: [unchoke.net.all.journal, unchoke.net.all]
attributes:
  check_mode:
    support: full
    details: It foresees.
"""
EXAMPLES = r"""
- name: Do it
"""
RETURN = r"""
all:
  type: dict
  returned: success
  description: All of O(first).
  contains:
    part: {type: int, returned: success, description: A part.}
"""
`

const shared = `
class ModuleDocFragment(object):

    DOCUMENTATION = r"""
options:
  third: {type: str, default: x, description: Of all.}
"""

    JOURNAL = r"""
options:
  journal: {type: path, description: A directory.}
"""
`

const specification = "argument_specs:\n  undo: {short_description: Undo it}\n  main: {short_description: Do it, options: {x: {type: int, default: 3, description: An x.}}}\n"

func TestReference(t *testing.T) {
	text, err := reference(fstest.MapFS{
		"plugins/modules/it.py":                 {Data: []byte(source)},
		"plugins/doc_fragments/all.py":          {Data: []byte(shared)},
		"roles/unchoke/meta/argument_specs.yml": {Data: []byte(specification)},
	})
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, want := range []string{
		"## Module unchoke.net.it\n", "Does it, as `tool` does.",
		"| `second` | list of str |  | One. Two. |", "| `first` | str | required | A \\| or b. One of `a`, `b`. |",
		"| `journal` | path |  | A directory. |", "| `third` | str | `x` | Of all. |",
		"check mode: full. It foresees.", "```yaml\n- name: Do it\n```",
		"| `all` | dict | success | All of `first`. |", "| `all.part` | int | success | A part. |",
		"## Role unchoke.net.unchoke\n", "| `x` | int | `3` | An x. |", "tasks_from: undo",
	} {
		at := strings.Index(text, want)
		if at < last {
			t.Errorf("%q is at %d, want after %d, in\n%s", want, at, last, text)
		}
		last = max(last, at)
	}
}

func TestFragmentThatIsNotThere(t *testing.T) {
	files := fstest.MapFS{"plugins/doc_fragments/all.py": {Data: []byte(shared)}}
	for _, name := range []string{"unchoke.net.other", "unchoke.net.all.other", "ansible.builtin.files"} {
		if _, err := fragment(files, name); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func TestModuleWithoutDocumentation(t *testing.T) {
	for _, name := range []string{"DOCUMENTATION", "EXAMPLES", "RETURN"} {
		if _, err := module(strings.Replace(source, "\n"+name+" =", "\nOTHER =", 1)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
