package diagnose

import "unchoke/internal/finding"

// shares are how often a check's verdict was right, by the confidence that its rule
// gives: 1,549 verdicts at first sight, of one and two impairments, by three hands, of
// written lists, tunnels and over ssh, on draws from 20270801 to 20280102. A rule says
// how well its evidence tells its cause from the others, not how common the cause is.
// What rules say with less than 0.4 is `unclear`, which is a share already. From 0.85
// to 0.88 132 of 142 were right: it stays below 0.9, from which a wrong verdict misleads.
var shares = []struct{ said, right float64 }{
	{0, 0},
	{0.4, 0.4},
	{0.5, 0.73},  // 94 of 129 below 0.65
	{0.75, 0.77}, // 80 of 104 from 0.65
	{0.8, 0.86},  // 75 of 87
	{0.85, 0.89},
	{0.89, 0.95}, // 111 of 115
	{0.9, 0.98},  // 320 of 324 below 0.96
	{1, 1},       // 618 of 623
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
