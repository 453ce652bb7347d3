//go:build slim

package amend

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The build for routers runs no stream by CUBIC, and knows of no system but Linux, nor of its
// faults: those that are known are of virtual machines' cards and of userspace tunnels.
func withCubic(_ *view.View, f finding.Finding) finding.Finding   { return f }
func withSystems(_ *view.View, f finding.Finding) finding.Finding { return f }

// ThroughSSH changes nothing: a router is no near end of a session over SSH.
func ThroughSSH(_ *view.View, here []finding.Finding) []finding.Finding { return here }
