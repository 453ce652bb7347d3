package traffic

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// heap is pages outside Go's heap, for what the kernel writes while Go runs.
// They stay with the program: the first touch of each costs a guest what a
// system call does, and a run's rings have hundreds.
var heap = struct {
	sync.Mutex
	free map[int][][]byte // by size
}{free: map[int][][]byte{}}

// memory takes so many bytes from the heap. What is in them is whatever was
// there.
func memory(size int) ([]byte, error) {
	heap.Lock()
	defer heap.Unlock()
	if free := heap.free[size]; len(free) > 0 {
		last := len(free) - 1
		heap.free[size] = free[:last]
		return free[last], nil
	}
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("take %d bytes of memory: %w", size, err)
	}
	return b, nil
}

// release gives back what memory gave, or nothing where it gave nothing.
func release(b []byte) {
	if b == nil {
		return
	}
	heap.Lock()
	defer heap.Unlock()
	heap.free[len(b)] = append(heap.free[len(b)], b)
}
