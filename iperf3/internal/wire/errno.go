package wire

// iperf3's error numbers (the enumeration in src/iperf_api.h) that package
// iperf3 itself acts on or sends.
const (
	CodeDuration       = 5
	CodeStreams        = 6
	CodeLength         = 7
	CodeWindow         = 8
	CodeMSS            = 10
	CodeOmit           = 12
	CodeEnds           = 16
	CodeUDPLength      = 20
	CodeTOS            = 21
	CodeReverseBidir   = 25
	CodeTotalRate      = 27
	CodeMaxDuration    = 37
	CodeMessage        = 110
	CodeReceiveParams  = 114
	CodeReceiveResults = 117
	CodeProtocol       = 131
	CodeSetCongestion  = 134
	CodeSetBuffer      = 124
	CodeSetBufferSmall = 141
	CodeAuth           = 142
	CodeNoMessage      = 144
	CodeExpired        = 160
	CodeCreateStream   = 200
	CodeStreamListen   = 202
	CodeStreamAccept   = 204
)

// serverErrors are the numbers that a server can report, in our words.
var serverErrors = map[int]string{
	CodeDuration:       "the test is too long",
	CodeStreams:        "too many streams",
	CodeLength:         "the block length is too large",
	CodeWindow:         "the socket buffer is too large",
	9:                  "invalid report interval",
	CodeMSS:            "the MSS is too large",
	11:                 "it has no sendfile",
	CodeOmit:           "invalid number of seconds to omit",
	13:                 "not implemented",
	14:                 "it could not open its file",
	15:                 "invalid burst count",
	CodeEnds:           "more than one condition ends the test",
	18:                 "it has no SCTP",
	CodeUDPLength:      "invalid length of a UDP datagram",
	CodeTOS:            "invalid type of service",
	23:                 "its authentication is not configured properly",
	CodeReverseBidir:   "a test cannot be both reverse and bidirectional",
	CodeTotalRate:      "the rate asked for, or reached, is above its limit",
	28:                 "invalid interval for its rate limit",
	29:                 "invalid skew threshold",
	30:                 "invalid idle timeout",
	31:                 "invalid receive timeout",
	33:                 "invalid send timeout",
	34:                 "a file cannot be sent over UDP",
	35:                 "it cannot read its file of authorized users",
	CodeMaxDuration:    "the test is longer than it allows",
	100:                "it could not create a test",
	101:                "it could not initialise the test",
	102:                "it could not listen for connections",
	103:                "it could not connect",
	104:                "it could not accept a connection",
	105:                "it could not send the cookie",
	106:                "it could not receive the cookie",
	107:                "it could not write to the control connection",
	108:                "it could not read from the control connection",
	109:                "the control connection closed unexpectedly",
	CodeMessage:        "it received an unknown message",
	111:                "it could not send a message",
	112:                "it could not receive a message",
	113:                "it could not send the parameters",
	CodeReceiveParams:  "it could not read the parameters",
	115:                "it could not put the results together",
	116:                "it could not send the results",
	CodeReceiveResults: "it could not read the results",
	118:                "its select failed",
	119:                "the client terminated the test",
	120:                "the server terminated the test",
	121:                "it is busy running a test",
	122:                "it could not set TCP_NODELAY",
	123:                "it could not set the MSS",
	CodeSetBuffer:      "it could not set the socket buffer",
	125:                "it could not set the type of service",
	126:                "it could not set the IPv6 traffic class",
	127:                "it could not set the IPv6 flow label",
	128:                "it could not reuse the address",
	129:                "it could not make a socket non-blocking",
	130:                "it could not set the window",
	CodeProtocol:       "it does not know the protocol",
	132:                "it could not set the CPU affinity",
	CodeSetCongestion:  "it could not set the congestion control",
	136:                "it could not set IPV6_V6ONLY",
	140:                "it could not set the pacing rate",
	CodeSetBufferSmall: "the socket buffer did not become as large as asked",
	CodeAuth:           "authorization failed",
	143:                "it could not bind to the device",
	CodeNoMessage:      "it received nothing for too long",
	145:                "it could not set the don't-fragment bit",
	148:                "it could not set TCP_USER_TIMEOUT",
	150:                "it could not create a thread",
	CodeExpired:        "its limit on the duration of a test expired",
	CodeCreateStream:   "it could not create a stream",
	201:                "it could not initialise a stream",
	CodeStreamListen:   "it could not listen for streams",
	203:                "it could not connect a stream",
	CodeStreamAccept:   "it could not accept a stream",
	205:                "it could not write to a stream",
	206:                "it could not read from a stream",
	207:                "a stream closed unexpectedly",
	208:                "a stream has an invalid number",
	300:                "it could not create a timer",
	301:                "it could not update a timer",
}

// ErrorText says in our words what a server reports by a number; ok is false
// for one that no version knows.
func ErrorText(code int) (text string, ok bool) {
	text, ok = serverErrors[code]
	return text, ok
}

// HasErrno tells whether the server's errno means something beside the number;
// with the others servers send whatever errno happened to be.
func HasErrno(code int) bool {
	switch code {
	case 14, CodeSetBuffer, CodeSetCongestion:
		return true
	case 109, 110, 119, 120, 121, CodeSetBufferSmall, CodeAuth, CodeNoMessage, 207, 208:
		return false
	}
	_, known := serverErrors[code]
	return known && (code >= 100 && code <= 130 || code >= 136 && code <= 150 || code >= 200)
}
