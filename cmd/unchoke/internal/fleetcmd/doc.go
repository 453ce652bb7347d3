// Package fleetcmd has the commands for many hosts.
package fleetcmd
