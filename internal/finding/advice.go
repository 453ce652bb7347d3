package finding

// SmartQueue puts a queue that keeps short in front of a bottleneck of so many bit/s, with
// all headers.
func SmartQueue(bottleneck float64) Remedy {
	return Remedy{
		What:  "Let a smart queue stand in front of the bottleneck: on the router that feeds it, shape to just below its rate with cake (DEV is the device towards the slow link).",
		Where: Network,
	}.By(Shape(JustBelow(bottleneck)))
}

// EmptyQueue lets a host's sender leave the queue nearly empty.
func EmptyQueue(host string) Remedy {
	return Remedy{
		What:  "Where the router cannot be changed: a sender that paces itself to what arrives (BBR) leaves the queue nearly empty.",
		Where: Sender, Host: host,
	}.By(UseCC("bbr"))
}

// FindLoss is the network's part where packets are lost.
func FindLoss() Remedy {
	return Remedy{What: "Find the loss where it happens: radio link, cable, or a tunnel's overflowing socket. Forward error correction in the tunnel hides what cannot be fixed.", Where: Network}
}

// StopReordering is the network's part where packets overtake each other.
func StopReordering() Remedy {
	return Remedy{
		What:  "Stop the reordering where it happens: per-packet load balancing over several links, a multi-queue tunnel, a radio link that delivers out of order. Jitter that keeps the order does no such harm.",
		Where: Network,
	}
}
