package lint

import (
	"slices"
	"strings"
)

// checkFloors holds the imports of one file against the plan.
func checkFloors(f *File) []Finding {
	if slices.Contains(besides, f.Unit) {
		return nil
	}
	mine := floorOf(f.Unit)
	if mine < 0 {
		return []Finding{f.at(f.AST.Name, "package %s has no floor: give it one in internal/lint/plan.go", f.Dir)}
	}
	var out []Finding
	for _, spec := range f.AST.Imports {
		dir, ok := strings.CutPrefix(importPath(spec), module+"/")
		if !ok {
			continue
		}
		unit := unitOf(dir)
		allowed, narrowed := only[f.Unit]
		switch {
		case unit == f.Unit:
		case slices.Contains(besides, unit):
			out = append(out, f.at(spec, "%s imports %s, which is no part of the house", f.Unit, unit))
		case narrowed && !slices.Contains(allowed, unit):
			out = append(out, f.at(spec, "%s imports %s; of the house it may import only %s", f.Unit, unit, strings.Join(allowed, ", ")))
		case floorOf(unit) >= mine:
			out = append(out, f.at(spec, "%s imports %s, which does not stand below it", f.Unit, unit))
		}
	}
	return out
}

// checkForeign keeps each library behind the one package that is there to hide it.
func checkForeign(f *File) []Finding {
	if slices.Contains(besides, f.Unit) {
		return nil
	}
	var out []Finding
	for _, spec := range f.AST.Imports {
		path := importPath(spec)
		for _, library := range engine {
			if f.Unit == "sql" && strings.HasPrefix(path, library+"/") && !mayUseEngine(f.Dir) {
				out = append(out, f.at(spec, "%s imports the SQL engine, %s; what it needs of it belongs in sql/legacy", f.Dir, library))
			}
		}
		for library, users := range foreign {
			if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(users, f.Unit) {
				out = append(out, f.at(spec, "%s imports %s; only %s may", f.Unit, library, strings.Join(users, " and ")))
			}
		}
	}
	return out
}

// mayUseEngine reports whether a package of sql may import the SQL engine.
func mayUseEngine(dir string) bool {
	return dir == engineDoor || strings.HasPrefix(dir, engineDoor+"/") || slices.Contains(engineUsers, dir)
}
