package iperf3

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain makes the binary one side of a benchmark where it is told to, and
// lets more tests run at once than there are cores: most of their
// time they wait for the end of a transfer.
func TestMain(m *testing.M) {
	if role := os.Getenv(benchRole); role != "" {
		if err := benchMain(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = flag.Set("test.parallel", "8")
	}
	os.Exit(m.Run())
}

// needStock skips where there is no stock iperf3; in CI it must be there.
func needStock(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("iperf3"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("iperf3 is not installed, which CI needs")
	}
	t.Skip("iperf3 is not installed")
}

// lastPort counts up through ports below the ephemeral ones, so that no two
// tests of this process are given the same.
var lastPort atomic.Int32

// listen listens on a port that is free for UDP, too.
func listen(t testing.TB) net.Listener {
	t.Helper()
	for range 200 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10000+(os.Getpid()*64+int(lastPort.Add(1)))%20000)
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if u, err := net.ListenPacket("udp", addr); err == nil {
			u.Close()
			return l
		}
		l.Close()
	}
	t.Fatal("no free port")
	return nil
}

func freePort(t testing.TB) int {
	t.Helper()
	l := listen(t)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// stockServer starts `iperf3 -s` and returns its address. It starts again on another
// port where somebody else was faster to take the one that was free.
func stockServer(t testing.TB, args ...string) string {
	t.Helper()
	needStock(t)
	for range 5 {
		port := freePort(t)
		cmd := exec.Command("iperf3", append([]string{"-s", "-B", "127.0.0.1", "-p", strconv.Itoa(port)}, args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait()
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-ended
		})
		gone := func() bool {
			select {
			case <-ended:
				return true
			default:
				return false
			}
		}
		waitFor(t, "iperf3 -s to listen", func() bool { return listening(port) || gone() })
		if !gone() {
			return fmt.Sprintf("127.0.0.1:%d", port)
		}
	}
	t.Fatal("iperf3 -s ended five times before it listened")
	return ""
}

// listening looks into /proc, since a stock server takes any connection for a
// client.
func listening(port int) bool {
	tcp, _ := os.ReadFile("/proc/net/tcp")
	tcp6, _ := os.ReadFile("/proc/net/tcp6")
	for line := range strings.Lines(string(tcp) + string(tcp6)) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
			return true
		}
	}
	return false
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s", what)
		}
	}
}

// visits collects what a server reports.
type visits struct {
	mu   sync.Mutex
	seen []Visit
}

func (v *visits) add(visit Visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = append(v.seen, visit)
}

func (v *visits) all() []Visit {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Visit(nil), v.seen...)
}

// serve starts a Server and returns its address and what it reports.
func serve(t testing.TB, s *Server) (string, *visits) {
	t.Helper()
	l := listen(t)
	seen := &visits{}
	s.Report = seen.add
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Error("Serve did not end within 5 s of its context")
		}
	})
	return l.Addr().String(), seen
}

// stockResult is what of `iperf3 -c -J` the tests look at.
type stockResult struct {
	Error string
	Start struct {
		TestStart struct {
			Blksize int `json:"blksize"`
		} `json:"test_start"`
		TCPMSS int `json:"tcp_mss"`
	}
	Intervals []struct {
		Sum struct{ Omitted bool }
	}
	End struct {
		Streams []struct {
			Sender   struct{ Bytes int64 }
			Receiver struct{ Bytes int64 }
			UDP      struct {
				Bytes, Packets int64
				LostPackets    int64 `json:"lost_packets"`
				JitterMs       float64
			}
		}
		SumSent     struct{ Bytes int64 } `json:"sum_sent"`
		SumReceived struct{ Bytes int64 } `json:"sum_received"`
		Sum         struct {
			Bytes, Packets int64
			LostPackets    int64 `json:"lost_packets"`
		}
		SenderCC   string `json:"sender_tcp_congestion"`
		ReceiverCC string `json:"receiver_tcp_congestion"`
	}
	ServerOutputText string          `json:"server_output_text"`
	ServerOutputJSON json.RawMessage `json:"server_output_json"`
}

// stockClient runs `iperf3 -c addr -J args…`.
func stockClient(t testing.TB, addr string, args ...string) stockResult {
	t.Helper()
	needStock(t)
	host, port, _ := net.SplitHostPort(addr)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "iperf3", append([]string{"-c", host, "-p", port, "-J"}, args...)...).Output()
	if err != nil {
		t.Fatalf("iperf3 -c %v: %v\n%s", args, err, out)
	}
	var r stockResult
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("iperf3 -c %v: %v\n%s", args, err, out)
	}
	return r
}

func run(t testing.TB, addr string, test Test) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := (&Client{}).Run(ctx, addr, test)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
