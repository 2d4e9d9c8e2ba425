package bench

import (
	"math"
	"slices"
)

// spread is the median of many measurements, and the quarters around it.
type spread struct{ low, median, high float64 }

func spreadOf(values []float64) spread {
	return spread{quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)}
}

// quantile is the smallest value that at least the share q of all does not exceed.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
