//go:build !slim

package labcmd

// pathHelp are the keys of a path, each with a value as an example. A test holds
// that they are those of the parser.
const pathHelp = `  rtt=50ms              round-trip time, half of it each way
  jitter=8ms            standard deviation of the delay each way
  dist=normal           its distribution: normal, uniform, pareto, paretonormal
                        or file:TABLE
  order=free            jitter may reorder packets; keep: it may not
  loss=0.5%             random loss; ge:0.1%:25% (ge:P:R[:BAD[:GOOD]]): in bursts
  rate=100mbit          bottleneck
  queue=64KiB           its queue: bytes, 1000p (packets), 1.5bdp, or an AQM:
                        fq_codel, cake, codel, pie
  cross=4xcubic         other traffic through it: 2xbbr, 50mbit (UDP), 2xcubic+5mbit
  policer=50mbit:64KiB  drops what exceeds RATE:BURST, without a queue
  udp.loss=1%           random loss of UDP alone, a tunnel's included
  udp.rate=10mbit       bottleneck of UDP alone
  udp.policer=9mbit:32KiB  policer of UDP alone
  sqm=60mbit:fq_codel   what the sending host shapes itself to: 51mbit:cake,
                        10mbit:tbf:900ms
  tunnel=wireguard      wireguard, gre, ip6gre or none; inside it is no
                        IPv6 if its MTU is below 1280
  mtu=1400              of the path outside the tunnel
  pmtud=off             packets above mtu vanish, without an ICMP message
  schedule=every 15s for 200ms rtt=+50ms  what changes with time
`
