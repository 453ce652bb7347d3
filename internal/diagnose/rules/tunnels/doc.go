// Package tunnels has the causes that sit in a tunnel or in how the network treats its
// packets: the relay, UDP held back, packets too large to pass. A rule is as package
// rules says.
package tunnels
