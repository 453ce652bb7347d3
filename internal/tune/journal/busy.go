package journal

// ErrBusy is another run of this program that is changing the host.
var ErrBusy error = busyError{}

type busyError struct{}

func (busyError) Error() string { return "another unchoke tune is changing this host" }

// Hint is the next step.
func (busyError) Hint() string { return "wait for it to end; unchoke tune status tells what it did" }
