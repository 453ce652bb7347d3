package seen

// LeastSquares is the line through points: its slope, and its height at zero.
func LeastSquares(x, y []float64) (slope, at0 float64) {
	n := float64(len(x))
	var mx, my, xx, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx == 0 {
		return 0, 0
	}
	return xy / xx, my - xy/xx*mx
}
