package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// A source has what reflection does not: comments, and the values of constants.
type source struct {
	packages map[string]*facts // by import path
}

// facts are of one package.
type facts struct {
	types  map[string]string   // a type's comment
	fields map[string]string   // "Type.Field": its comments
	values map[string][]string // a type's string constants, in order; those of another package's type by package.Type
}

// of reads a type's package.
func (s *source) of(t reflect.Type) (*facts, error) {
	path := t.PkgPath()
	if f := s.packages[path]; f != nil {
		return f, nil
	}
	dir := strings.TrimPrefix(path, "unchoke/")
	if path == "main" {
		dir = "cmd/unchoke"
	}
	names, err := filepath.Glob(filepath.Join(root(), filepath.FromSlash(dir), "*.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("find the source of %s: %v", path, err)
	}
	f := &facts{types: map[string]string{}, fields: map[string]string{}, values: map[string][]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_slim.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				f.add(d)
			}
		}
	}
	if s.packages == nil {
		s.packages = map[string]*facts{}
	}
	s.packages[path] = f
	return f, nil
}

func (f *facts) add(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			f.types[spec.Name.Name] = comment(d.Doc, spec.Doc, spec.Comment)
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					for _, name := range field.Names {
						f.fields[spec.Name.Name+"."+name.Name] = comment(field.Doc, field.Comment)
					}
				}
			}
		case *ast.ValueSpec:
			typ := typeName(spec.Type)
			if d.Tok != token.CONST || typ == "" {
				continue
			}
			for _, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						f.values[typ] = append(f.values[typ], text)
					}
				}
			}
		}
	}
}

// typeName is that of a constant's type: Type, or package.Type; empty where it
// has none.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return x.Name + "." + t.Sel.Name
		}
	}
	return ""
}

// comment joins comments into one line.
func comment(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
