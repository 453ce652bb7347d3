// Package measurecmd has the commands that measure paths, and show what was
// measured: check, predict, ab and record.
package measurecmd
