package traffic

import "time"

// player is the receiver of Chunked: a video player that takes its media in
// chunks over one connection. Its states:
//
//	starting   no chunk has come whole yet
//	playing    media is left; it asks for the next chunk when there is room
//	stalled    the media has run out; the next whole chunk ends it
//
// It asks for one chunk at a time, as soon as the one before it is there and
// fewer than playerChunks of media are left to play. It starts to play with
// the first whole chunk and goes on playing with any.
type player struct {
	chunk   time.Duration // of media in one chunk
	started time.Duration // when the first chunk was there; 0: not yet
	media   time.Duration // that has come whole
	stalled time.Duration
}

// playerChunks is how much media a player keeps: three chunks of 4 s make the
// 12 s that live players are usually set to (HTTP Live Streaming, RFC 8216
// §6.3.3, starts three target durations from the end).
const playerChunks = 3

// take tells the player that the chunk it asked for came whole at a time, and
// returns when it asks for the next one.
func (p *player) take(at time.Duration) (ask time.Duration) {
	if p.started == 0 && p.media == 0 {
		p.started = at
	} else if out := p.runsOut(); at > out {
		p.stalled += at - out
	}
	p.media += p.chunk
	return max(at, p.runsOut()-(playerChunks-1)*p.chunk)
}

// runsOut is when the media that there is has been played.
func (p *player) runsOut() time.Duration { return p.started + p.stalled + p.media }

// stalledUntil is how long the player had waited for media by a time.
func (p *player) stalledUntil(end time.Duration) time.Duration {
	if p.media > 0 && end > p.runsOut() {
		return p.stalled + end - p.runsOut()
	}
	return p.stalled
}

// chunkBytes is the size of one chunk of media.
func (s Spec) chunkBytes() int64 { return int64(float64(s.Rate) / 8 * s.Chunk.Seconds()) }
