//go:build !slim

package labcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"unchoke/internal/lab/kernel"
	"unchoke/internal/path"
)

// completePath completes the last key of a path. Those for one direction are
// offered to who has typed something.
func completePath(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	at := strings.LastIndexByte(typed, ',') + 1
	var offers []cobra.Completion
	for _, key := range path.Keys() {
		if typed[at:] != "" || !strings.HasPrefix(key, "up.") && !strings.HasPrefix(key, "down.") {
			offers = append(offers, typed[:at]+key+"=")
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeKernel offers the keys of the kernels that are there, and files.
func completeKernel(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offers []cobra.Completion
	for _, place := range kernel.Places() {
		infos, _ := kernel.List(place) // none to offer where they cannot be read
		for i := range infos {
			offers = append(offers, infos[i].Key)
		}
	}
	return offers, cobra.ShellCompDirectiveDefault
}
