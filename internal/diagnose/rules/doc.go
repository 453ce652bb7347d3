// Package rules has the causes of a slow stream: here those on the path itself, in rooms
// beneath those in a host (ends) and in a tunnel (tunnels). A cause is found by several
// signs, one file each, whose name begins with the cause (loss_ is loss-limited): what
// everyone would look for first stands in the file that has the cause's name alone. Files
// that begin with by_ hold what names several. A rule reads
// the facts of a direction (packages view, hosts and seen) and says whether its cause is
// there, how sure it is, what speaks for it and what helps; nil is "not here". No rule
// asks another: what two of them go by is a fact.
package rules
