package rawjson

import "testing"

func TestMembersAreSetAddedAndRemovedInPlace(t *testing.T) {
	t.Parallel()
	set := func(key, value string) func([]byte) []byte {
		return func(object []byte) []byte { return SetMember(object, key, []byte(value)) }
	}
	for _, tt := range []struct {
		name, object string
		edit         func([]byte) []byte
		want         string
	}{
		{"a member keeps its place", ` { "a" : 1 , "b":2} `, set("a", "3"), ` { "a" : 3 , "b":2} `},
		{"of two with one name the last counts", `{"a":1,"a":2}`, set("a", "3"), `{"a":1,"a":3}`},
		{"a new member comes last", `{"a":1 }`, set("b\n", "2"), `{"a":1,"b\n":2 }`},
		{"an empty object gets its first", `{ }`, set("a", "1"), `{"a":1 }`},
		{"a list has no members", `[1]`, set("a", "1"), `[1]`},
		{"broken JSON is left alone", `{"a":1,`, set("a", "2"), `{"a":1,`},
		{"a number is set", `{"n":"x"}`, func(o []byte) []byte { return SetInt(o, "n", -7) }, `{"n":-7}`},
		{"a number grows", `{"n":5}`, func(o []byte) []byte { return AddInt(o, "n", 2) }, `{"n":7}`},
		{"a number that is not there does not", `{}`, func(o []byte) []byte { return AddInt(o, "n", 2) }, `{}`},
		{"a member goes", `{"a":1, "b":2,"c":3}`, func(o []byte) []byte { return RemoveMember(o, "b") }, `{"a":1,"c":3}`},
		{"an object without it stays", `{"a":1}`, func(o []byte) []byte { return RemoveMember(o, "b") }, `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(tt.edit([]byte(tt.object))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMembersAndItemsAreRead(t *testing.T) {
	t.Parallel()
	object := []byte(`{"s":"a\u00e9","n":12,"l":[1, "x",{}],"s":"b"}`)
	if got := MemberText(object, "s"); got != "b" {
		t.Errorf("s is %q", got)
	}
	if got := MemberInt(object, "n"); got != 12 {
		t.Errorf("n is %d", got)
	}
	if got := string(Array(Items(Member(object, "l")))); got != `[1,"x",{}]` {
		t.Errorf("l is %s", got)
	}
	if Member(object, "x") != nil || MemberText(object, "n") != "" || MemberInt(object, "s") != 0 || Items(object) != nil {
		t.Error("something was read that is not there")
	}
	if got := string(InQuotes(AppendInside([]byte(`a\n`), []byte(`"\u00e9"`)))); got != `"a\n\u00e9"` {
		t.Errorf("pieces joined are %s", got)
	}
}
