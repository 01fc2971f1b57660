package responses

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// refused is an error as the API shows it.
type refused struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param"`
	Code    string `json:"code"`
}

func refusalOf(err error) (int, refused) {
	code := plimsoll.CodeOf(err)
	status := code.HTTPStatus()
	e := refused{Message: wire.RefusalText(err), Type: "invalid_request_error", Param: "input", Code: string(code)}
	if code == plimsoll.CodeOverLimit {
		status, e.Code = 400, "context_length_exceeded"
	}
	if status >= 500 {
		e.Type = "server_error"
	}
	return status, e
}

// Refusal renders an error as OpenAI's. A conversation that does not fit becomes
// context_length_exceeded, which SDKs and agents recognise.
func (Codec) Refusal(err error) (int, []byte) {
	status, e := refusalOf(err)
	body, _ := json.Marshal(map[string]refused{"error": e}) // strings alone cannot fail
	return status, body
}

// StreamedRefusal renders an error as the events that end a stream whose status is
// 200 already: "error" and "response.failed". That is how the API reports a full
// context to clients that asked for a stream.
func StreamedRefusal(err error) []byte {
	_, e := refusalOf(err)
	report, _ := json.Marshal(map[string]any{
		"type": "error", "sequence_number": 0, "code": e.Code, "message": e.Message, "param": e.Param, "error": e,
	})
	failed, _ := json.Marshal(map[string]any{
		"type": "response.failed", "sequence_number": 1,
		"response": map[string]any{
			"id": "resp_refused", "object": "response", "created_at": 0, "status": "failed", "output": []any{}, "usage": nil,
			"error": map[string]any{"code": e.Code, "message": e.Message},
		},
	})
	return fmt.Appendf(nil, "event: error\ndata: %s\n\nevent: response.failed\ndata: %s\n\n", report, failed)
}
