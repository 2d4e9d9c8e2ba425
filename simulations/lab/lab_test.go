package lab

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

func newLab(t *testing.T) (*Lab, *bytes.Buffer) {
	root, err := findRoot()
	require.NoError(t, err)
	var out bytes.Buffer
	return &Lab{T: t, Root: root, Out: &out}, &out
}

func TestLessons(t *testing.T) {
	for _, stage := range []string{"1", "2", "3", "4", "5"} {
		t.Run(stage, func(t *testing.T) {
			lab, first := newLab(t)
			require.NoError(t, lab.Run([]string{"lesson", stage}, false))
			again, second := newLab(t)
			require.NoError(t, again.Run([]string{"lesson", stage}, false))
			require.Equal(t, first.String(), second.String(), "the same bytes, always")

			require.NotContains(t, first.String(), "\x1b")
			for _, word := range []string{"BROKEN", "holds", "The change", "What still breaks", "make "} {
				require.Contains(t, first.String(), word)
			}
			for line := range strings.Lines(first.String()) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
			}
			require.NoError(t, again.Run([]string{"lesson", stage}, true))
			require.Contains(t, second.String(), "\x1b[31m")
		})
	}
}

func TestCommandsRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, args := range [][]string{{"lesson"}, {"lesson", "6"}, {"lesson", "1", "2"}, {"diff", "1"}, {"diff", "x"}, {"dance"}} {
		lab, out := newLab(t)
		require.Error(t, lab.Run(args, false), "%q", args)
		require.Empty(t, out.String())
	}
}

func TestMatrix(t *testing.T) {
	lab, out := newLab(t)
	require.NoError(t, lab.Run([]string{"matrix"}, false))
	require.Regexp(t, `(?m)^gc-pause +BROKEN +BROKEN +holds +holds +holds +holds +holds$`, out.String())
}

func TestDocumentsAreWhatARunGives(t *testing.T) {
	lab, _ := newLab(t)
	require.NoError(t, lab.Run([]string{"docs-check"}, false))
}

// A block whose markers are gone can no longer drift, and so nobody would see it.
func TestDocumentsHaveTheirBlocks(t *testing.T) {
	lab, _ := newLab(t)
	want := map[string]string{"README.md": "staircase races promises explored race verdicts exercise", "simulations/articles/README.md": "verdicts costs", "simulations/README.md": "found", "simulations/beyond/README.md": "race proof race race race race race beyond"}
	for _, stage := range simulations.Stages() {
		want[stage.Name+"/README.md"] = "race diff race proof broken"
	}
	for path, blocks := range want {
		text, err := os.ReadFile(filepath.Join(lab.Root, path))
		require.NoError(t, err)
		var found []string
		for _, parts := range block.FindAllStringSubmatch(string(text), -1) {
			found = append(found, strings.Fields(parts[2])[0])
		}
		require.Equal(t, blocks, strings.Join(found, " "), path)
	}
}

func TestCostsInTheComparison(t *testing.T) {
	lab, _ := newLab(t)
	costs, err := lab.fill([]string{"costs"})
	require.NoError(t, err)
	require.Contains(t, costs, "| article2/setnx-expire | 2 | 3 |", "README says five commands")
	require.Contains(t, costs, "| article2/lua-acquire | 1 | 1 |", "README says two commands")
}

func TestEverythingFitsTheScreen(t *testing.T) {
	for _, args := range [][]string{{}, {"matrix"}, {"beyond"}, {"diff", "2"}, {"diff", "3"}, {"diff", "4"}, {"diff", "5"}} {
		lab, out := newLab(t)
		require.NoError(t, lab.Run(args, false))
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, "%q: %s", args, line)
		}
	}
}

func TestADriftedDocumentIsSeenAndMended(t *testing.T) {
	lab, _ := newLab(t)
	root := t.TempDir()
	readme := filepath.Join(root, "README.md")
	drifted := "above\n<!-- begin race gc-pause stage3_lua -->\nwrong\n<!-- end -->\nbelow\n"
	require.NoError(t, os.WriteFile(readme, []byte(drifted), 0o644))
	lab.Root = root
	require.ErrorContains(t, lab.Run([]string{"docs-check"}, false), readme)
	require.NoError(t, lab.Run([]string{"docs"}, false))
	require.NoError(t, lab.Run([]string{"docs-check"}, false))
	mended, err := os.ReadFile(readme)
	require.NoError(t, err)
	require.NotContains(t, string(mended), "wrong")
	require.Contains(t, string(mended), "gc-pause on stage3_lua")
	require.True(t, strings.HasPrefix(string(mended), "above\n<!-- begin"))
	require.True(t, strings.HasSuffix(string(mended), "<!-- end -->\nbelow\n"))

	require.NoError(t, os.WriteFile(readme, []byte("<!-- begin race no-such stage3_lua -->\n<!-- end -->\n"), 0o644))
	require.ErrorContains(t, lab.Run([]string{"docs-check"}, false), "no-such")
	require.NoError(t, os.WriteFile(readme, []byte("<!-- begin race gc-pause stage3_lua -->\nno end\n"), 0o644))
	require.ErrorContains(t, lab.Run([]string{"docs-check"}, false), "begin")
}

func TestDiffLines(t *testing.T) {
	before := []string{"a\n", "b\n", "c\n"}
	after := []string{"a\n", "x\n", "c\n", "d\n"}
	require.Equal(t, []string{"  a\n", "- b\n", "+ x\n", "  c\n", "+ d\n"}, diffLines(before, after))
	require.Equal(t, []string{"+ a\n"}, diffLines(nil, []string{"a\n"}))
	require.Empty(t, around(diffLines(before, before), 1))
}

func TestFoldKeepsEveryWord(t *testing.T) {
	for _, line := range []string{
		"+       l.client.Do(ctx, " + strings.Repeat("argument, ", 20) + ")\n",
		"+       const long = \"" + strings.Repeat("x", 200) + "\"\n",
		"+ " + strings.Repeat(" ", 100) + "deep\n",
		strings.Repeat("x", 200) + "\n",
	} {
		folded := fold(line, "+ ")
		require.Equal(t, strings.Fields(line), strings.Fields(strings.ReplaceAll(folded, "\n+ ", "\n")))
	}
	require.Equal(t, "+ a\n", fold("+ a\n", "- "))
}

func TestFillKeepsEveryWord(t *testing.T) {
	text := "- " + strings.Repeat("word “quoted” and-a-long-one ", 20)
	filled := fill(text)
	require.Equal(t, strings.Fields(text), strings.Fields(filled))
	for i, line := range strings.Split(strings.TrimSuffix(filled, "\n"), "\n") {
		require.LessOrEqual(t, utf8.RuneCountInString(line), columns-2)
		require.Equal(t, i > 0, strings.HasPrefix(line, "  "))
	}
}
