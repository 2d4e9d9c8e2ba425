package lab

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"redislocklab/simulations"
	"redislocklab/simulations/workshop"
)

const columns = 80

// race draws one race: verdict, timeline, and what broke.
func (l *Lab) race(race, subject string) (string, error) {
	report, err := l.play(race, subject)
	if err != nil {
		return "", err
	}
	title := race + " on " + subject
	text := fmt.Sprintf("%s%*s\n\n%s", title, columns-4-utf8.RuneCountInString(title), report.Verdict, report)
	return fenced("text", text), nil
}

// broken lists the races that the subject loses, and those that it cannot enter.
func (l *Lab) broken(subject string) (string, error) {
	races := map[simulations.Verdict][]string{}
	for _, scenario := range simulations.Scenarios() {
		report, err := l.play(scenario.Name, subject)
		if err != nil {
			return "", err
		}
		races[report.Verdict] = append(races[report.Verdict], scenario.Name)
	}
	text := ""
	for _, verdict := range []simulations.Verdict{simulations.Broken, simulations.NotOffered} {
		if names := races[verdict]; names != nil {
			list := strings.TrimSpace(fillTo(columns-12, strings.Join(names, ", ")))
			text += fmt.Sprintf("%-7s %s\n", verdict, strings.ReplaceAll(list, "\n", "\n        "))
		}
	}
	first := races[simulations.Broken][0]
	return fenced("text", text+fmt.Sprintf("\nmake race RACE=%s STAGE=%s\n", first, number(subject))), nil
}

// table is a Markdown table of each race against each of the subjects.
func (l *Lab) table(scenarios []simulations.Scenario, subjects []simulations.Subject) string {
	var text strings.Builder
	text.WriteString("| race | promise |")
	for _, s := range subjects {
		fmt.Fprintf(&text, " %s |", short(s.Name))
	}
	text.WriteString("\n|---|---" + strings.Repeat("|---", len(subjects)) + "|\n")
	for _, scenario := range scenarios {
		fmt.Fprintf(&text, "| %s | %s |", scenario.Name, scenario.About)
		for _, s := range subjects {
			fmt.Fprintf(&text, " %s |", simulations.Play(l.T, scenario, s).Verdict)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// races is a Markdown table of what happens in each race.
func (l *Lab) races(scenarios []simulations.Scenario) string {
	text := "| race | what happens |\n|---|---|\n"
	for _, s := range scenarios {
		text += fmt.Sprintf("| %s | %s |\n", s.Name, s.What)
	}
	return text
}

// starter is what make exercise3 says in a clone.
func (l *Lab) starter(number string) (string, error) {
	e, err := workshop.Find(number)
	if err != nil {
		return "", err
	}
	files, err := e.Starter(l.Root)
	if err != nil {
		return "", err
	}
	judged, err := e.Run(context.Background(), l.Root, workshop.Ask{Files: files})
	return fenced("text", l.report(e, workshop.Ask{}, judged, false)), err
}

// promises is a Markdown list of what the races judge.
func promises() (text string) {
	for _, invariant := range simulations.Invariants() {
		text += fmt.Sprintf("- `%s`: %s\n", invariant, invariant.Meaning())
	}
	return text
}

// costs is a Markdown table of how many commands a lock sends when nothing goes wrong.
func (l *Lab) costs(subjects []simulations.Subject) string {
	const ttl = 10 * time.Second
	count := func(s simulations.Subject, story func(w *simulations.World)) int {
		return simulations.Play(l.T, simulations.Scenario{Story: story}, s).Trace.Commands()
	}
	text := "| lock | commands to take it | commands to give it back |\n|---|---|---|\n"
	for _, s := range subjects {
		take := count(s, func(w *simulations.World) { w.A.TryLock(ttl) })
		both := count(s, func(w *simulations.World) { w.A.TryLock(ttl); w.A.Unlock() })
		text += fmt.Sprintf("| %s | %d | %d |\n", s.Name, take, both-take)
	}
	return text
}

func fenced(language, text string) string { return "```" + language + "\n" + text + "```\n" }

// number is the stage's number, or the name of a lock that is no stage.
func number(subject string) string {
	if rest, ok := strings.CutPrefix(subject, "stage"); ok {
		return rest[:1]
	}
	return subject
}

// short is a name for the head of a column.
func short(subject string) string {
	if strings.HasPrefix(subject, "stage") {
		return number(subject)
	}
	return path.Base(subject)
}
