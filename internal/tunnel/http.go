package tunnel

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// answer is what a program says over HTTP.
type answer struct {
	code int    // 200
	text string // "OK"
	body []byte
}

// maxHead bounds the lines before an answer's body, in bytes.
const maxHead = 64 << 10

// get asks a program of this host, over a connection that it takes, in HTTP/1.0
// (RFC 1945): the answer ends with the connection and has no chunks. Package
// net/http would be a third of the slim build.
func get(ctx context.Context, conn net.Conn, name, path string) (answer, error) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	a, err := func() (answer, error) {
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, name); err != nil {
			return answer{}, err
		}
		return readAnswer(conn)
	}()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return a, err
}

// readAnswer reads an answer to a request in HTTP/1.0 (RFC 1945, section 6).
func readAnswer(r io.Reader) (a answer, err error) {
	limited := &io.LimitedReader{R: r, N: maxHead}
	in := bufio.NewReader(limited)
	line := func() (string, error) {
		b, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull || err == io.EOF {
			err = fmt.Errorf("it is no HTTP: %.40q", b)
		}
		return string(bytes.TrimRight(b, "\r\n")), err
	}
	first, err := line()
	if err != nil {
		return a, err
	}
	protocol, rest, _ := strings.Cut(first, " ")
	code, text, _ := strings.Cut(rest, " ")
	if a.code, err = strconv.Atoi(code); err != nil || !strings.HasPrefix(protocol, "HTTP/1.") {
		return a, fmt.Errorf("it is no HTTP: %.40q", first)
	}
	a.text = text
	length := int64(-1)
	for {
		field, err := line()
		if err != nil {
			return a, err
		}
		if field == "" {
			break
		}
		switch name, value, _ := strings.Cut(field, ":"); strings.ToLower(name) {
		case "content-length":
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 {
				return a, fmt.Errorf("it is no HTTP: %.40q", field)
			}
		case "transfer-encoding":
			return a, fmt.Errorf("it answers HTTP/1.0 with %.40q", field)
		}
	}
	limited.N = maxStatus + 1 - int64(in.Buffered())
	a.body, err = io.ReadAll(in)
	switch {
	case err != nil:
		return a, err
	case len(a.body) > maxStatus:
		return a, errTooLong
	case length >= 0 && int64(len(a.body)) < length:
		return a, io.ErrUnexpectedEOF
	case length >= 0:
		a.body = a.body[:length]
	}
	return a, nil
}
