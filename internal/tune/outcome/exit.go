package outcome

// Exit statuses of tune, beside those of all commands: they tell how a verb left its
// host, here and on a far one.
const (
	ExitPending  = 3 // plan: there are changes to make
	ExitWrong    = 4 // verify: not everything is as applied
	ExitReverted = 5 // a change failed, and all are taken back
	ExitRefused  = 6 // nothing was touched: the host cannot be changed, or not now
)
