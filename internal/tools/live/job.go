package main

import (
	"fmt"
	"math/rand/v2"

	"unchoke/internal/tools/diagnosis/draw"
)

// program is what sends and receives on a path.
type program string

const (
	bulk   program = "iperf3"          // as much as it can
	fetch  program = "curl"            // from python's http.server
	paced  program = "iperf3 -b"       // limits itself
	stream program = "live stream"     // a server that sends a piece a second, as live video does
	slow   program = "curl that rests" // reads at a rate of its own
)

// watched is how old a flow is, in seconds, when its verdict counts; the program
// runs some seconds longer.
const (
	watched = 10
	lasts   = watched + 4
)

// job is a path, a direction and who sends.
type job struct {
	draw    draw.Draw
	way     draw.Direction
	program program
	attach  bool // unchoke check --flow, in place of watch
}

// newJob draws them, by the path's seed and number alone: two thirds of the flows
// carry as much as they can.
// A path has several flows: each second one goes the other way.
func newJob(d draw.Draw, flow int) job {
	way := rand.New(rand.NewPCG(d.Seed, 1<<32+uint64(d.Index))).IntN(2)
	r := rand.New(rand.NewPCG(d.Seed, uint64(flow)<<32+uint64(d.Index)))
	r.IntN(2)
	j := job{draw: d, way: draw.Both[(way+flow-1)%2]}
	j.program = []program{bulk, bulk, fetch, fetch, paced, stream, slow, bulk, fetch}[r.IntN(9)]
	return j
}

// limiting are the programs that limit themselves.
var limiting = map[program]bool{paced: true, stream: true, slow: true, pacedRsync: true, liveVideo: true, slowNginx: true}

// sharing is the part of what stock iperf3 carries on the path that a program
// takes which limits itself.
const sharing = 0.3

// limited says that the program limits itself, at a rate in bit/s.
func (j job) limited(seen float64) (rate float64, ok bool) {
	if !limiting[j.program] || seen <= 0 {
		return 0, false
	}
	return sharing * seen, true
}

// ends are the hosts that send and receive.
func (j job) ends() (sender, receiver string) {
	if j.way == draw.Down {
		return "far", "near"
	}
	return "near", "far"
}

// scripts are the shell commands of both hosts. A watch runs on either for as
// long as the program.
func (j job) scripts(unchoke string, rate float64) (near, far string) {
	server, client := j.commands(rate)
	// Near begins after far, by as long as other traffic takes to settle: what
	// both do together waits for a file. They share their files.
	watch := func(name string) string {
		return fmt.Sprintf("%s watch --json --for %ds > /tmp/watch.%s & sleep 0.3; ", unchoke, lasts+1, name)
	}
	serve := func(name string) string {
		if server[name] == "" {
			return ""
		}
		return fmt.Sprintf("(%s) > /dev/null & ", server[name])
	}
	run := func(name string) string {
		if client[name] == "" {
			return ""
		}
		return client[name] + " > /dev/null & "
	}
	far = serve("far") + "until [ -e /tmp/go ]; do sleep 0.1; done; " + watch("far") + run("far") + "sleep 300"
	near = serve("near") + "sleep 1; touch /tmp/go; " + watch("near") + run("near") +
		fmt.Sprintf("sleep %d; cat /tmp/watch.near; echo %s; cat /tmp/watch.far", lasts+2, mark)
	return near, far
}

// commands are the shell commands that serve and that ask, by the host on which
// they run, at a rate in bit/s; 0 is as fast as it goes.
func (j job) commands(rate float64) (server, client map[string]string) {
	sender, receiver := j.ends()
	of := func(host, command string) map[string]string { return map[string]string{host: command} }
	switch {
	case j.program.transfers():
		t := j.transfer(rate, attachLasts)
		return of(t.serves, t.server), of(t.asks, t.client)
	case j.program == bulk, j.program == paced && rate > 0:
		limit, reverse := "", ""
		if rate > 0 {
			limit = fmt.Sprintf(" -b %.0f", rate)
		}
		if j.way == draw.Down {
			reverse = " -R"
		}
		return of("far", "iperf3 -s"), of("near", fmt.Sprintf("timeout %d iperf3 -c far -t %d%s%s", lasts+30, lasts, reverse, limit))
	case j.program == stream && rate > 0:
		return of(sender, fmt.Sprintf("/usr/bin/python3 -c '%s' %.0f", streamServer, rate/8)),
			of(receiver, fmt.Sprintf("curl -s -m %d -o /dev/null http://%s:8080/", lasts, sender))
	}
	limit := ""
	if rate > 0 { // else the path carries nothing of which it could take a part
		limit = fmt.Sprintf(" --limit-rate %.0f", rate/8)
	}
	return of(sender, fmt.Sprintf("cd /tmp; truncate -s 8G video; exec /usr/bin/python3 -c '%s' 2> /dev/null", fileServer)),
		of(receiver, fmt.Sprintf("curl -s -m %d%s -o /dev/null http://%s:8080/video", lasts, limit, sender))
}

const mark = "====="

// fileServer is python's http.server, which would ask the DNS for its own name.
const fileServer = `import http.server,socket
socket.getfqdn=lambda *a:"lab"
http.server.test(http.server.SimpleHTTPRequestHandler,http.server.ThreadingHTTPServer,port=8080)`

// streamServer sends a piece a second to whoever connects, of as many bytes as
// its argument says.
const streamServer = `import socket,sys,time
s=socket.create_server(("",8080),family=socket.AF_INET6,dualstack_ipv6=True)
c,_=s.accept()
c.recv(4096)
c.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
t=time.time()
while True:
  c.sendall(bytes(int(sys.argv[1])))
  t+=1
  time.sleep(max(t-time.time(),0))`
