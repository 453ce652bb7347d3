package live

// Limit is one thing that holds a sender back.
type Limit string

// The limits, as filters and tables write them.
const (
	LimitApp           Limit = "app"            // the program offers no more
	LimitReceiveWindow Limit = "receive-window" // the receiver has no room
	LimitSendBuffer    Limit = "send-buffer"    // the send buffer is full
	LimitNetwork       Limit = "network"        // the congestion window is
)

// limitShare is the least share of the time that makes a limit worth naming:
// below a tenth of the time nothing held the sender back for long.
const limitShare = 0.1

// Most is the limit that held the sender back for the largest share of the time;
// empty where none did for long. Of two as large it is the one nearer the program.
func (l Limits) Most() Limit {
	most, share := Limit(""), limitShare
	for _, x := range []struct {
		limit Limit
		share float64
	}{
		{LimitApp, l.App},
		{LimitSendBuffer, l.SendBuffer},
		{LimitReceiveWindow, l.ReceiveWindow},
		{LimitNetwork, l.Network},
	} {
		if x.share > share {
			most, share = x.limit, x.share
		}
	}
	return most
}
