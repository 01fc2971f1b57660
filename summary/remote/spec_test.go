package remote

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll"
)

func env(name string) string {
	return map[string]string{"OPENAI_API_KEY": "ko", "ANTHROPIC_API_KEY": "ka\n", "GEMINI_API_KEY": "kg"}[name]
}

func TestASpecNamesAPIModelAndAddress(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]Options{
		"openai:gpt-4o-mini":                        {Dialect: plimsoll.OpenAI, Model: "gpt-4o-mini", Key: "ko"},
		"openai:qwen3:8b@http://localhost:11434/v1": {Dialect: plimsoll.OpenAI, Model: "qwen3:8b", BaseURL: "http://localhost:11434/v1", Key: "ko"},
		"openai:@cf/llama@https://host/x@y":         {Dialect: plimsoll.OpenAI, Model: "@cf/llama", BaseURL: "https://host/x@y", Key: "ko"},
		"openai:@http://localhost":                  {Dialect: plimsoll.OpenAI, BaseURL: "http://localhost", Key: "ko"},
		"anthropic:claude-x@20250101":               {Dialect: plimsoll.Anthropic, Model: "claude-x@20250101", Key: "ka"},
		"anthropic":                                 {Dialect: plimsoll.Anthropic, Key: "ka"},
		"gemini:gemini-2.5-flash":                   {Dialect: plimsoll.Gemini, Model: "gemini-2.5-flash", Key: "kg"},
		"ollama:qwen3:8b":                           {Dialect: plimsoll.Ollama, Model: "qwen3:8b"},
		"responses:gpt-5":                           {Dialect: plimsoll.Responses, Model: "gpt-5", Key: "ko"},
	} {
		got, err := Parse(spec, env)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", spec, diff)
		}
		if _, err := New(got); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for _, spec := range []string{"", "openia:gpt", "extract", "openai:llama@localhost:11434", "openai:llama@localhost/v1", "openai:m@http://", "openai:m@https://%zz"} {
		if o, err := Parse(spec, env); plimsoll.CodeOf(err) != plimsoll.CodeInvalid || plimsoll.HintOf(err) == "" {
			t.Errorf("%q gives %+v, %v, hint %q", spec, o, err, plimsoll.HintOf(err))
		}
	}
}

func TestAProviderWithoutAKeyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for d, variable := range map[plimsoll.Dialect]string{plimsoll.OpenAI: "OPENAI_API_KEY", plimsoll.Anthropic: "ANTHROPIC_API_KEY", plimsoll.Gemini: "GEMINI_API_KEY"} {
		if _, err := New(Options{Dialect: d, Model: "m"}); !strings.Contains(plimsoll.HintOf(err), variable) {
			t.Errorf("%s: %v, hint %q", d, err, plimsoll.HintOf(err))
		}
		if _, err := New(Options{Dialect: d, Model: "m", BaseURL: "http://localhost:1"}); err != nil {
			t.Errorf("%s with a server of one's own: %v", d, err)
		}
	}
}

func TestAModelThatIsNoPartOfAPathIsRefused(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Dialect: plimsoll.Gemini, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.address("../../files"); err == nil {
		t.Errorf("a model that leaves its place goes to %v", got)
	}
}

// FuzzSpec: what can be read can be used, and the key is in no error.
func FuzzSpec(f *testing.F) {
	for _, seed := range []string{"openai:m@http://h", "gemini", "anthropic:@https://u:p@h/v1", "responses:a:b@c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		const secret = "a-secret-that-no-spec-has"
		o, err := Parse(spec, func(string) string { return secret })
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Fatal(err)
			}
			return
		}
		if _, err := New(o); err != nil {
			t.Fatalf("%q is read as %+v: %v", spec, o, err)
		}
	})
}
