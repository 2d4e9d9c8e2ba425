package lab

import (
	"fmt"

	"redislocklab/simulations"
)

// enough is how many states growth looks at before it leaves a cell empty.
const enough = 30_000

// growth prints, as a Markdown table, how many schedules there are, and through how
// many states they lead, by actors and faults, with one expiry.
func (l *Lab) growth() error {
	fmt.Fprintln(l.Out, "| stage | actors | no fault | one fault | two faults |\n|---|---|---|---|---|")
	for _, subject := range simulations.Stages()[2:] {
		for actors := 2; actors <= 4; actors++ {
			fmt.Fprintf(l.Out, "| %s | %d |", number(subject.Name), actors)
			grown := false
			for faults := range 3 {
				cell := "–"
				if !grown {
					bounds := simulations.Bounds{Actors: actors, Faults: faults}
					report := simulations.ExploreWhile(l.T, subject, bounds, func(soFar simulations.Report) bool { return soFar.States < enough })
					if grown = report.Verdict != simulations.Holds; !grown {
						cell = fmt.Sprintf("%s / %s", thousands(report.Schedules), thousands(report.States))
					}
				}
				fmt.Fprintf(l.Out, " %s |", cell)
			}
			fmt.Fprintln(l.Out)
		}
	}
	return nil
}
