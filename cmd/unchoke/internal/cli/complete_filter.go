//go:build !slim

package cli

import (
	"strings"

	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/live/filter"
)

// CompleteFilter completes the last word of a FILTER, whether it is given as one
// argument or as several.
func CompleteFilter(_ *command.Command, args []string, typed string) ([]command.Completion, command.ShellCompDirective) {
	before := strings.Join(append(args[:len(args):len(args)], ""), " ")
	words, from := filter.Complete(before+typed, filterValues)
	if from -= len(before); from < 0 {
		return nil, command.ShellCompDirectiveNoFileComp
	}
	var offers []command.Completion
	for _, w := range words {
		offers = append(offers, command.CompletionWithDesc(typed[:from]+w.Text, w.Help))
	}
	return offers, command.ShellCompDirectiveNoFileComp | command.ShellCompDirectiveKeepOrder
}

// filterValues are those that this host knows.
func filterValues(key string) []string {
	if key != "cc" {
		return nil
	}
	names, _ := cc.Available(sysctl.Kernel) // none to offer where they cannot be read
	return names
}
