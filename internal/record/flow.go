package record

// Flow is an existing TCP connection of this host that a run looked at, without
// sending anything on it.
type Flow struct {
	// Filter is what the user asked for, and Only a filter that picks this
	// connection alone, both in the grammar of ss.
	Filter string `json:"filter,omitempty"`
	Only   string `json:"only"`

	Local  string `json:"local"`  // address and port
	Remote string `json:"remote"` // address and port
	// Socket is the kernel's cookie of the socket, in hexadecimal digits.
	Socket string `json:"socket"`
	Device string `json:"device,omitempty"` // that the socket is bound to

	// The owner; empty and 0 where it may not be read.
	Process   string `json:"process,omitempty"`
	PID       int    `json:"pid,omitempty"`
	Unit      string `json:"unit,omitempty"`
	Container string `json:"container,omitempty"`
	UID       uint32 `json:"uid"`

	// Sends is true where more data leaves on this connection than arrives, while
	// it is looked at.
	Sends bool `json:"sends"`
	// Accepted is true where the peer opened the connection.
	Accepted bool `json:"accepted,omitempty"`
	// Interval is the time between two looks, in seconds.
	Interval float64 `json:"interval_s"`
	// Ended is true where the connection ended while it was looked at, and
	// Interrupted where the user did not wait for the end.
	Ended       bool `json:"ended,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`

	// Matched is how many connections the filter picked, this one among them;
	// Others are the busiest of the rest.
	Matched int     `json:"matched"`
	Others  []Other `json:"others,omitempty"`
	// Unknown says what could not be seen from here, and what would help.
	Unknown []string `json:"unknown,omitempty"`
}

// Other is a connection that the filter picked as well.
type Other struct {
	Only     string  `json:"only"` // the filter that picks it alone
	Local    string  `json:"local"`
	Remote   string  `json:"remote"`
	Process  string  `json:"process,omitempty"`
	PID      int     `json:"pid,omitempty"`
	Sent     float64 `json:"sent_bps"` // in the first look
	Received float64 `json:"received_bps"`
}

// SocketMemory is what a socket's buffers hold, in bytes as the kernel counts
// them: a segment's own memory is counted too.
type SocketMemory struct {
	Queued     uint32 `json:"send_queued_bytes,omitempty"` // of the send buffer, sent or not
	SendBuffer uint32 `json:"send_buffer_bytes,omitempty"`
	RecvBuffer uint32 `json:"receive_buffer_bytes,omitempty"`
	// Unread is payload that has arrived and that the program has not read.
	Unread uint32 `json:"unread_bytes,omitempty"`
	// Arrived is the memory of that, and of what has arrived behind a hole.
	Arrived uint32 `json:"arrived_bytes,omitempty"`
}
