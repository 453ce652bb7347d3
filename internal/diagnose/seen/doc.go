// Package seen reads the parts of a record, each by itself: a rung of the UDP ladder,
// the times in which nothing came through, what a stream's sender lost, who carried
// its packets, what UDP and TCP did in turns. What one direction makes of all of them
// is in package view. Rates are goodput in bit/s, times are in seconds, shares of 1.
package seen
