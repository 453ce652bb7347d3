package compare

import "math/rand/v2"

// Order is the order of the arms in a block: every order is as likely as every
// other, by the seed alone. That chance is what the test of the results stands
// on. Were two arms the same, each block's ratio would be as likely to come out
// the other way round, whatever the path did meanwhile.
func Order(seed uint64, arms, block int) []int {
	return rand.New(rand.NewPCG(seed, uint64(block))).Perm(arms)
}
