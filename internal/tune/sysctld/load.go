package sysctld

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxFile is more than any file of sysctls has; what is larger counts as
// unreadable.
const maxFile = 1 << 20

// Load reads the tree from a root directory. Links are followed within the
// root. What cannot be read is an error; the rest of the tree stands.
func Load(root fs.FS) (Tree, error) {
	l := loader{root: root, tree: Tree{}}
	for _, dir := range directories {
		at, ok := resolve(dir, l.lookup)
		if !ok || l.tree[at].Kind != Dir {
			continue
		}
		entries, err := fs.ReadDir(root, relative(at))
		if err != nil {
			l.fail(at, err)
			continue
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".conf") {
				resolve(path.Join(at, e.Name()), l.lookup)
			}
		}
	}
	resolve(mainFile, l.lookup)
	return l.tree, errors.Join(l.errs...)
}

type loader struct {
	root fs.FS
	tree Tree
	errs []error
}

func (l *loader) fail(name string, err error) {
	l.errs = append(l.errs, fmt.Errorf("read %s: %w", name, err))
}

// lookup reads a node once. Its parent is no link, since resolve goes by
// steps.
func (l *loader) lookup(name string) (Node, bool) {
	if node, ok := l.tree[name]; ok || name == "/" {
		return node, ok
	}
	info, err := fs.Lstat(l.root, relative(name))
	if errors.Is(err, fs.ErrNotExist) {
		return Node{}, false
	}
	node := Node{Kind: Other}
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		node.Kind = Link
		node.Link, err = fs.ReadLink(l.root, relative(name))
	case info.IsDir():
		node.Kind = Dir
	case info.Mode().IsRegular():
		if node.Content, err = l.content(name); err == nil {
			node.Kind = File
		}
	}
	if err != nil {
		l.fail(name, err)
	}
	l.tree[name] = node
	return node, true
}

func (l *loader) content(name string) ([]byte, error) {
	f, err := l.root.Open(relative(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	return b, err
}

func relative(name string) string {
	if name == "/" {
		return "."
	}
	return strings.TrimPrefix(name, "/")
}
