package trial

import (
	"fmt"

	"unchoke/internal/record"
)

// silence is how many trials of an arm in a row brought nothing. One such trial
// is a result: left out, it would make an arm that stalls now and then look
// better than it is. Several in a row are an arm that does not work.
type silence int

// longestSilence is the number of trials in a row at which an arm has failed.
const longestSilence silence = 3

// hear counts a trial. One that brought nothing says so; it is an error where
// the silence has lasted too long.
func (s *silence) hear(t *record.Trial) error {
	if t.Bytes > 0 {
		*s = 0
		return nil
	}
	*s++
	if *s >= longestSilence {
		return &silentError{*s, t.Duration}
	}
	t.Warnings = append(t.Warnings, fmt.Sprintf("not one byte arrived in the %.3g s that count: the rate is 0", t.Duration))
	return nil
}

// silentError is an arm that carries nothing.
type silentError struct {
	trials  silence
	seconds float64 // of the last
}

func (e *silentError) Error() string {
	return fmt.Sprintf("not one byte arrived in %d trials in a row, in the last not in the %.3g s that count", e.trials, e.seconds)
}

// Hint says what to do next.
func (e *silentError) Hint() string { return "give the trials more time: --duration" }
