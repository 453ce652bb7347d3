//go:build slim

package check

import (
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// labPath is empty: the slim build has no lab.
func labPath(*record.Run) string { return "" }

// fetchProof is empty: the slim build has no rules for URLs, and no comparisons.
func (Report) fetchProof([]string) string { return "" }

// fetchLines are none: of a URL's check the slim build has the figures alone.
func (Report) fetchLines() []string { return nil }

// belowRemedies writes nothing: the slim build neither predicts nor tunes.
func belowRemedies(Report, *render.Screen) {}

// farLines are none, nor accessWords: the slim build asks no far host.
func (Report) farLines() []string { return nil }

func (Report) accessWords() string { return "" }
