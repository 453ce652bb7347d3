// Package wire has what goes over the control connection of a test: states of
// one byte, the cookie, and framed JSON documents with the parameters, the
// results and the server's output, as src/iperf_api.c of stock iperf3 reads and
// writes them. It turns them into bytes and back, and knows no connection.
package wire

import "fmt"

// A State is what the control connection carries besides JSON: one signed
// byte (src/iperf_api.h).
type State int8

// The states, in the words of src/iperf_api.h.
const (
	TestStart       State = 1
	TestRunning     State = 2
	TestEnd         State = 4
	ParamExchange   State = 9
	CreateStreams   State = 10
	ServerTerminate State = 11
	ClientTerminate State = 12
	ExchangeResults State = 13
	DisplayResults  State = 14
	IperfStart      State = 15
	IperfDone       State = 16
	AccessDenied    State = -1
	ServerError     State = -2
)

var stateNames = [...]string{
	TestStart: "TEST_START", TestRunning: "TEST_RUNNING", TestEnd: "TEST_END",
	ParamExchange: "PARAM_EXCHANGE", CreateStreams: "CREATE_STREAMS",
	ServerTerminate: "SERVER_TERMINATE", ClientTerminate: "CLIENT_TERMINATE",
	ExchangeResults: "EXCHANGE_RESULTS", DisplayResults: "DISPLAY_RESULTS",
	IperfStart: "IPERF_START", IperfDone: "IPERF_DONE",
}

// String returns the name in src/iperf_api.h.
func (s State) String() string {
	switch {
	case s == AccessDenied:
		return "ACCESS_DENIED"
	case s == ServerError:
		return "SERVER_ERROR"
	case s >= 0 && int(s) < len(stateNames) && stateNames[s] != "":
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", int8(s))
}
