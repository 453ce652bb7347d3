package journal

import "unchoke/internal/tune/ledger"

// parse adds up a journal's events, as Open does. An effect follows only on a whole line, so
// that nothing came of one that a crash cut short.
func parse(b []byte) (s State, size int, err error) {
	s.Phase = Idle
	size, err = ledger.Lines(b, s.take)
	return s, size, err
}
