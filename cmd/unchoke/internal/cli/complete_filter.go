package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/live/filter"
)

// CompleteFilter completes the last word of a FILTER, whether it is given as one
// argument or as several.
func CompleteFilter(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := strings.Join(append(args[:len(args):len(args)], ""), " ")
	words, from := filter.Complete(before+typed, filterValues)
	if from -= len(before); from < 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []cobra.Completion
	for _, w := range words {
		offers = append(offers, cobra.CompletionWithDesc(typed[:from]+w.Text, w.Help))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// filterValues are those that this host knows.
func filterValues(key string) []string {
	if key != "cc" {
		return nil
	}
	names, _ := cc.Available(sysctl.Kernel) // none to offer where they cannot be read
	return names
}
