package remote

import (
	"encoding/json"
	"testing"
)

func TestMembersAreSetWhereTheyStand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, want string
		change           func(o *object)
	}{
		{"a value is replaced", `{ "a" : 1 , "b":2}`, `{ "a" : 9 , "b":2}`, func(o *object) { o.set("9", "a") }},
		{"a new one comes last", `{"b":2 }`, `{"b":2,"a":9 }`, func(o *object) { o.set("9", "a") }},
		{"into an empty object", `{}`, `{"a":9}`, func(o *object) { o.set("9", "a") }},
		{"by its other name", `{"a_b":1}`, `{"a_b":9}`, func(o *object) { o.set("9", "aB", "a_b") }},
		{"one is taken out", `{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, func(o *object) { o.remove("b") }},
		{"all are taken out", `{"a":1,"b":2}`, `{}`, func(o *object) { o.remove("a", "b") }},
		{"doubles are all set", `{"a":1,"a":2}`, `{"a":9,"a":9}`, func(o *object) { o.set("9", "a") }},
		{"what is set and taken out is out", `{"a":1,"b":2}`, `{"b":2}`, func(o *object) { o.set("9", "a"); o.remove("a") }},
		{"inside of a member", `{"a":{"x":1,"y":2}}`, `{"a":{"y":2}}`, func(o *object) { o.within(func(a *object) { a.remove("x") }, "a") }},
		{"null has no members", `{"a":null}`, `{"a":9}`, func(o *object) {
			if !o.within(func(a *object) { a.set("1", "x") }, "a") {
				o.set("9", "a")
			}
		}},
	} {
		o := parseObject([]byte(tt.body))
		tt.change(o)
		got, err := o.bytes()
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

// FuzzMembers: an object that is changed is still one, and the members that nobody
// touched keep their bytes.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":1, "b":{"c":[]},"a":"x"}`))
	f.Add([]byte(`{ }`))
	f.Add([]byte(`{"tools":[ 1 ],"stream":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var before map[string]json.RawMessage
		if json.Unmarshal(body, &before) != nil || before == nil {
			return
		}
		o := parseObject(body)
		o.set("9", "a")
		o.remove("stream")
		o.within(func(b *object) { b.set("1", "c") }, "b")
		out, err := o.bytes()
		if err != nil {
			t.Fatal(err)
		}
		var after map[string]json.RawMessage
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatalf("%s became %s: %v", body, out, err)
		}
		for key, value := range before {
			if key != "a" && key != "b" && key != "stream" && string(after[key]) != string(value) {
				t.Fatalf("%s was %s and is %s", key, value, after[key])
			}
		}
	})
}
