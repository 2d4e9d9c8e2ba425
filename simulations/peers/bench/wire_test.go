package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// However the text is cut, the same commands are counted.
func TestRequestsAreCounted(t *testing.T) {
	text := "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n*3\r\n$3\r\nset\r\n$3\r\n*9\n\r\n$0\r\n\r\n*1\r\n$4\r\nping\r\n*1\r\n$4\r\nQUIT\r\n"
	for size := 1; size <= len(text); size++ {
		var r requests
		var opening, others int64
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			o, c := r.feed([]byte(rest[:n]))
			opening, others, rest = opening+o, others+c, rest[n:]
		}
		require.EqualValues(t, 2, opening, "pieces of %d", size)
		require.EqualValues(t, 2, others, "pieces of %d", size)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	var r requests
	text := []byte("*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n")
	require.Zero(t, testing.AllocsPerRun(100, func() { r.feed(text) }))
}

func TestQuantiles(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	require.Equal(t, 3.0, quantile(values, 0.5))
	require.Equal(t, 5.0, quantile(values, 0.99))
	require.Equal(t, 1.0, quantile(values, 0.1))
	require.Zero(t, quantile(nil, 0.5))
}
