package view

// Line is what a line carries that others share, in bit/s, and the share of it that one
// stream leaves. Where the stream has most of its direction's capacity, that is what others
// left as well: then it is the most that came through even for a moment.
func (v *View) Line() (rate, left float64) {
	if line, found := v.interleaved(); found {
		return line, 1 - v.Rate/line
	}
	if v.Slow() {
		return v.Capacity, v.Shortfall()
	}
	rate = max(v.Capacity, v.Once(), v.mostDelivered())
	return rate, 1 - v.Rate/rate
}
