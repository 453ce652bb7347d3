package tape

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"time"

	"unchoke/internal/live"
)

// decoder reads the snapshots of a frame.
type decoder struct {
	r      *bufio.Reader
	fields []field
	texts  []string
	size   int // of texts, bytes
	before []kept

	sinces []int // the since fields
}

func newDecoder(r io.Reader, fields []field) *decoder {
	d := &decoder{r: bufio.NewReaderSize(r, 64<<10), fields: fields}
	for i, x := range fields {
		if x.Kind == since {
			d.sinces = append(d.sinces, i)
		}
	}
	return d
}

// kept is a flow of the snapshot before, and when its since fields began.
type kept struct {
	flow  live.Flow
	began []int64 // in the order of decoder.sinces, ms since 1970; not changed, but replaced
}

var errBroken = errors.New("it says what cannot be")

// snapshot reads the next one. io.EOF: the frame has no more. Where the frame is
// cut off, io.ErrUnexpectedEOF.
func (d *decoder) snapshot() (*live.Snapshot, error) {
	length, err := binary.ReadUvarint(d.r)
	if err != nil {
		return nil, err
	}
	s, err := d.after(length)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return s, err
}

func (d *decoder) after(length uint64) (*live.Snapshot, error) {
	if length > mostOutline {
		return nil, errBroken
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(d.r, text); err != nil {
		return nil, err
	}
	var s live.Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, errBroken
	}
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		return nil, err
	}
	if n > mostFlows {
		return nil, errBroken
	}
	var now []kept // grows as flows come, not by what a broken frame claims
	expected := 0
	for range n {
		var k kept
		from, err := binary.ReadUvarint(d.r)
		if err != nil {
			return nil, err
		}
		if from > 0 {
			at := int64(expected) + unzigzag(from-1)
			if at < 0 || at >= int64(len(d.before)) {
				return nil, errBroken
			}
			k = d.before[at]
			expected = int(at) + 1
		}
		if err := d.flow(&k, s.Time); err != nil {
			return nil, err
		}
		now = append(now, k)
	}
	d.before = now
	s.Flows = make([]live.Flow, len(now))
	for i := range now {
		s.Flows[i] = now[i].flow
	}
	return &s, nil
}

// flow changes a flow's fields.
func (d *decoder) flow(k *kept, now time.Time) error {
	changed, err := binary.ReadUvarint(d.r)
	if err != nil {
		return err
	}
	if changed > uint64(len(d.fields)) {
		return errBroken
	}
	v := reflect.ValueOf(&k.flow).Elem()
	owned := false
	at := -1
	for range changed {
		gap, err := binary.ReadUvarint(d.r)
		if err != nil {
			return err
		}
		if gap >= uint64(len(d.fields)-at-1) {
			return errBroken
		}
		at += int(gap) + 1
		x := &d.fields[at]
		var to reflect.Value
		if x.index != nil {
			to = v.FieldByIndex(x.index)
		}
		if x.Kind != since {
			err = d.value(x.Kind, to)
		} else {
			if !owned { // the snapshot before has it too
				k.began = append(make([]int64, 0, len(d.sinces)), k.began...)
				k.began = append(k.began, make([]int64, len(d.sinces)-len(k.began))...)
				owned = true
			}
			err = d.since(&k.began[slices.Index(d.sinces, at)])
		}
		if err != nil {
			return err
		}
	}
	for i, at := range k.began {
		if x := &d.fields[d.sinces[i]]; x.index != nil && at != 0 {
			v.FieldByIndex(x.index).SetFloat(max(float64(now.UnixMilli()-at)/1e3, 0))
		}
	}
	return nil
}

// value reads one; to is not valid where this version does not have the field.
func (d *decoder) value(kind kind, to reflect.Value) error {
	if kind == text {
		s, err := d.text()
		if err == nil && to.IsValid() && !setText(to, s) {
			err = errBroken
		}
		return err
	}
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		return err
	}
	switch kind {
	case boolean:
		if to.IsValid() {
			to.SetBool(n != 0)
		}
	case integer:
		if to.IsValid() {
			setInteger(to, integerOf(to)+uint64(unzigzag(n)))
		}
	case figure:
		exp, err := binary.ReadUvarint(d.r)
		if err != nil {
			return err
		}
		if e := unzigzag(exp); to.IsValid() && e > -1000 && e < 1000 {
			to.SetFloat(value(unzigzag(n), int(e)))
		}
	}
	return nil
}

// since reads by how much a beginning moved.
func (d *decoder) since(began *int64) error {
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		return err
	}
	*began += unzigzag(n)
	return nil
}

func (d *decoder) text() (string, error) {
	n, err := binary.ReadUvarint(d.r)
	switch {
	case err != nil:
		return "", err
	case n > uint64(len(d.texts)):
		return "", errBroken
	case n > 0:
		return d.texts[n-1], nil
	}
	length, err := binary.ReadUvarint(d.r)
	if err != nil {
		return "", err
	}
	if d.size += int(min(length, mostTexts)); length > mostText || d.size > mostTexts {
		return "", errBroken
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(d.r, b); err != nil {
		return "", err
	}
	d.texts = append(d.texts, string(b))
	return string(b), nil
}
