//go:build slim

package watched

import "unchoke/internal/finding"

// The build for routers does not ask these, for its size: they are rare.

func unrepaired(*view) *said          { return nil }
func marked(*view) *said              { return nil }
func repairs(string) []finding.Remedy { return nil }

const repairAdvice = ""
