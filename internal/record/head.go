package record

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// ReadHead reads the members that come first in a record, as far as they are
// there, and no more: the whole is hundreds of times as long.
func ReadHead(r io.Reader) (Head, error) {
	var h Head
	err := h.read(r)
	return h, plain(err)
}

func (h *Head) read(r io.Reader) error {
	r, err := unpack(r)
	if err != nil {
		return err
	}
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New("not a record")
	}
	var schema string
	defer func() {
		for _, k := range kinds {
			if strings.HasPrefix(schema, k.name+"/") {
				h.Command = k.command
			}
		}
	}()
	want := map[string]any{"schema": &schema, "started": &h.Started, "version": &h.Version, "target": &h.Target}
	for len(want) > 0 && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		to, ok := want[key.(string)]
		if !ok {
			to = new(json.RawMessage)
		}
		if err := d.Decode(to); err != nil {
			return err
		}
		delete(want, key.(string))
	}
	if len(want) > 0 { // the document ended; was that its end?
		_, err := d.Token()
		return err
	}
	return nil
}
