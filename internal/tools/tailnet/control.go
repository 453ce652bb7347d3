package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"tailscale.com/derp/derpserver"
	"tailscale.com/net/stunserver"
	"tailscale.com/tailcfg"
	"tailscale.com/tstest/integration/testcontrol"
	"tailscale.com/types/key"
)

// Where far's servers listen, on its address outside the network.
const (
	farAddress  = "10.0.0.2"
	controlPort = 8080
	derpPort    = 8443
	stunPort    = 3478
)

var controlURL = fmt.Sprintf("http://%s:%d", farAddress, controlPort)

// control is the coordination server with its relay.
type control struct{ ready atomic.Bool }

// serve starts all servers; they live as long as the process.
func (c *control) serve(ctx context.Context) error {
	quiet := func(string, ...any) {}
	relay, err := net.Listen("tcp", fmt.Sprintf("%s:%d", farAddress, derpPort))
	if err != nil {
		return err
	}
	derp := httptest.NewUnstartedServer(derpserver.Handler(derpserver.New(key.NewNode(), quiet)))
	derp.Listener.Close()
	derp.Listener = relay
	derp.Config.ErrorLog = log.New(io.Discard, "", 0)
	// The relay's protocol begins with an upgrade, which HTTP/2 lacks.
	derp.EnableHTTP2 = false
	derp.StartTLS()

	stun := stunserver.New(ctx)
	if err := stun.Listen(fmt.Sprintf("%s:%d", farAddress, stunPort)); err != nil {
		return err
	}
	go stun.Serve()

	mux := http.NewServeMux()
	mux.Handle("/", &testcontrol.Server{ExplicitBaseURL: controlURL, DERPMap: relays(), Logf: quiet, AllNodesSameUser: true})
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		if !c.ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", farAddress, controlPort))
	if err != nil {
		return err
	}
	go http.Serve(listener, mux)
	return nil
}

// relays is a map of one region, "lab".
func relays() *tailcfg.DERPMap {
	return &tailcfg.DERPMap{Regions: map[int]*tailcfg.DERPRegion{1: {
		RegionID: 1, RegionCode: "lab", RegionName: "Lab",
		Nodes: []*tailcfg.DERPNode{{
			Name: "1a", RegionID: 1, HostName: farAddress, IPv4: farAddress, IPv6: "none",
			DERPPort: derpPort, STUNPort: stunPort, STUNTestIP: farAddress, InsecureForTests: true,
		}},
	}}}
}
