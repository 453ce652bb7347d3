// Package tunecmd has the commands that change hosts: tune and its verbs.
package tunecmd
