// Package affinity keeps threads on a CPU.
package affinity
