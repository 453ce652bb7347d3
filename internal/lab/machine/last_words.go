package machine

import "strings"

// lastWords returns up to n lines that say why a kernel ended: those from its
// panic on, or else the last.
func lastWords(log string, n int) []string {
	if i := strings.LastIndex(log, panicLine); i >= 0 {
		lines := lastLines(log[i:], strings.Count(log[i:], "\n")+1)
		return lines[:min(n, len(lines))]
	}
	return lastLines(log, n)
}

// panicLine begins a panic in the kernel's log (kernel/panic.c).
const panicLine = "Kernel panic - not syncing"

// lastLines returns up to n lines of text from its end, without empty ones.
func lastLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
