package seen

// WirePerGoodput: 1514 bytes of frame carry 1448 of payload.
const WirePerGoodput = 1514.0 / 1448.0

const (
	// SackSize is the size of a SACK option with one block in bytes (RFC 2018 §3),
	// padded.
	SackSize = 12
	// EchoSize is that of an echo probe in bytes: 14 of Ethernet, 20 of IPv4, 8 of
	// ICMP, 8 of its own.
	EchoSize = 50
	// AckSize is the size of an acknowledgement on the wire in bytes: 14 of
	// Ethernet, 20 of IPv4, 20 of TCP, 12 of timestamps.
	AckSize = 66
)
