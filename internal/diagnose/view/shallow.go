package view

// KeepsClearOf says that the stream never stood in a queue of this wait, in
// seconds, once it was under way, although echoes would have shown it: it may
// have overflowed the queue in slow start, and has not come near it since.
func (v *View) KeepsClearOf(wait float64) bool {
	visible := wait > 2*QueueRise*v.Idle.Mid && wait > 3*v.Idle.Dev
	return visible && v.Loaded.N > 0 && v.Loaded.High-v.Idle.High < wait/4
}
