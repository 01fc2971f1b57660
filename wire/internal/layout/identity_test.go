package layout_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

type field struct{ name, value string }

func identityOf(fields ...field) plimsoll.Digest {
	id := layout.NewIdentity()
	for _, f := range fields {
		id.Field(f.name, []byte(f.value))
	}
	return id.Sum()
}

// Long names and values are hashed on their own, and so is what many fields come
// to; none of that may make two things the same.
func TestAnIdentityTellsApartWhatDiffersAnywhere(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	var many []field
	for range 500 {
		many = append(many, field{"part", "of several"})
	}
	with := func(i int, f field) []field {
		changed := append([]field{}, many...)
		changed[i] = f
		return changed
	}
	for _, tt := range []struct {
		name string
		a, b []field
	}{
		{"the end of a long value", []field{{"text", long + "a"}}, []field{{"text", long + "b"}}},
		{"the beginning of a long value", []field{{"text", "a" + long}}, []field{{"text", "b" + long}}},
		{"the end of a long name", []field{{long + "a", ""}}, []field{{long + "b", ""}}},
		{"the first of many", with(0, field{"part", "another"}), many},
		{"the last of many", with(len(many)-1, field{"part", "another"}), many},
		{"how many", many[1:], many},
		{"the place of a letter between name and value", []field{{"ab", "c"}}, []field{{"a", "bc"}}},
		{"the place of a letter between two values", []field{{"a", "bc"}, {"a", ""}}, []field{{"a", "b"}, {"a", "c"}}},
		{"one field or two", []field{{"a", ""}, {"b", ""}}, []field{{"ab", ""}}},
		{"the order", []field{{"a", ""}, {"b", ""}}, []field{{"b", ""}, {"a", ""}}},
	} {
		first, again := identityOf(tt.a...), identityOf(tt.a...)
		if first == identityOf(tt.b...) {
			t.Errorf("%s does not matter", tt.name)
		}
		if first != again {
			t.Errorf("%s: asked twice it differs", tt.name)
		}
	}
}
