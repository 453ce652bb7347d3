package render

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Plural counts things: 1 block, 2 blocks.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Kernel is the kernel of a host by its system's name and its own version; empty where it is
// not known.
func Kernel(os, kernel string) string {
	switch {
	case kernel == "":
		return ""
	case os == "" || os == "linux":
		return "Linux " + kernel
	}
	return Capital(os) + " " + kernel
}

// Capital begins a sentence with a capital letter.
func Capital(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// When is a date and a time.
func When(t time.Time) string { return t.Format("2006-01-02 15:04:05") }

// Duration is a time in seconds as a flag takes it.
func Duration(s float64) string { return time.Duration(math.Round(s * float64(time.Second))).String() }

// Comparison is the command that compares arms on the way to a target.
func Comparison(target string, arms ...string) string {
	words := []string{"unchoke ab", ShellWord(target)}
	for _, arm := range arms {
		words = append(words, "--arm", ShellWord(arm))
	}
	return strings.Join(words, " ")
}

// ShellWord quotes a word for a POSIX shell where it needs it.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=.,:/@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
