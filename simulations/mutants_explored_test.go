package simulations_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// Who says "holds" must be able to say "BROKEN". Each mutant is a stage with one thing
// spoilt in its source, and the explorer, which is told nothing of that, must find it.

// mutant is a stage after some edits; with none, it is the stage.
type mutant struct {
	name   string
	stage  int
	breaks simulations.Invariant // "": it holds
	bounds simulations.Bounds    // the smallest in which it breaks
	edits  []edit
}

// edit puts a new text in the place of an old one, which the file has once.
type edit struct{ file, old, new string }

// finding is a line that the throwaway module prints.
type finding struct {
	Name   string
	Report simulations.Report
}

// All mutants are packages of one throwaway module: the compiler and the linker, which
// are slower than the explorer, run once.
func TestExplorerCatchesMutants(t *testing.T) {
	require.Len(t, mutants, 5+28, "the five stages, and as many mutants as README.md says")
	module, root := t.TempDir(), absolute(t, "..")
	writeModule(t, module, root)

	spoilt := map[string]error{}
	imports, calls := "", ""
	for _, m := range mutants {
		if err := m.write(root, module); err != nil {
			spoilt[m.name] = err
			continue
		}
		imports += fmt.Sprintf("import %s %q\n", m.folder(), "mutants/"+m.folder())
		calls += fmt.Sprintf("\texplore(t, %q, %s.New, %#v)\n", m.name, m.folder(), m.bounds)
	}
	write(t, module, "mutants_test.go", fmt.Sprintf(suite, imports, calls))
	found := explore(t, module)

	fmt.Fprintf(t.Output(), "%-44s %-5s  %-12s  %s\n", "mutant", "stage", "breaks", "schedule")
	for _, m := range mutants {
		t.Run(m.folder(), func(t *testing.T) {
			require.NoError(t, spoilt[m.name])
			report := found[m.name]
			fmt.Fprintf(t.Output(), "%-44s %-5d  %-12s  %s\n", m.name, m.stage,
				cmp.Or(report.Violation.Invariant, "–"), report.Schedule)
			want := simulations.Broken
			if m.breaks == "" {
				want = simulations.Holds
			}
			require.Equal(t, want, report.Verdict, "\n%s", report)
			require.Equal(t, m.breaks, report.Violation.Invariant, "\n%s", report)
		})
	}
}

// suite is the test in the throwaway module, without its imports and calls.
const suite = `package mutants

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
)

%s
func Test(t *testing.T) {
%s}

func explore[L simulations.Locker](t *testing.T, name string, lock func(redis.UniversalClient, string) L, bounds simulations.Bounds) {
	report := simulations.Explore(t, simulations.Subject{
		Name: name,
		New:  func(client redis.UniversalClient, name string) simulations.Locker { return lock(client, name) },
	}, bounds)
	line, err := json.Marshal(map[string]any{"Name": name, "Report": report})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(line))
}
`

// explore runs the test of the throwaway module. The compiler optimizes no mutant: that
// would take most of the time.
func explore(t *testing.T, module string) map[string]simulations.Report {
	goTest := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off",
		"-gcflags=mutants/...=-N -l -dwarf=false")
	goTest.Dir = module
	goTest.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	output, err := goTest.CombinedOutput()
	require.NoError(t, err, "the mutants did not run; where one does not compile, this says why:\n%s", output)

	found := map[string]simulations.Report{}
	for line := range strings.Lines(string(output)) {
		if strings.HasPrefix(line, "{") {
			var f finding
			require.NoError(t, json.Unmarshal([]byte(line), &f), line)
			found[f.Name] = f.Report
		}
	}
	return found
}

// writeModule requires what the lab requires, in the same versions, and the lab.
func writeModule(t *testing.T, module, root string) {
	goMod := read(t, root, "go.mod")
	require.Contains(t, goMod, "module redislocklab\n")
	write(t, module, "go.mod", strings.Replace(goMod, "module redislocklab\n", "module mutants\n", 1)+
		"\nrequire redislocklab v0.0.0\n\nreplace redislocklab => "+root+"\n")
	write(t, module, "go.sum", read(t, root, "go.sum"))
}

// folder is the mutant's name as the name of a package.
func (m mutant) folder() string { return noLetters.ReplaceAllString(m.name, "_") }

var noLetters = regexp.MustCompile(`\W+`)

// write copies the stage's source, with the edits, to the throwaway module.
func (m mutant) write(root, module string) error {
	stage := filepath.Join(root, simulations.Stages()[m.stage-1].Name)
	files, err := os.ReadDir(stage)
	if err != nil {
		return err
	}
	source := map[string]string{}
	for _, f := range files {
		if name := f.Name(); strings.HasSuffix(name, ".lua") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(filepath.Join(stage, name))
			if err != nil {
				return err
			}
			source[name] = string(text)
		}
	}
	for _, e := range m.edits {
		if n := strings.Count(source[e.file], e.old); n != 1 {
			return fmt.Errorf("the edit does not apply: %s has this %d times, and not once:\n%s", filepath.Join(stage, e.file), n, e.old)
		}
		source[e.file] = strings.Replace(source[e.file], e.old, e.new, 1)
	}
	folder := filepath.Join(module, m.folder())
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, text := range source {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func absolute(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

func read(t *testing.T, folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, folder, name, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
}
