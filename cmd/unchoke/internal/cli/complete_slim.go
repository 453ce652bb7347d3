//go:build slim

package cli

import "unchoke/cmd/unchoke/internal/command"

// No shell asks this build for completions.
var CompleteFilter, CompleteRecord, CompleteTarget command.CompletionFunc
