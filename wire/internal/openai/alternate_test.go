package openai_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

// Messages that tests put together.
const (
	call    = `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`
	result  = `{"role":"tool","tool_call_id":"c","content":"r"}`
	picture = `{"role":"user","content":[ {"type":"image_url","image_url":{"url":"https://a/b"}} ]}`
)

func TestWhatIsInsertedMergesIntoItsNeighbourWhereRolesMustAlternate(t *testing.T) {
	t.Parallel()
	const system, user, assistant = `{"role":"system","content":"s"}`, `{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`
	const named = `{"role":"user","name":"bo","content":"u"}`
	say := func(d *plimsoll.Draft, before int, role plimsoll.Role) error {
		_, err := d.Insert(before, plimsoll.Say(role, `so "far"`), because)
		return err
	}
	receipt := func(d *plimsoll.Draft) error { return say(d, 1, plimsoll.User) }
	for _, tt := range []struct {
		name, model, before string
		edit                func(d *plimsoll.Draft) error
		want                string
	}{
		{"a receipt before the user's message", "sonar-pro", system + "," + user, receipt, system + `,{"role":"user","content":"so \"far\"\n\nu"}`},
		{"a receipt before a picture", "mistral-small-latest", system + "," + picture, receipt, system + `,{"role":"user","content":[{"type":"text","text":"so \"far\""},{"type":"image_url","image_url":{"url":"https://a/b"}}]}`},
		{"two receipts and a message", "google/gemma-3-27b-it", system + "," + user, func(d *plimsoll.Draft) error {
			if err := receipt(d); err != nil {
				return err
			}
			return receipt(d)
		}, system + `,{"role":"user","content":"so \"far\"\n\nso \"far\"\n\nu"}`},
		{"two of the client's messages that a cut brings together", "sonar", user + "," + assistant + "," + user + "," + assistant + "," + user, func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 1, End: 2}, because)
		}, `{"role":"user","content":"u\n\nu"},` + assistant + "," + user},
		{"an assistant's notes before its message", "Devstral-Small", user + "," + assistant + "," + user, func(d *plimsoll.Draft) error {
			return say(d, 1, plimsoll.Assistant)
		}, user + `,{"role":"assistant","content":"so \"far\"\n\na"},` + user},
		{"a receipt behind a result", "mistral-large-latest", user + "," + call + "," + result + "," + assistant, func(d *plimsoll.Draft) error {
			return say(d, 3, plimsoll.User)
		}, `{"role":"user","content":"u\n\nso \"far\""},` + call + "," + result + "," + assistant},
		{"a receipt and notes behind a result", "mistral-large-latest", user + "," + call + "," + result + "," + assistant, func(d *plimsoll.Draft) error {
			for _, role := range []plimsoll.Role{plimsoll.User, plimsoll.Assistant, plimsoll.User} {
				if err := say(d, 3, role); err != nil {
					return err
				}
			}
			return nil
		}, `{"role":"user","content":"u\n\nso \"far\""},` + call + "," + result + `,{"role":"assistant","content":"so \"far\""},{"role":"user","content":"so \"far\""},` + assistant},
		{"a receipt behind a result for another model", "gpt-4o", user + "," + call + "," + result + "," + assistant, func(d *plimsoll.Draft) error {
			return say(d, 3, plimsoll.User)
		}, user + "," + call + "," + result + `,{"role":"user","content":"so \"far\""},` + assistant},
		{"a receipt before the assistant's message", "sonar", system + "," + assistant + "," + user, receipt, system + `,{"role":"user","content":"so \"far\""},` + assistant + "," + user},
		{"a message with a name stays alone", "sonar", system + "," + named, receipt, system + `,{"role":"user","content":"so \"far\""},` + named},
		{"a client that sends two in a row", "mistral-small", system + "," + user + "," + user, receipt, system + `,{"role":"user","content":"so \"far\""},` + user + "," + user},
		{"another model", "gpt-4o", system + "," + user, receipt, system + `,{"role":"user","content":"so \"far\""},` + user},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"model":"` + tt.model + `","messages":[` + tt.before + `]}`
			if got, want := edited(t, body, tt.edit), `{"model":"`+tt.model+`","messages":[`+tt.want+`]}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestServersHaveRulesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const user, assistant, system = `{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`, `{"role":"system","content":"s"}`
	const sound = `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]}`
	const file = `{"role":"user","content":[{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"}}]}`
	for _, tt := range []struct {
		name, model string
		messages    []string
		rule        string
	}{
		{"instructions for o1-mini", "o1-mini", []string{system, user}, wire.RuleRole},
		{"a developer's instructions for o1-preview", "openai/o1-preview", []string{`{"role":"developer","content":"s"}`, user}, wire.RuleRole},
		{"instructions for o1", "o1", []string{system, user}, ""},
		{"instructions in the middle for Mistral", "mistral-large-latest", []string{user, assistant, system, user}, wire.RuleOrder},
		{"instructions behind a result for Mistral", "codestral-latest", []string{user, call, result, system}, wire.RuleOrder},
		{"instructions behind the user's message for Mistral", "mistral-large-latest", []string{user, system}, ""},
		{"a user's message behind a result for Mistral", "mistral-large-latest", []string{user, call, result, user}, ""},
		{"two of the user in a row for Mistral", "mistral-large-latest", []string{user, user}, ""},
		{"two of the user in a row for Perplexity", "sonar", []string{system, user, user}, wire.RuleOrder},
		{"two of the assistant in a row for Perplexity", "perplexity/sonar-pro", []string{user, assistant, assistant, user}, wire.RuleOrder},
		{"instructions in the middle for Perplexity", "sonar", []string{user, assistant, system, user}, wire.RuleOrder},
		{"instructions before the user for Perplexity", "sonar", []string{system, system, user, assistant, user}, ""},
		{"instructions in the middle for another", "gpt-4o", []string{user, assistant, system, user, user}, ""},
		{"sound for a model without", "gpt-5-mini", []string{sound}, openai.RulePart},
		{"sound for a model with", "gpt-4o-audio-preview", []string{sound}, ""},
		{"sound for another maker's model", "voxtral-small-latest", []string{sound}, ""},
		{"a picture in a result", "gpt-4o-mini", []string{user, call, strings.Replace(picture, `"user"`, `"tool","tool_call_id":"c"`, 1)}, openai.RulePart},
		{"a picture in a result for a newer model", "gpt-5-nano", []string{user, call, strings.Replace(picture, `"user"`, `"tool","tool_call_id":"c"`, 1)}, ""},
		{"a picture of the user", "gpt-4o-mini", []string{picture}, ""},
		{"a file without a name", "gpt-5", []string{file}, openai.RulePart},
		{"a file without a name at a gateway", "openai/gpt-4o", []string{file}, openai.RulePart},
		{"a file without a name for another maker's model", "google/gemini-2.5-flash", []string{file}, ""},
		{"a file with a name", "gpt-5", []string{strings.Replace(file, `"file_data"`, `"filename":"a.pdf","file_data"`, 1)}, ""},
		{"a file with OpenRouter's spelling of its name", "openai/gpt-4o", []string{strings.Replace(file, `"file_data"`, `"file_name":"a.pdf","file_data"`, 1)}, ""},
		{"a file that the provider has", "gpt-5", []string{strings.Replace(file, `"file_data"`, `"file_id"`, 1)}, ""},
		{"a file for Ollama", "deepseek-r1:latest", []string{file}, openai.RulePart},
		{"a picture behind an address for Ollama", "gemma3:4b-it-qat", []string{picture}, openai.RulePart},
		{"a picture in the request for Ollama", "mixtral:8x7b", []string{strings.Replace(picture, "https://a/b", "data:image/png;base64,AAAA", 1)}, ""},
		{"a call without a result for Ollama", "qwen3:latest", []string{user, call, user}, ""},
		{"a call without a result at a gateway", "qwen/qwen3-8b:free", []string{user, call, user}, wire.RuleNoResult},
		{"a part without a type", "gpt-4o", []string{`{"role":"user","content":[{"text":"u"}]}`}, openai.RulePart},
		{"a part without a type in a result", "gpt-4o", []string{user, call, `{"role":"tool","tool_call_id":"c","content":[{"text":"r"}]}`}, openai.RulePart},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wiretest.ExpectRule(t, wire.Check(decode(t, `{"model":"`+tt.model+`","messages":[`+strings.Join(tt.messages, ",")+`]}`)), tt.rule)
		})
	}
}

func TestOpenRouterReadsFilesWithAPlugin(t *testing.T) {
	t.Parallel()
	const file = `{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"}}`
	body := `{"model":"openai/gpt-4o","plugins":[{"id":"file-parser"}],"messages":[{"role":"user","content":[` + file + `]}]}`
	wiretest.ExpectRule(t, wire.Check(decode(t, body)), "")
}
