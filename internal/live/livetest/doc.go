// Package livetest makes up connections for the tests of everything that shows
// live flows: many or few, of every kind, moving from one snapshot to the next,
// and the same for the same seed. Only tests import it.
package livetest

// HostileProcess is a process name that tries to break what shows it: escape
// sequences that clear the screen and set its title, a line of its own, marks
// that turn the direction of writing, wide and combining characters, markup.
const HostileProcess = "\x1b[2J\x1b]0;pwned\a\r\n\u202evil\u0301 世界 <script>alert(1)</script> |`*\x00"
