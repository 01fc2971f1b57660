package config

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Field describes one setting.
type Field struct {
	// Key is its place in the file, such as "marks.low".
	Key string `json:"key"`
	// Env is the variable that sets it.
	Env string `json:"env"`
	// Default is the value when no source has one, as text; empty if there is
	// none.
	Default string `json:"default,omitempty"`
	// Null says what it means that there is no value; empty if there must be one.
	Null string `json:"null,omitempty"`
	// OneOf are the words that are possible; empty if any is.
	OneOf []string `json:"one_of,omitempty"`
	// Help is a sentence about it.
	Help string `json:"help"`

	// alias is another key of it; empty if there is none.
	alias string
	// variable is another variable of it; empty if there is none.
	variable        string
	index           []int
	kind            reflect.Type
	min, max, above string
	// form is what a text must look like, in the words of want.
	form, formWords string
	atMost          string
	outside         bool
}

// Fields returns every setting in the order of [Settings].
func Fields() []Field {
	return appendFields(nil, reflect.TypeFor[Settings](), "", nil)
}

func appendFields(fields []Field, section reflect.Type, prefix string, index []int) []Field {
	for i := range section.NumField() {
		f := section.Field(i)
		key, at := prefix+snake(f.Name), append(slices.Clone(index), i)
		if f.Type.Kind() == reflect.Struct {
			fields = appendFields(fields, f.Type, key+".", at)
			continue
		}
		fields = append(fields, Field{
			Key: key, Env: envName(key), alias: f.Tag.Get("alias"), variable: f.Tag.Get("variable"),
			Default: f.Tag.Get("default"), Null: f.Tag.Get("null"), Help: f.Tag.Get("help"),
			OneOf: strings.Fields(f.Tag.Get("oneof")),
			index: at, kind: f.Type,
			min: f.Tag.Get("min"), max: f.Tag.Get("max"), above: f.Tag.Get("above"),
			form: f.Tag.Get("form"), formWords: f.Tag.Get("want"),
			atMost: f.Tag.Get("atmost"), outside: f.Tag.Get("reach") == "outside",
		})
	}
	return fields
}

// envName is the variable of a key.
func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// variables are those that set the field, the one that counts first.
func (f Field) variables() []string {
	names := []string{f.Env}
	if f.alias != "" {
		names = append(names, envName(f.alias))
	}
	if f.variable != "" {
		names = append(names, f.variable)
	}
	return names
}

// keys are those that name the field.
func (f Field) keys() []string {
	if f.alias == "" {
		return []string{f.Key}
	}
	return []string{f.Key, f.alias}
}

// snake writes the name of a Go field as a key.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// fold makes keys equal that differ in case, "_" and "-" only, so that the
// camelCase names of other configurations are understood.
func fold(key string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return -1
		}
		return unicode.ToLower(c)
	}, key)
}

// flagName is the flag of a setting where its owner calls it nothing else.
func flagName(key string) string {
	return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(key)
}

// find returns the setting with that key.
func find(fields []Field, key string) (Field, bool) {
	i := slices.IndexFunc(fields, func(f Field) bool {
		return slices.ContainsFunc(f.keys(), func(name string) bool { return fold(name) == fold(key) })
	})
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// nearest returns the name that is written most like the given one, or "" when
// none is close.
func nearest(name string, known []string) string {
	best, reach := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(fold(name), fold(k)); d < reach {
			best, reach = k, d
		}
	}
	return best
}

// maxKey is longer than any key; what is longer is not compared.
const maxKey = 100

// distance is the number of letters to change, add or leave out from a to b; two
// letters that changed places count once.
func distance(a, b string) int {
	if max(len(a), len(b)) > maxKey {
		return maxKey
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
