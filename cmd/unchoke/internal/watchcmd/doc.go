// Package watchcmd has the command that shows connections while they run.
package watchcmd
