//go:build slim

package flow

import "unchoke/internal/record"

// Steady is what the streams of a transfer carry together once they are under way, in
// bit/s. This build counts what a lost packet held back when it is delivered.
func Steady(t *record.Transfer) float64 { return Goodput(t.Goodput).Steady() }

func (g Goodput) since(from float64) float64 { return g(from, 1) }
