package diagnose

import "unchoke/internal/finding"

// shares are how often a check's verdict was right, by the confidence that its rule
// gives: 987 verdicts at first sight, of one and two impairments, by three hands and of
// written lists, on draws from 20280401 to 20280501. A rule says how well its evidence
// tells its cause from the others, not how common the cause is. What rules say with less
// than 0.4 is `unclear`, which is a share already. From 0.8 to 0.88 171 of 176 were right:
// it stays below 0.9, from which a wrong verdict misleads.
var shares = []struct{ said, right float64 }{
	{0, 0},
	{0.4, 0.4},
	{0.5, 0.73}, // 29 of 37
	{0.6, 0.83}, // 137 of 162 from here to 0.76
	{0.75, 0.85},
	{0.8, 0.88},  // 61 of 63
	{0.85, 0.89}, // 110 of 113
	{0.89, 0.95}, // 47 of 48
	{0.9, 0.98},  // 92 of 94
	{1, 1},       // 449 of 455
}

// calibrated are the findings of a check, whose confidence is the share of such
// verdicts that were right: linear between the measured ones.
func calibrated(all []finding.Finding) []finding.Finding {
	for i := range all {
		all[i].Confidence = min(share(all[i].Confidence), surest)
	}
	return all
}

// surest is the confidence of any finding at the most.
const surest = 0.99

// share is how often a verdict was right of which a rule is so sure.
func share(said float64) float64 {
	i := 1
	for i < len(shares)-1 && said > shares[i].said {
		i++
	}
	a, b := shares[i-1], shares[i]
	return a.right + (said-a.said)/(b.said-a.said)*(b.right-a.right)
}
