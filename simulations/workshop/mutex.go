package workshop

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// forgotten says where a mutex is locked, and perhaps not unlocked again: in a function
// that has no Unlock for it, if there is one, or else in every function that locks.
func (e Exercise) forgotten(files Files) string {
	var sure, perhaps []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			continue // then it does not compile either
		}
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			locked, unlocked := mutexes(function)
			for mutex, at := range locked {
				place := fmt.Sprintf("%s/%s:%d", e.Folder, name, set.Position(at).Line)
				perhaps = append(perhaps, place)
				if !unlocked[mutex] {
					sure = append(sure, fmt.Sprintf("%s, in %s: %s is locked here, and %s never unlocks it.", place, function.Name.Name, mutex, function.Name.Name))
				}
			}
		}
	}
	switch {
	case len(sure) > 0:
		return slices.Min(sure)
	case len(perhaps) > 0:
		slices.Sort(perhaps)
		return "Does every way out of the function unlock the mutex that is locked at " + strings.Join(perhaps, ", ") + "?"
	}
	return ""
}

// mutexes are the fields and variables on which a function calls Lock or TryLock, and
// Unlock. The lock of the exercise has such methods, too: it is not meant.
func mutexes(function *ast.FuncDecl) (locked map[string]token.Pos, unlocked map[string]bool) {
	locked, unlocked = map[string]token.Pos{}, map[string]bool{}
	ast.Inspect(function.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) > 0 {
			return true
		}
		switch mutex := types.ExprString(method.X); method.Sel.Name {
		case "Lock", "TryLock":
			locked[mutex] = method.Pos()
		case "Unlock":
			unlocked[mutex] = true
		}
		return true
	})
	return locked, unlocked
}
