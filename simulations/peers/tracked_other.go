//go:build !unix

package peers

import (
	"testing"

	"redislocklab/simulations"
)

func (c column) playReal(t *testing.T, _ simulations.Scenario) (r simulations.Report) {
	t.Skip("redis-server needs a Unix")
	return r
}
