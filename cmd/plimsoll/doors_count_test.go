package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// claudeByOpenAI is a body as gateways get it: OpenAI's API, and a model of Anthropic.
const claudeByOpenAI = `{"model":"claude-sonnet-4-5","tools":[{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],"messages":[
{"role":"system","content":"You load ships."},
{"role":"user","content":"How deep is the quay?"},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"quays.txt\"}"}}]},
{"role":"tool","tool_call_id":"c1","content":"The quay is nine metres deep at low water."},
{"role":"user","content":"Is that enough?"}]}`

// figure is a count with its band, as far as the way in shows that.
type figure struct{ Total, Band int }

// TestEveryWayInCountsAlike counts a body of each API, and one of OpenAI's for a model of
// Anthropic. The shape of a body says what API it is for, and nothing else does.
func TestEveryWayInCountsAlike(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct {
		dialect plimsoll.Dialect
		body    []byte
	}{"Claude by OpenAI's API": {plimsoll.OpenAI, []byte(claudeByOpenAI)}}
	for d := range apiPaths {
		bodies[string(d)] = struct {
			dialect plimsoll.Dialect
			body    []byte
		}{d, agentRequest(t, d, 3)}
	}
	for name, tt := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newDoors(t, tt.dialect, newStore(t), "")
			var plan plimsoll.Plan
			w.ask("plan", tt.body, &plan)
			want := figure{plan.Before.Total, plan.Before.Band}
			var counted figure
			w.ask("count", tt.body, &counted)
			for door, got := range map[string]figure{
				"POST count":          counted,
				"plimsoll count":      w.counted(tt.body),
				"plimsoll fit":        w.fitted(tt.body),
				"the proxy's headers": {w.proxied(tt.body).Before, want.Band},
			} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from POST plan (-plan +got):\n%s", door, diff)
				}
			}
		})
	}
}

// ask calls an operation of the API.
func (w *doors) ask(operation string, body []byte, into any) {
	w.t.Helper()
	resp, answer := call(w.t, http.MethodPost, w.proxy.url+"/plimsoll/v1/"+operation, body, map[string]string{"Authorization": "Bearer open sesame"})
	if err := json.Unmarshal(answer, into); err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: status %d, %v: %.300s", operation, resp.StatusCode, err, answer)
	}
}

// counted is what `plimsoll count` says.
func (w *doors) counted(body []byte) (f figure) {
	w.t.Helper()
	w.must(json.Unmarshal(w.output(body, "count", "--json", "-"), &f))
	return f
}

// fitted is what `plimsoll fit` begins with. It is not told the dialect.
func (w *doors) fitted(body []byte) figure {
	w.t.Helper()
	report := filepath.Join(w.t.TempDir(), "report.json")
	w.output(body, "fit", "--dry-run", "--report", report, "-")
	text, err := os.ReadFile(report)
	w.must(err)
	var plan plimsoll.Plan
	w.must(json.Unmarshal(text, &plan))
	return figure{plan.Before.Total, plan.Before.Band}
}

// output runs a command on a body.
func (w *doors) output(body []byte, arguments ...string) []byte {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "plimsoll", arguments...)
	cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
	var failure bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(body), &failure
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", arguments, err, failure.String())
	}
	return out
}
