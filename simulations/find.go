package simulations

import (
	"fmt"
	"strings"
)

// FindScenario returns the race of that name; the error lists the known ones.
func FindScenario(name string, scenarios []Scenario) (Scenario, error) {
	var known []string
	for _, s := range scenarios {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Scenario{}, fmt.Errorf("there is no race %q; RACE is one of:\n  %s", name, strings.Join(known, "\n  "))
}

// FindSubject returns the subject of that name, or of that number if it is a stage;
// the error lists the known ones.
func FindSubject(name string, subjects []Subject) (Subject, error) {
	var known []string
	for _, s := range subjects {
		if s.Name == name || len(name) == 1 && strings.HasPrefix(s.Name, "stage"+name+"_") {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Subject{}, fmt.Errorf("there is no lock %q; STAGE is a number from 1 to 5, or one of:\n  %s",
		name, strings.Join(known, "\n  "))
}
