// Package sysctld tells what the programs that read files of sysctls at boot
// make of a directory tree: systemd-sysctl, procps's sysctl --system and the
// init script of OpenWrt. Each is simulated in its own file, after its source;
// the tests hold the simulations against the programs themselves.
package sysctld

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Tree is the part of a file system that the readers see: what lies in their
// directories, and what symbolic links lead there. Keys are absolute names
// within the root; a directory without an entry of its own is there if
// something lies in it.
type Tree map[string]Node

// Node is a file of a tree.
type Node struct {
	Kind    NodeKind `json:"kind"`
	Content []byte   `json:"content,omitempty"` // of a file
	Link    string   `json:"link,omitempty"`    // of a symbolic link: where it points, as it is written
}

// NodeKind is what a node is.
type NodeKind string

const (
	File  NodeKind = "file"
	Dir   NodeKind = "dir"
	Link  NodeKind = "link"
	Other NodeKind = "other" // /dev/null, a socket, what may not be read: nothing comes out of it
)

// Assignment is a line that sets a key, as a reader comes to it.
type Assignment struct {
	Key   string `json:"key"` // the file below /proc/sys: net/ipv4/tcp_rmem
	Value string `json:"value"`
	File  string `json:"file"`
	// Via is the name by which the reader found the file, where it is a link.
	Via  string `json:"via,omitempty"`
	Line int    `json:"line"`
}

// maxLinks is how many symbolic links one name may lead through, as for the
// kernel (MAXSYMLINKS, linux/namei.h).
const maxLinks = 40

// resolve follows all symbolic links of a name, within the root as a program
// that runs there does; ok is false where they go in a circle.
func resolve(name string, lookup func(string) (Node, bool)) (at string, ok bool) {
	rest := strings.Split(name, "/")
	at = "/"
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		next := path.Join(at, part) // ".." at the root stays there
		node, known := lookup(next)
		if !known || node.Kind != Link {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", false
		}
		if strings.HasPrefix(node.Link, "/") {
			at = "/"
		}
		rest = append(strings.Split(node.Link, "/"), rest...)
	}
	return at, true
}

func (t Tree) lookup(name string) (Node, bool) {
	node, ok := t[name]
	return node, ok
}

// open is the file that a name leads to.
func (t Tree) open(name string) (at string, node Node, ok bool) {
	if at, ok = resolve(name, t.lookup); !ok {
		return "", Node{}, false
	}
	node, ok = t[at]
	return at, node, ok
}

// list is what lies in a directory, sorted by name.
func (t Tree) list(dir string) []string {
	at, ok := resolve(dir, t.lookup)
	if !ok {
		return nil
	}
	var names []string
	for name := range t {
		if path.Dir(name) == at && name != "/" {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

// With is the tree with one more file in it, or in the place of another.
func (t Tree) With(name string, node Node) Tree {
	out := make(Tree, len(t)+1)
	maps.Copy(out, t)
	// A reader finds the file where its directory's links lead.
	if dir, ok := resolve(path.Dir(name), out.lookup); ok {
		name = path.Join(dir, path.Base(name))
	}
	out[name] = node
	return out
}

// directories are where systemd and procps look, the first to have a name
// wins. /lib is another one than /usr/lib only where the two are not merged.
var directories = []string{
	"/etc/sysctl.d",
	"/run/sysctl.d",
	"/usr/local/lib/sysctl.d",
	"/usr/lib/sysctl.d",
	"/lib/sysctl.d",
}

// mainFile is read by all but systemd.
const mainFile = "/etc/sysctl.conf"

// files are the names to read in order: those of all directories sorted, each
// from the first directory that has it. Whatever bears the name hides the
// later ones, a broken link and a link to /dev/null too. Not every reader takes
// names that begin with a dot.
func (t Tree) files(dotted bool) []string {
	found := map[string]string{}
	for _, dir := range directories {
		for _, name := range t.list(dir) {
			if !strings.HasSuffix(name, ".conf") || name[0] == '.' && !dotted {
				continue
			}
			if _, hidden := found[name]; !hidden {
				found[name] = path.Join(dir, name)
			}
		}
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = found[name]
	}
	return names
}

// Read gives the content that a reader gets from a name, and the file that it
// comes from.
func (t Tree) Read(name string) (content []byte, file string, ok bool) {
	at, node, ok := t.open(name)
	return node.Content, at, ok && node.Kind == File
}
