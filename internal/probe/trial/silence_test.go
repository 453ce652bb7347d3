package trial

import (
	"errors"
	"strings"
	"testing"

	"unchoke/internal/record"
)

// A trial that brings nothing counts, with a rate of 0; three in a row are an
// arm that does not work.
func TestSilence(t *testing.T) {
	var s silence
	for i, bytes := range []int64{0, 0, 5, 0, 7, 0, 0, 0} {
		trial := record.Trial{Bytes: bytes, Duration: 5}
		err := s.hear(&trial)
		var silent *silentError
		switch {
		case errors.As(err, &silent) != (i == 7):
			t.Errorf("trial %d: %v", i, err)
		case i == 7:
			if !strings.Contains(err.Error(), "in 3 trials in a row") || silent.Hint() == "" {
				t.Errorf("%v, hint %q", err, silent.Hint())
			}
		case (bytes == 0) != (len(trial.Warnings) == 1):
			t.Errorf("trial %d: warnings %q", i, trial.Warnings)
		}
	}
}
