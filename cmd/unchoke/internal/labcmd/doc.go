// Package labcmd has the commands of the lab.
package labcmd
