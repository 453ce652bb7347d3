package record

// UDPDrops is what this host's UDP sockets threw away during a transfer.
type UDPDrops struct {
	// Receive and Send are the host's packets that a full buffer cost
	// (RcvbufErrors, SndbufErrors of /proc/net/snmp), whatever their socket.
	Receive int64 `json:"receive_buffer_errors"`
	Send    int64 `json:"send_buffer_errors"`
	// Sockets are those that dropped.
	Sockets []SocketDrops `json:"sockets,omitempty"`
	// Unknown says what could not be read, and why.
	Unknown []string `json:"unknown,omitempty"`
}

// SocketDrops is one socket that threw packets away.
type SocketDrops struct {
	Program string `json:"program,omitempty"` // empty where it is not known
	PID     int    `json:"pid,omitempty"`
	Role    Role   `json:"role"`
	Local   string `json:"local"` // address and port
	Drops   int64  `json:"drops"`
	Buffer  int64  `json:"buffer_bytes,omitempty"` // by the kernel's count; 0: not known
}
