package packet

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is where the kernel puts headers, in memory that it shares with this process, so
// that none costs a system call (packet_mmap, TPACKET_V2). Each has a frame; those that
// are full follow each other from next on.
type ring struct {
	memory []byte
	next   int // frame
}

const (
	// frameSize is for the kernel's own header, 80 bytes with its padding, and for
	// mostHeaders.
	frameSize = 256
	frames    = 1 << 14 // what 1 Gbit/s carries in a tenth of a second, acknowledged two by two
	blockSize = 1 << 16
)

// mostHeaders is the most that IPv4's and TCP's headers take.
const mostHeaders = 60 + 60

// ringOf makes the ring of a socket.
func ringOf(fd int) (ring, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2); err != nil {
		return ring{}, err
	}
	err := unix.SetsockoptTpacketReq(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &unix.TpacketReq{
		Block_size: blockSize, Block_nr: frames * frameSize / blockSize, Frame_size: frameSize, Frame_nr: frames,
	})
	if err != nil {
		return ring{}, err
	}
	memory, err := unix.Mmap(fd, 0, frames*frameSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return ring{memory: memory}, err
}

// frame is the next one.
func (r *ring) frame() (*unix.Tpacket2Hdr, []byte) {
	memory := r.memory[r.next*frameSize:][:frameSize]
	return (*unix.Tpacket2Hdr)(unsafe.Pointer(&memory[0])), memory
}

// packet is the next one, where there is one. It is valid until it is released.
func (r *ring) packet() (Packet, bool) {
	header, memory := r.frame()
	if atomic.LoadUint32(&header.Status)&unix.TP_STATUS_USER == 0 {
		return Packet{}, false
	}
	link := (*unix.RawSockaddrLinklayer)(unsafe.Pointer(&memory[unsafe.Sizeof(*header)]))
	return Packet{
		At:      time.Unix(int64(header.Sec), int64(header.Nsec)),
		Leaves:  link.Pkttype == unix.PACKET_OUTGOING,
		Headers: memory[header.Net:][:min(header.Snaplen, mostHeaders)],
	}, true
}

// release gives the kernel the packet's frame back.
func (r *ring) release() {
	header, _ := r.frame()
	atomic.StoreUint32(&header.Status, unix.TP_STATUS_KERNEL)
	r.next = (r.next + 1) % frames
}

func (r *ring) close() error {
	if r.memory == nil {
		return nil
	}
	return unix.Munmap(r.memory)
}
