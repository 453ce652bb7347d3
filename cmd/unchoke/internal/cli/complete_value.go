//go:build !slim

package cli

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
)

// CompleteTarget offers the targets of saved records, the newest first.
func CompleteTarget(_ *command.Command, args []string, _ string) ([]command.Completion, command.ShellCompDirective) {
	const directive = command.ShellCompDirectiveNoFileComp | command.ShellCompDirectiveKeepOrder
	store, err := state.DefaultStore()
	if err != nil || len(args) > 0 {
		return nil, directive
	}
	list, _ := store.List() // none where the store cannot be read
	var offers []command.Completion
	for _, r := range list {
		if target := render.Printable(r.Target); target != "" && !slices.Contains(offers, target) {
			offers = append(offers, target)
		}
	}
	return offers, directive
}

// CompleteCC offers the congestion controls of this kernel.
func CompleteCC(*command.Command, []string, string) ([]command.Completion, command.ShellCompDirective) {
	return filterValues("cc"), command.ShellCompDirectiveNoFileComp
}

// CompleteUnit offers the system services that run here.
func CompleteUnit(*command.Command, []string, string) ([]command.Completion, command.ShellCompDirective) {
	return names("sys/fs/cgroup/system.slice", ".service"), command.ShellCompDirectiveNoFileComp
}

// CompleteNetns offers the network namespaces that have names.
func CompleteNetns(*command.Command, []string, string) ([]command.Completion, command.ShellCompDirective) {
	return names("run/netns", ""), command.ShellCompDirectiveNoFileComp
}

// names are those in a directory with an ending, without it; none where there is
// no such directory.
func names(dir, ending string) (out []command.Completion) {
	entries, _ := fs.ReadDir(os.DirFS("/"), dir)
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), ending); is {
			out = append(out, name)
		}
	}
	return out
}
