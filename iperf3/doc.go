// Package iperf3 speaks the iperf3 protocol, as client and as server, and is
// wire-compatible with stock iperf3 from version 3.12 in both roles.
//
// A Client runs one Test against a server and returns a Result: what each
// stream moved, how TCP saw it (samples of TCP_INFO of our own sockets), and
// what the server reported. A Server is the far end.
//
//	client := iperf3.Client{}
//	result, err := client.Run(ctx, "far:5201", iperf3.Test{Duration: 5 * time.Second, Reverse: true})
//
// # The protocol
//
// A test has a control connection over TCP and one data connection a stream.
// The control connection carries a cookie, then states of one byte each, in
// this order:
//
//	client                       server
//	cookie               →
//	                     ←       PARAM_EXCHANGE
//	parameters, JSON     →
//	                     ←       CREATE_STREAMS
//	data connections     →
//	                     ←       TEST_START, TEST_RUNNING
//	(data both ways)
//	TEST_END             →
//	                     ←       EXCHANGE_RESULTS
//	results, JSON        →
//	                     ←       results, JSON
//	                     ←       DISPLAY_RESULTS
//	IPERF_DONE           →
//
// This package's client sends the parameters right behind the cookie, and its results
// right behind TEST_END: a server reads them when it has sent its state. That takes a
// round trip less each time.
//
// The client may leave at any time with CLIENT_TERMINATE, the server with
// SERVER_TERMINATE, ACCESS_DENIED or SERVER_ERROR. docs/iperf3.md describes
// the differences between versions and how this package meets them.
//
// # Systems
//
// On Linux data moves by raw system calls: large writes, receives that do not
// copy, sendmmsg and segmentation offload for UDP. Elsewhere it moves through
// package net, and samples carry no TCP_INFO.
package iperf3
