//go:build slim

package view

// standsLevel is not asked in the slim build: a far sender's buffer that is full between
// losses is random loss to it.
func (v *View) standsLevel() bool { return false }
