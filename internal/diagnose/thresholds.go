package diagnose

import (
	"slices"

	"unchoke/internal/diagnose/amend"
	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/threshold"
	"unchoke/internal/diagnose/view"
)

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	costsNothing = 1.15
	copiesSpread = 1.2
)

// thresholds are those of settling by copies.
var thresholds = []threshold.Threshold{
	{At: &costsNothing, Name: "costs-nothing", Why: "a gain that is no more than what a copy's runs differ by"},
	{At: &copiesSpread, Name: "copies-spread", Why: "the upper end of a gain's interval lies so far above what rules a cause out, beyond the tenth that the lab's model is off"},
}

// Threshold is a number by which the diagnosis decides.
type Threshold = threshold.Threshold

// Thresholds lists the numbers by which the diagnosis decides, those of each room. How
// many verdicts a change of ± 30 % to one turns is what `make bench-sensitivity` prints.
func Thresholds() []Threshold {
	return slices.Concat(seen.Thresholds, view.Thresholds, hosts.Thresholds, rules.Thresholds, ends.Thresholds, tunnels.Thresholds, amend.Thresholds, thresholds)
}
