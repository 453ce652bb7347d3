//go:build slim

package view

import "unchoke/internal/diagnose/seen"

// What the slim build does not ask, for its size: whether a far sender's buffer is full
// between losses, and whose queue a rung stood in where flows are kept apart.

func (v *View) standsLevel() bool         { return false }
func (v *View) waitsApart(seen.Rung) bool { return false }
func (v *View) takesTurns() bool          { return false }
