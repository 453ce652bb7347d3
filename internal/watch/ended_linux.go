package watch

import (
	"slices"
	"time"

	"unchoke/internal/flow/lately"
)

// hear takes in the ends of connections that have come. One that a dump had
// gets its last figures, one that none had is new and ended.
func (s *Sampler) hear() {
	if s.ends == nil {
		return
	}
	s.ends.swap(&s.batch)
	s.batch.each(&s.socket, s.end)
}

// end takes in the end that s.socket tells of.
func (s *Sampler) end() {
	socket := &s.socket
	if !socket.Info(&s.info) || !established(socket, &s.info) || !s.match.Holds(socket.Local(), socket.Remote()) {
		return
	}
	cookie := socket.Cookie()
	if _, known := s.gone[cookie]; known {
		return
	}
	l := lately.Look{At: s.last, Info: &s.info}
	e, ok := s.flows[cookie]
	if ok {
		e.add(l)
	} else {
		e = newEntry(socket, l, true, s.before)
		e.flow.UID = 0
		s.fresh = append(s.fresh, e)
		s.short++
	}
	e.flow.Age = e.account.Age().Seconds()
	s.bury(cookie, e)
}

// bury puts a connection among those that have ended.
func (s *Sampler) bury(cookie uint64, e *entry) {
	if e.close != nil {
		e.close.Figures(&e.flow)
	}
	e.flow.Closed = true
	e.flow.State = "close"
	e.flow.RecvQueue, e.flow.RecvMemory = 0, 0
	delete(s.flows, cookie)
	s.gone[cookie] = s.looks
	s.ended = append(s.ended, e)
	if e.owner&processAsked != 0 {
		e.settle(s.owners)
		s.owners.Forget(e.inode)
	}
}

// patience is how long a look waits for the ends of connections that the dump
// lacks: the kernel sends them from a queue of work of its own.
const patience = 20 * time.Millisecond

// await hears of the connections that the dump lacks. Those whose end does not
// come have ended with the figures of the look before.
func (s *Sampler) await(missing []*entry) {
	isOpen := func(e *entry) bool { return !e.flow.Closed }
	if s.ends != nil {
		for end := time.Now().Add(patience); slices.ContainsFunc(missing, isOpen) && time.Now().Before(end); {
			time.Sleep(patience / 20)
			s.hear()
		}
	}
	for _, e := range missing {
		if isOpen(e) {
			e.flow.SentRate, e.flow.ReceivedRate = 0, 0
			s.bury(e.cookie, e)
		}
	}
}

// forget lets go of the cookies of connections that ended some looks ago: their
// ends cannot come any more.
func (s *Sampler) forget() {
	const looks = 10
	for cookie, look := range s.gone {
		if s.looks-look > looks {
			delete(s.gone, cookie)
		}
	}
}
