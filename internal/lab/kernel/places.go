package kernel

import (
	"fmt"
	"strings"

	"unchoke/internal/hint"
)

// System is where the package unchoke-lab-kernel puts its kernel, in a directory
// named by its key as in a user's cache.
const System = "/usr/lib/unchoke/kernel"

// Places are the directories in which Find looks: this user's kernels, then the
// system's. A user without a cache, as a service often is, has the system's
// alone.
func Places() []string {
	own, err := Dir()
	if err != nil {
		return []string{System}
	}
	return []string{own, System}
}

// Find returns the kernel that name stands for: a file, a key or the beginning
// of one. The empty name is, of the first place that has one, the newest
// unpatched kernel of the present configuration, or ErrNone. A kernel in two
// places is that of the first.
func Find(places []string, name string) (Info, error) {
	if isFile(name) {
		return ofFile(name)
	}
	var found, others []Info
	for _, place := range places {
		infos, err := List(place)
		if err != nil {
			return Info{}, err
		}
		for _, info := range infos {
			switch {
			case name == "" && info.usual():
				return info, nil
			case name == "":
				others = append(others, info)
			case strings.HasPrefix(info.Key, name) && !hasKey(found, info.Key):
				found = append(found, info)
			}
		}
	}
	switch {
	case name == "":
		return Info{}, noneBut(others)
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Info{}, hint.With(fmt.Errorf("kernel key %q: %d kernels begin with it", name, len(found)), whichKernels)
	}
	return Info{}, hint.With(fmt.Errorf("kernel key %q: no lab kernel has it", name), whichKernels)
}

// whichKernels is the next step where a name stands for no kernel.
const whichKernels = "`unchoke lab kernel info` lists the kernels with their keys and files; `unchoke lab kernel build` makes one"

// usual says whether a kernel is one that the lab takes without being asked.
func (i Info) usual() bool { return i.Recipe == recipe() && len(i.Patches) == 0 }

// Packaged says whether a kernel came with a package.
func (i Info) Packaged() bool { return strings.HasPrefix(i.Path, System+"/") }

// noneBut is ErrNone; it names a packaged kernel that would do if it were of
// this version of unchoke.
func noneBut(others []Info) error {
	for _, info := range others {
		if info.Packaged() && len(info.Patches) == 0 {
			return fmt.Errorf("%w: %s belongs to another version of unchoke (its recipe is %s, this one's %s)", ErrNone, info.Path, info.Recipe, recipe())
		}
	}
	return ErrNone
}

func hasKey(infos []Info, key string) bool {
	for _, info := range infos {
		if info.Key == key {
			return true
		}
	}
	return false
}
