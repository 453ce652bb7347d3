// Package fleet decides how a change goes out to many hosts: which hosts there
// are, in which batches, what speaks against one of them, what comes next, and
// when to stop. It is pure: package app carries out what it decides.
//
//	inventory  aliases, host files, Ansible's INI and YAML → hosts
//	batch      1,5,20% → which hosts go together
//	preflight  facts and plan of a host → may it be changed?
//	rollout    what happened so far → what is to be done next
//	gain       rates before and after → faster, slower, or unclear
//	schedule   which measurements may run side by side
//
// The journal of each host is the truth about that host. A rollout's file knows
// the order, the plans and what was measured; where the two differ the host is
// believed.
package fleet
