package record

// NIC is a device of this host that the stream's packets pass, or that of its
// default route, and what of cutting packets up and joining them it has on.
type NIC struct {
	Device string `json:"device"`
	Use    NICUse `json:"use"`
	Driver string `json:"driver,omitempty"`

	// Speed is what the device's link was negotiated to, and Duplex full or half;
	// 0 and empty where the device does not tell. Virtual devices tell what their
	// driver has written in it.
	Speed  float64 `json:"speed_bps,omitempty"`
	Duplex string  `json:"duplex,omitempty"`
	// Wireless is a device of IEEE 802.11.
	Wireless bool `json:"wireless,omitempty"`

	GSO  bool `json:"gso"`              // the kernel cuts large packets up as late as it can
	TSO  bool `json:"tso"`              // the device does, of TCP's
	GRO  bool `json:"gro"`              // arriving packets are joined
	UDP  bool `json:"udp_segmentation"` // the device cuts UDP's up
	List bool `json:"gro_list"`
	// Forwarding is rx-udp-gro-forwarding: UDP packets that are passed on are
	// joined; nil where the kernel does not have it.
	Forwarding *bool `json:"rx_udp_gro_forwarding,omitempty"`
}

// NICUse is what a device is to the stream.
type NICUse string

const (
	OnRoute      NICUse = "route"    // packets leave by it; of a tunnel, the inner ones
	OnUnderlay   NICUse = "underlay" // the tunnel's outer packets do
	DefaultRoute NICUse = "default"  // others' packets do
)
