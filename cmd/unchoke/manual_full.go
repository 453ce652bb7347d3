//go:build !slim

package main

import (
	"unchoke/cmd/unchoke/internal/tunecmd"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/report/manual"
	"unchoke/internal/tune"
)

// moreSections are about what the slim build lacks.
var moreSections = []manual.Section{{Title: "Files", Items: []manual.Item{
	{Name: tunecmd.DefaultDir + "/journal.jsonl", Text: "What \"unchoke tune\" changed on this host, with every old value. It is needed to revert; see unchoke-tune-revert(1)."},
	{Name: tune.SysctlFile + ", " + tune.ModulesFile, Text: "What \"unchoke tune apply\" makes last over a reboot."},
	{Name: "~/.cache/unchoke/kernel", Text: "Lab kernels that were built at home, below $XDG_CACHE_HOME where that is set."},
	{Name: kernel.System, Text: "The lab kernel of the package unchoke-lab-kernel."},
}}}
