//go:build slim && !manual

package main

import "unchoke/cmd/unchoke/internal/cli"

// Those who build packages write the slim build's manual with the tag manual.
var newManualCommand = cli.Absent("manual")
