// Package rules has the causes of a slow stream, one file each: here those on the path
// itself, in rooms beneath those in a host (ends) and in a tunnel (tunnels). A rule reads
// the facts of a direction (packages view, hosts and seen) and says whether its cause is
// there, how sure it is, what speaks for it and what helps; nil is "not here". No rule
// asks another: what two of them go by is a fact.
package rules
