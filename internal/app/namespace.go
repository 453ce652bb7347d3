//go:build !slim

package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"unchoke/internal/app/request"
)

// namespaces is where ip netns keeps those of this host (ip-netns(8)).
const namespaces = "/var/run/netns"

// namespace is the network namespace that a place names, of those in a folder.
func namespace(place, folder string) (string, error) {
	name := strings.TrimPrefix(place, netnsPrefix)
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "/") {
		return "", request.Refuse("`ip netns list` names them", "place %q names no network namespace", place)
	}
	// One that may not be looked at is left to ip, which says so.
	if _, err := os.Stat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	hint := "it has none; `ip netns list` would name them"
	if all, err := os.ReadDir(folder); err == nil && len(all) > 0 {
		var names []string
		for _, e := range all {
			names = append(names, e.Name())
		}
		hint = "it has " + strings.Join(names, ", ")
	}
	return "", request.Refuse(hint, "place %q: this host has no network namespace %s", place, name)
}
