package diagnose

import "unchoke/internal/finding"

// amended is a finding with what else is known of the hosts: whose queue it speaks of,
// what nobody looked at and would look the same, which remedies help there, and what
// these hosts have now.
func (v *view) amended(f finding.Finding) finding.Finding {
	return v.withFarValues(v.withFaults(v.withEgress(v.withUnseen(v.withOutside(v.fitting(f))))))
}
