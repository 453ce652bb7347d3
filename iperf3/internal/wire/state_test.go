package wire

import "testing"

func TestStateNames(t *testing.T) {
	for s, want := range map[State]string{
		TestStart: "TEST_START", IperfDone: "IPERF_DONE", AccessDenied: "ACCESS_DENIED", ServerError: "SERVER_ERROR",
		0: "state 0", 3: "state 3", 17: "state 17", -3: "state -3",
	} {
		if got := s.String(); got != want {
			t.Errorf("state %d is %q, want %q", int8(s), got, want)
		}
	}
}
