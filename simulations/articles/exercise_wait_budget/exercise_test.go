package exercise

import (
	"testing"

	"redislocklab/simulations"
	"redislocklab/simulations/workshop"
)

func TestExercise(t *testing.T) {
	workshop.Judge(t, New, simulations.Errors{NotHeld: ErrNotHeld, Held: ErrHeld, Busy: ErrBusy, Invalid: ErrInvalid})
}
