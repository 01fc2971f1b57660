package api

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

var errMissing = errors.New("it is not given")

// words say where a model and a limit came from.
var words = report.Words{Asked: "option", Given: "request", Unknown: "give its limit with the option limit"}

// count says what a request or a text weighs.
func (c *call) count() (answer, error) {
	scales := *c.h.options.Scales
	scales.Model, scales.Limit, scales.Words = c.wish.model, int(c.wish.limit), words
	if c.wish.encoding != "" {
		named, err := token.Named(c.wish.encoding)
		if err != nil {
			return answer{}, err
		}
		scales.Named = named
	}
	if c.text != nil {
		told, err := scales.Text(*c.text)
		told.Format = "text"
		return answer{body: told}, err
	}
	r, err := c.request()
	if err != nil {
		return answer{}, err
	}
	told, err := scales.Conversation(r.Conversation())
	told.Format = "json"
	return answer{body: told}, err
}

// trim leaves messages out until the rest fits.
func (c *call) trim() (answer, error) {
	o, err := c.trimOptions()
	if err != nil {
		return answer{}, err
	}
	parsed, err := trim.Parse(c.body)
	if err != nil {
		return answer{}, trimError(err)
	}
	o.Model = cmp.Or(c.wish.model, parsed.Model)
	result, err := trim.Messages(c.Context(), parsed.Messages, o)
	if err != nil {
		return answer{}, trimError(err)
	}
	text, err := result.MarshalJSON() // json.Marshal would write messages anew
	return answer{raw: text}, err
}

func (c *call) trimOptions() (*trim.Options, error) {
	if c.wish.max == nil {
		return nil, wishError("max", errMissing, "say how many tokens the messages may weigh together")
	}
	o := &trim.Options{MaxTokens: *c.wish.max, Pairs: c.wish.pairs}
	if name := c.wish.encoder; name != "" {
		if name == "none" {
			name = token.Heuristic
		}
		named, err := token.Named(name)
		if err != nil {
			return nil, err
		}
		o.Counter = named
	}
	switch c.wish.embedder {
	case "":
	case "lexical":
		o.Embedder, o.SemanticOptions = embedding.Lexical, map[string]any{"embedder": "lexical"}
	default:
		return nil, wishError("embedder", fmt.Errorf("%.40q is not known here", c.wish.embedder), "use lexical, or leave it out")
	}
	return o, nil
}

func trimError(err error) error {
	e := &plimsoll.Error{Op: "trim", Code: plimsoll.CodeInvalid, Err: err, Hint: "want a list of messages, each an object with a role and a content, or a chat completions request"}
	if errors.Is(err, plimsoll.ErrUnsupported) {
		e.Code, e.Hint = plimsoll.CodeUnsupported, "leave out pairs, or give messages in the form of OpenAI's chat completions"
	}
	return e
}

// prune drops the oldest turns of a chat.
func (c *call) prune() (answer, error) {
	if c.wish.max == nil || *c.wish.max == 0 {
		return answer{}, wishError("max", errMissing, "say how many tokens the system prompt and the history may have together")
	}
	r, err := c.request()
	if err != nil {
		return answer{}, err
	}
	history := r.Conversation()
	o := &prune.Options{MaxTokens: *c.wish.max, Model: c.wish.model, System: c.wish.system}
	if c.wish.model == "" && history.Model == "" {
		o.Model = report.DefaultModel(r.Dialect())
	}
	plan, err := prune.Plan(c.Context(), history, o)
	if err != nil {
		return answer{}, err
	}
	body, err := r.Encode(plan.Draft)
	return answer{request: body, report: prune.InfoOf(plan)}, err
}
