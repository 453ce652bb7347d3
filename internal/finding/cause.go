package finding

// Cause says why one stream is slow. The words are the project's vocabulary:
// they stand in JSON and do not change.
type Cause string

const (
	Healthy       Cause = "healthy"
	LossLimited   Cause = "loss-limited"
	Reordering    Cause = "reordering"
	Policed       Cause = "policed"
	Bufferbloat   Cause = "bufferbloat"
	Congested     Cause = "congested"
	ShallowBuffer Cause = "shallow-buffer"
	AckLimited    Cause = "ack-limited"
	SlowStart     Cause = "slow-start"
	SendBuffer    Cause = "send-buffer"
	ReceiveWindow Cause = "receive-window"
	AppLimited    Cause = "app-limited"
	Relayed       Cause = "relayed"
	CPUBound      Cause = "cpu-bound"
	SocketDrops   Cause = "socket-drops"
	MTUBlackhole  Cause = "mtu-blackhole"
	UDPThrottled  Cause = "udp-throttled"
	NoSACK        Cause = "no-sack"

	// Unclear means that one stream is slow, or that it is not known whether
	// it is, and that nothing that was measured says why.
	Unclear Cause = "unclear"
)

// Fault says that the cause is something to fix: neither healthy nor unclear.
func (c Cause) Fault() bool { return c != Healthy && c != Unclear }
