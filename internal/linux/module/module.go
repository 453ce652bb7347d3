// Package module tells which congestion controls the kernel could load: those
// that lie on disk as modules.
package module

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"unchoke/internal/ls"
)

// directories hold a directory of modules for each kernel release. NixOS has
// its own.
var directories = []string{
	"lib/modules",
	"run/booted-system/kernel-modules/lib/modules",
}

// CongestionControls are the names of those that release, as uname -r tells it,
// has as modules on disk, sorted.
func CongestionControls(release string) ([]string, error) {
	return congestionControls(os.DirFS("/"), release)
}

func congestionControls(root fs.FS, release string) ([]string, error) {
	for _, dir := range directories {
		files, err := modules(root, path.Join(dir, release))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list modules of kernel %s: %w", release, err)
		}
		var names []string
		for _, file := range files {
			if name, ok := congestionControl(file); ok {
				names = append(names, name)
			}
		}
		sort.SliceStable(names, func(i, j int) bool { return strings.Compare(names[i], names[j]) < 0 })
		return slices.Compact(names), nil
	}
	return nil, nil // a kernel without modules
}

// modules lists the files of all modules in dir: from the index that depmod
// wrote, else, as on OpenWrt, from the directory itself.
func modules(root fs.FS, dir string) ([]string, error) {
	index, err := root.Open(path.Join(dir, "modules.dep"))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := ls.Dir(root, dir)
		var files []string
		for _, e := range entries {
			files = append(files, e.Name())
		}
		return files, err
	}
	if err != nil {
		return nil, err
	}
	defer index.Close()
	var files []string
	lines := bufio.NewScanner(index)
	for lines.Scan() {
		if file, _, ok := strings.Cut(lines.Text(), ":"); ok {
			files = append(files, file)
		}
	}
	return files, lines.Err()
}

// congestionControl is the algorithm that a module's file holds. The kernel
// asks for tcp_NAME when a socket wants NAME.
func congestionControl(file string) (string, bool) {
	base, rest, ok := strings.Cut(path.Base(file), ".ko")
	if !ok || rest != "" && rest != ".gz" && rest != ".xz" && rest != ".zst" {
		return "", false
	}
	name, ok := strings.CutPrefix(strings.ReplaceAll(base, "-", "_"), "tcp_")
	// tcp_diag answers ss(8).
	return name, ok && name != "diag"
}
