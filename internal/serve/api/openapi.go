package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// descriptionRequest asks for the OpenAPI document.
type descriptionRequest struct{}

func (*descriptionRequest) do(*httpCall) (any, error) { return openapi() }

// jsonObject is a JSON object of the document.
type jsonObject map[string]any

// openapi returns the API as an OpenAPI 3.1 document. The schemas follow from the
// structs of the operations and of their answers.
var openapi = sync.OnceValues(func() (json.RawMessage, error) {
	schemas, err := answerSchemas()
	if err != nil {
		return nil, err
	}
	paths := map[string]jsonObject{}
	for _, o := range operations() {
		described, err := o.describe()
		if err != nil {
			return nil, err
		}
		paths[Root+o.path] = jsonObject{strings.ToLower(o.method): described}
	}
	return marshal(jsonObject{
		"openapi": "3.1.0",
		"info": jsonObject{
			"title": "Plimsoll", "version": "1",
			"summary":     "Keeps conversations with language models under their context window.",
			"description": "Counts, plans, fits, trims, prunes and compacts requests of any API, and reads what was taken out of them. The answers have the shapes that the command line prints with --json.",
		},
		"paths":      paths,
		"components": jsonObject{"schemas": schemas},
	})
})

func ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// describe returns the operation for the document.
func (o operation) describe() (jsonObject, error) {
	t := reflect.TypeOf(o.request).Elem()
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
	if err != nil {
		return nil, err
	}
	parameters := []jsonObject{}
	if strings.Contains(o.path, "{id}") {
		parameters = append(parameters, jsonObject{"name": "id", "in": "path", "required": true, "description": "The reference.", "schema": jsonObject{"type": "string"}})
	}
	for _, f := range optionsOf(t) {
		name := optionName(f)
		option := schema.Properties[name]
		constrain(option, f)
		if bodyOnly(f) {
			continue
		}
		inQuery := *option
		inQuery.Description = ""
		parameter := jsonObject{"name": name, "in": "query", "description": option.Description, "schema": &inQuery}
		if slices.Contains(schema.Required, name) {
			parameter["required"] = true
		}
		parameters = append(parameters, parameter)
	}
	name := strings.TrimSuffix(t.Name(), "Request")
	described := jsonObject{
		"operationId": name, "summary": o.summary, "parameters": parameters,
		"responses": jsonObject{
			"200":     response("The answer.", o.answer),
			"default": response("What went wrong and what to do.", "Failure"),
		},
	}
	if o.more != "" {
		described["description"] = o.more
	}
	if o.method == http.MethodPost {
		described["requestBody"] = body(name, schema)
	}
	return described, nil
}

// constrain adds to a schema what the tags of its field say. An option that is null
// counts as not given, so null is no type of it.
func constrain(s *jsonschema.Schema, f reflect.StructField) {
	if len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Type == "integer" {
		s.Minimum = jsonschema.Ptr(float64(leastOf(f)))
	}
	values := s
	if s.Items != nil {
		values = s.Items
	}
	for _, word := range strings.Fields(f.Tag.Get("enum")) {
		values.Enum = append(values.Enum, word)
	}
	if f.Type == reflect.TypeFor[plimsoll.Dialect]() {
		values.Enum = append(values.Enum, "auto")
		for _, d := range dialects.All() {
			values.Enum = append(values.Enum, string(d))
		}
	}
}

// body describes the two forms of a body: the request alone, or with options beside it.
func body(name string, options *jsonschema.Schema) jsonObject {
	request := ref("Request")
	if name == "trim" {
		request = ref("Messages")
	}
	options.Properties["request"] = request
	options.PropertyOrder = slices.Insert(options.PropertyOrder, 0, "request")
	if options.Properties[textOption] != nil {
		options.AnyOf = []*jsonschema.Schema{{Required: []string{"request"}}, {Required: []string{textOption}}}
	} else {
		options.Required = []string{"request"}
	}
	content := jsonObject{"schema": jsonObject{"anyOf": []*jsonschema.Schema{request, options}}}
	if shown := examples[name]; shown != nil {
		values := jsonObject{}
		for title, text := range shown {
			values[title] = jsonObject{"value": json.RawMessage(text)}
		}
		content["examples"] = values
	}
	return jsonObject{
		"required":    true,
		"description": "A request as it would be sent to a model, or an object with the request and the options. Options in the object win over those in the query.",
		"content":     jsonObject{"application/json": content},
	}
}

func response(description, schema string) jsonObject {
	return jsonObject{"description": description, "content": jsonObject{"application/json": jsonObject{"schema": ref(schema)}}}
}

// answerSchemas returns the schemas to which operations refer.
func answerSchemas() (map[string]*jsonschema.Schema, error) {
	named := map[string]reflect.Type{
		"Failure": reflect.TypeFor[Failure](), "Overload": reflect.TypeFor[Overload](),
		"Line": reflect.TypeFor[plimsoll.Line](), "Load": reflect.TypeFor[plimsoll.Load](), "Ref": reflect.TypeFor[plimsoll.Ref](),
		"Edit": reflect.TypeFor[plimsoll.Edit](), "Rung": reflect.TypeFor[plimsoll.RungReport](), "Plan": reflect.TypeFor[report.Plan](),
		"Span": reflect.TypeFor[plimsoll.Span](), "Usage": reflect.TypeFor[plimsoll.Usage](),
		"Count": reflect.TypeFor[report.Count](), "Trimmed": reflect.TypeFor[trimmed](),
		"Checkpoint": reflect.TypeFor[report.CheckpointParts](), "Compaction": reflect.TypeFor[report.Compaction](),
		"Account": reflect.TypeFor[report.Account](), "Accounts": reflect.TypeFor[report.Accounts](), "Content": reflect.TypeFor[Content](),
		"Purged":      reflect.TypeFor[store.Purged](),
		"PruneReport": reflect.TypeFor[prune.Info](), "UndoReport": reflect.TypeFor[Restored](), "Observed": reflect.TypeFor[Observed](),
	}
	all := map[string]*jsonschema.Schema{
		"Request":     {Type: "object", Description: "A request of Chat Completions, Responses, Messages or generateContent. What is not edited keeps its bytes."},
		"Messages":    {Types: []string{"array", "object"}, Description: "A list of messages, or a chat completions request."},
		"Description": {Type: "object", Description: "An OpenAPI document."},
		"Fitted":      editedSchema("Plan", "request", "report"),
		"Pruned":      editedSchema("PruneReport", "request", "report"),
		"Compacted":   editedSchema("Compaction", "report"),
		"Restored":    editedSchema("UndoReport", "request", "report"),
	}
	for name, t := range named {
		types := enums()
		for other, t := range named {
			if other != name {
				types[t] = ref(other)
			}
		}
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", name, err)
		}
		correct(s)
		all[name] = s
	}
	for path, note := range notes {
		schema, property, _ := strings.Cut(path, ".")
		all[schema].Properties[property].Description = note
	}
	all["Usage"].Properties["total_tokens"] = &jsonschema.Schema{Type: "integer", Description: "Sum of the first four figures."}
	// A conversation without messages and a message without parts have null here.
	messages := all["Load"].Properties["messages"]
	nullable := []string{"array", "null"}
	messages.Type, messages.Types = "", nullable
	parts := messages.Items.Properties["parts"]
	parts.Type, parts.Types = "", nullable
	return all, nil
}

func editedSchema(report string, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: required, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{"request": ref("Request"), "report": ref(report)},
	}
}

// correct repairs what jsonschema infers from slices and from pointers to named types.
// Answers have an empty list where there is nothing, and no member for a nil pointer
// with omitempty.
func correct(s *jsonschema.Schema) {
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Type, s.Types = "array", nil
	}
	for name, p := range s.Properties {
		if p.Ref != "" && p.Types != nil {
			p.Types = nil
			if slices.Contains(s.Required, name) {
				p.AnyOf, p.Ref = []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}, ""
			}
		}
		correct(p)
	}
	if s.Items != nil {
		correct(s.Items)
	}
}

// enums are the types of which all values are known.
func enums() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[plimsoll.Code](): enum(plimsoll.CodeInternal, plimsoll.CodeInvalid, plimsoll.CodeNotFound, plimsoll.CodeOverLimit,
			plimsoll.CodeUnknownModel, plimsoll.CodeUnsupported, plimsoll.CodeUnavailable),
		reflect.TypeFor[plimsoll.EditKind](): enum(plimsoll.EditDrop, plimsoll.EditReplace, plimsoll.EditRemove, plimsoll.EditInsert,
			plimsoll.EditWithdraw, plimsoll.EditSystem, plimsoll.EditTool),
		reflect.TypeFor[plimsoll.FloorKind](): enum(plimsoll.FloorSystem, plimsoll.FloorTools, plimsoll.FloorFraming, plimsoll.FloorPinned,
			plimsoll.FloorTurn, plimsoll.FloorRound),
		reflect.TypeFor[fit.CompressionStatus](): enum(fit.Compressed, fit.CompressionFailedInflated, fit.CompressionFailedCount,
			fit.CompressionFailedEmpty, fit.ContentTruncated, fit.CompressionNoop),
		reflect.TypeFor[fit.Trigger](): enum(fit.Manual, fit.Automatic),
		reflect.TypeFor[report.Kind](): enum(report.System, report.Tools, report.User, report.Assistant, report.Calls,
			report.Results, report.Reasoning, report.Media, report.Other, report.Framing),
	}
}

func enum[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// notes describe members of answers whose types belong to other packages.
var notes = map[string]string{
	"Line.window":                 "The model's limit in tokens.",
	"Line.reserve":                "What is kept free for the answer.",
	"Line.input":                  "The most that a prompt may weigh whatever the answer is.",
	"Load.total":                  "Tokens of everything.",
	"Load.exact":                  "Every figure comes from the provider's own vocabulary.",
	"Load.band":                   "The expected error of the total, either way.",
	"Ref.id":                      "Names the stored content.",
	"Edit.rung":                   "The rung that made it.",
	"Edit.message":                "Index in the original request; -1 beside the messages.",
	"Edit.part":                   "Index in the message; -1 for all of it.",
	"Edit.saved":                  "Tokens that it took off; negative if it added some.",
	"Rung.replayed":               "Its edits were made for an earlier request.",
	"Rung.undone":                 "Why its edits were taken back.",
	"Rung.skipped":                "Why it was passed over.",
	"Plan.goal":                   "The load that was aimed at.",
	"Plan.floor":                  "What could not have been removed; 0 if it was not measured.",
	"Plan.degraded":               "Why nothing could be stored.",
	"Count.model":                 "With aliases resolved.",
	"Count.requested":             "The model as it was named, if otherwise.",
	"Count.encoding":              "Null if it is an estimate.",
	"Count.band":                  "The expected error of the total, either way.",
	"Count.limit":                 "What the total is compared with.",
	"Count.window":                "What prompt and answer may have together; 0 if unknown.",
	"Count.freeboard":             "What is left under the limit.",
	"Count.space":                 "What takes the space, largest first.",
	"Checkpoint.user":             "What the user said.",
	"Checkpoint.ledger":           "The names that the work is about.",
	"Checkpoint.tail":             "What follows the checkpoint.",
	"Checkpoint.by":               "Who wrote the summary.",
	"Checkpoint.cost":             "Dollars.",
	"Compaction.reason":           "Why nothing was done, or what failed.",
	"Compaction.refs":             "References that stand in the new history, that of the old messages first.",
	"Compaction.degraded":         "Why nothing could be stored.",
	"Account.input_tokens":        "The whole prompts; the next two are parts of them.",
	"Account.saved_tokens":        "What was not sent because of cuts.",
	"Account.rewritten_tokens":    "What had to be written to a prompt cache again because of cuts.",
	"Account.estimated_tokens":    "What was sent, as weighed before.",
	"Account.drift":               "By how much that exceeds the bill, as a share.",
	"Account.uncut_usd":           "What it would have cost without cuts.",
	"Account.net_usd":             "What cutting saved; negative if it cost more.",
	"Accounts.conversations":      "The most recently used first.",
	"PruneReport.turns_to_remove": "Turns that were dropped.",
	"PruneReport.original_length": "Tokens before, the system prompt included.",
	"PruneReport.pruned_length":   "Tokens after.",
}

// The conversations of the examples.
const (
	harbourMessages = `[{"role":"system","content":"You answer for the harbour."},
		{"role":"user","content":"Which berths are free?"}, {"role":"assistant","content":"Berths 2 and 4 are free until the evening tide."},
		{"role":"user","content":"And tomorrow?"}, {"role":"assistant","content":"Only berth 4, from 06:00 to 21:00."},
		{"role":"user","content":"What is the depth at berth 4?"}, {"role":"assistant","content":"9.45 m at low water."},
		{"role":"user","content":"Reserve it."}]`
	harbourChat  = `{"model":"gpt-4o","messages":` + harbourMessages + `}`
	harbourTools = `{"model":"claude-sonnet-4-5","max_tokens":1024,"system":"You answer for the harbour.","messages":[
		{"role":"user","content":"Which berths are free?"},
		{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"berths","input":{"day":"today"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"2: free\n3: taken\n4: free"}]}]}`
)

// examples are bodies, by operation and title.
var examples = map[string]map[string]string{
	"count": {
		"request": harbourChat,
		"wrapped": `{"request":{"contents":[{"role":"user","parts":[{"text":"Which berths are free?"}]}]},"model":"gemini-2.5-pro","limit":1000}`,
		"text":    `{"text":"Berth 4 is free.","model":"gpt-4o"}`,
	},
	"plan": {
		"request": harbourTools,
		"wrapped": `{"request":` + harbourChat + `,"window":80,"reserve":10,"preset":"multichat"}`,
	},
	"fit": {
		"request": `{"model":"gpt-4.1","input":"Which berths are free?"}`,
		"wrapped": `{"request":` + harbourChat + `,"window":80,"reserve":10,"rungs":["slide"],"pins":["role=system"]}`,
	},
	"trim": {
		"wrapped":  `{"request":` + harbourMessages + `,"max":40,"encoder":"none"}`,
		"measured": `{"request":` + harbourChat + `,"max":40,"pairs":true,"embedder":"lexical"}`,
	},
	"prune": {"wrapped": `{"request":` + harbourChat + `,"max":60}`},
	"observe": {
		"usage":  `{"request":` + harbourChat + `,"usage":{"prompt_tokens":110,"completion_tokens":9}}`,
		"answer": `{"request":` + harbourTools + `,"answer":{"type":"message","role":"assistant","content":[{"type":"text","text":"Berths 2 and 4."}],"usage":{"input_tokens":460,"output_tokens":12}}}`,
	},
	"compact": {
		"request": harbourChat,
		"wrapped": `{"request":` + harbourChat + `,"force":true,"dry_run":true,"directives":["Keep the names of berths."]}`,
	},
}
