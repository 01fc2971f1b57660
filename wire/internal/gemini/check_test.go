package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
	t.Parallel()
	const user, model = `{"role":"user","parts":[{"text":"hi"}]}`, `{"role":"model","parts":[{"text":"yo"}]}`
	const call, result = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`, `{"parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	const calls = `{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]}`
	const signed = `{"role":"model","parts":[{"thought":true,"text":"t","thoughtSignature":"s"},{"functionCall":{"name":"f"}}]}`
	for _, tt := range []struct{ name, contents, rest, rule string }{
		{"a good conversation", user + "," + call + "," + result + "," + model + "," + user, ``, ""},
		{"two users in a row", user + "," + user, ``, ""},
		{"parallel calls", user + "," + calls + `,{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}`, ``, ""},
		{"responses of the role function", user + "," + call + `,{"role":"function","parts":{"functionResponse":{"name":"f"}}}`, ``, ""},
		{"no contents", "", ``, wire.RuleEmpty},
		{"a content without parts", user + `,{"role":"model","parts":[]}`, ``, wire.RuleEmpty},
		{"a content with nothing at all", user + `,{}`, ``, wire.RuleEmpty},
		{"a part without data", `{"parts":[{"thought":true}]}`, ``, wire.RuleEmpty},
		{"a part with metadata only", `{"parts":[{"partMetadata":{"a":1}}]}`, ``, wire.RuleEmpty},
		{"a part with data that is not known", `{"parts":[{"hologram":{}}]}`, ``, ""},
		{"a part that is no object", `{"parts":[1]}`, ``, wire.RuleEmpty},
		{"a model that begins", model + "," + user, ``, wire.RuleOrder},
		{"a result without a call", user + "," + result, ``, wire.RuleOrphanResult},
		{"a call that never got its result", user + "," + call + "," + user + "," + model + "," + user, ``, wire.RuleNoResult},
		{"a call at the end", user + "," + call, ``, wire.RuleNoResult},
		{"a user's content between call and result", user + "," + call + "," + user + "," + result, ``, ""},
		{"a turn between call and result", user + "," + call + "," + user + "," + model + "," + result, ``, wire.RuleOrder},
		{"a call right after the model's text", user + "," + model + "," + call + "," + result, ``, ""},
		{"results of parallel calls in two contents", user + "," + calls + "," + result + "," + result, ``, ""},
		{"calls in two contents and their results in one", user + "," + call + "," + call + `,{"parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}`, ``, ""},
		{"a response with the id of the call as its name", user + "," + call + `,{"parts":[{"functionResponse":{"name":"02cb43ec"}}]}`, ``, ""},
		{"a call that is answered by a picture", user + "," + call + `,{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},` + model + "," + user, ``, ""},
		{"a part with the metadata of the video before it", `{"parts":[{"inlineData":{"mimeType":"video/mp4","data":"aGk="}},{"videoMetadata":{"fps":1}}]}`, ``, ""},
		{"fewer results than calls", user + "," + calls + "," + result, ``, wire.RuleNoResult},
		{"more results than calls", user + "," + call + `,{"parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}`, ``, wire.RuleOrphanResult},
		{"a role that does not exist", user + `,{"role":"narrator","parts":[{"text":"x"}]}`, ``, wire.RuleRole},
		{"another API's name for the model", user + `,{"role":"assistant","parts":[{"text":"x"}]}`, ``, wire.RuleRole},
		{"instructions among the contents", `{"role":"system","parts":[{"text":"x"}]},` + user, ``, wire.RuleRole},
		{"a user who calls functions", `{"role":"user","parts":[{"functionCall":{"name":"f"}}]},` + result, ``, wire.RuleRole},
		{"a model that responds to itself", user + "," + call + `,{"role":"model","parts":[{"functionResponse":{"name":"f"}}]}`, ``, wire.RuleRole},
		{"a step that lost its signature", user + "," + signed + "," + result + "," + call + "," + result, `,"model":"models/gemini-3-pro"`, gemini.RuleUnsigned},
		{"a signature on the first of two calls of a step", user + "," + user + "," + signed + "," + call + `,{"parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}`, `,"model":"models/gemini-3-pro"`, ""},
		{"a signature on the thought before the call", user + "," + signed + "," + result, `,"model":"models/gemini-3-pro"`, ""},
		{"an old turn without signatures", user + "," + call + "," + result + "," + user, `,"model":"models/gemini-3-pro"`, ""},
		{"an older model without signatures", user + "," + call + "," + result, `,"model":"models/gemini-2.0-flash"`, ""},
		{"instructions beside cached content", user, `,"cachedContent":"c/1","systemInstruction":"s"`, gemini.RuleCached},
		{"tools beside cached content", user, `,"cachedContent":"c/1","tools":[]`, gemini.RuleCached},
		{"tool config beside cached content", user, `,"cached_content":"c/1","tool_config":{}`, gemini.RuleCached},
		{"a conversation that began in cached content", result + "," + model, `,"cachedContent":"c/1"`, ""},
		{"a model that goes on from cached content", model + "," + user, `,"cachedContent":"c/1"`, ""},
		{"a call after the model's text, behind cached content", model + "," + call + "," + result, `,"cachedContent":"c/1"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wiretest.ExpectRule(t, wire.Check(decode(t, `{"contents":[`+tt.contents+`]`+tt.rest+`}`)), tt.rule)
		})
	}
}

func TestAlteredThinkingIsFound(t *testing.T) {
	t.Parallel()
	body := func(signature string) *wire.Request {
		return decode(t, `{"contents":[{"parts":[{"text":"u"}]},{"role":"model","parts":[{"thought":true,"text":"t","thoughtSignature":"`+signature+`"},{"text":"a"}]}]}`)
	}
	wiretest.ExpectRule(t, wire.CheckEdited(body("a"), body("b")), wire.RuleReasoning)
	wiretest.ExpectRule(t, wire.CheckEdited(body("a"), body("a")), "")
}
