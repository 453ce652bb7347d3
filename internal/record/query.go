package record

// Echo returns the series of that name, or nil.
func (r *Run) Echo(name string) *Echo {
	for i := range r.Echoes {
		if r.Echoes[i].Name == name {
			return &r.Echoes[i]
		}
	}
	return nil
}

// TransferIn is the first of some transfers that is of a direction, or nil.
func TransferIn(all []Transfer, d Direction) *Transfer {
	for i := range all {
		if all[i].Direction == d {
			return &all[i]
		}
	}
	return nil
}

// Goodput is the mean rate in bit/s between two shares of the transfer's
// duration, from its intervals: Goodput(0.5, 1) is the second half's. It is 0
// where no interval lies there.
func (t *Transfer) Goodput(from, to float64) float64 {
	var bytes int64
	var time, begin float64
	for _, i := range t.Intervals {
		middle := (begin + i.At) / 2
		if middle >= from*t.Duration && middle < to*t.Duration {
			bytes += i.Bytes
			time += i.At - begin
		}
		begin = i.At
	}
	if time == 0 {
		return 0
	}
	return float64(bytes) * 8 / time
}
