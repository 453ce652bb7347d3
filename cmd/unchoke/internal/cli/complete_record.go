package cli

import (
	"github.com/spf13/cobra"

	usecase "unchoke/internal/app"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
)

// CompleteRecord offers the IDs, the newest first, and files.
func CompleteRecord(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offers := []cobra.Completion{usecase.LastRecord}
	if store, err := state.DefaultStore(); err == nil {
		list, _ := store.List() // none where the store cannot be read
		for _, r := range list {
			offers = append(offers, cobra.CompletionWithDesc(r.ID, render.Printable(r.Target)))
		}
	}
	return offers, cobra.ShellCompDirectiveKeepOrder
}
