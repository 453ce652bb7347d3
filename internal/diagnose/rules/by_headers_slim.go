//go:build slim

package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The build for routers reads no headers of packets: nothing is known by them.

func ByHeaders(_ *view.View, here []finding.Finding) []finding.Finding { return here }
func LossBeside(*view.View, []finding.Finding) *finding.Finding        { return nil }
func QueueBeside(*view.View, []finding.Finding) *finding.Finding       { return nil }
