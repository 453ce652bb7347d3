//go:build !slim

package cli

import (
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
)

// CompleteRecord offers the IDs, the newest first, and files.
func CompleteRecord(_ *command.Command, args []string, _ string) ([]command.Completion, command.ShellCompDirective) {
	if len(args) > 0 {
		return nil, command.ShellCompDirectiveNoFileComp
	}
	offers := []command.Completion{usecase.LastRecord}
	if store, err := state.DefaultStore(); err == nil {
		list, _ := store.List() // none where the store cannot be read
		for _, r := range list {
			offers = append(offers, command.CompletionWithDesc(r.ID, render.Printable(r.Target)))
		}
	}
	return offers, command.ShellCompDirectiveKeepOrder
}
