package peers

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"redislocklab/simulations"
)

// tables plays every race on every library, and says what came of it and what each of
// them offers. The stories are those of all cells that are BROKEN.
func tables(t *testing.T) (text, stories string) {
	table := judge(t, "")
	for _, s := range simulations.Scenarios() {
		for _, j := range table[s.Name] {
			if j.cell() == string(simulations.Broken) {
				stories += fmt.Sprintf("%s on %s\n\n%s\n", j.race, j.column, j.report)
			}
		}
	}
	return draw(t, table) + "\n" + legend +
		"\nNot offered:\n\n" + notOfferedBy() +
		"\nWhy, in the library's own code:\n\n" + findings +
		"\nWhat each offers:\n\n" + features + "\n" + featureNotes, strings.TrimSuffix(stories, "\n")
}

//go:embed go.mod
var goMod string

// Versions are those of the libraries, and of go-redis.
func Versions() (list []string) {
	for line := range strings.Lines(goMod) {
		words := strings.Fields(line)
		if len(words) == 2 && words[0] != "module" && strings.HasPrefix(words[1], "v") && !slices.Contains([]string{"github.com/redis/rueidis/mock", "github.com/stretchr/testify", "redislocklab"}, words[0]) {
			list = append(list, strings.TrimPrefix(words[0], "github.com/")+" "+words[1])
		}
	}
	return list
}

// Save writes text into the block of a document with this name, which stands between
// "<!-- measured NAME -->" and "<!-- end -->".
func Save(path, name, text string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := "<!-- measured "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(content), begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		return fmt.Errorf("%s has no block %q", path, name)
	}
	return os.WriteFile(path, []byte(before+begin+"```text\n"+text+"```\n"+end+after), 0o644)
}
