//go:build !slim

package measurecmd

// What the help of check says of the parts that the build for routers lacks: what root
// adds, URLs and the lab, and several places.
const (
	rootHelp = `; with root it also reads the headers of its own packets, which tell others'
traffic from random loss`

	wholeHelp = `A TARGET that is a URL, http:// or https://, is downloaded: one connection, then
several, at most --max-bytes. The path from that server is measured as far as
the receiver can see it; the report says what cannot be known from here.

If a lab kernel is there ("unchoke lab kernel build"), it then tries the
remedies on copies of the path in the lab, for at most 5 seconds, and reports
what each would carry: see "unchoke predict". --no-predict leaves that out.

`

	fromHelp = `

With --from, given twice or more, it makes quick checks from each of these
places in turn, in rounds of random order, and says which causes all places share
and where each other cause lies: in a place, between two, or beyond all.`
)
