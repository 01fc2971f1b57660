package ollama

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their texts.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, streamed := sse.FramingOf(contentType); streamed {
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner { return &eventJoiner{out: out, hidden: hidden} })
	}
	return build.NewWholeReply(c, hidden)
}

// Results makes a tool message of each.
func (Codec) Results(results []wire.Result) ([][]byte, error) {
	var all [][]byte
	for _, r := range results {
		part := wire.Result{Call: r.Call, Text: r.Text}.Part()
		part.Name = r.Call.Name
		message, err := renderResult(part)
		if err != nil {
			return nil, err
		}
		all = append(all, message)
	}
	return all, nil
}

// ResultsBeside makes tool messages, too.
func (c Codec) ResultsBeside(results []wire.Result) ([][]byte, error) { return c.Results(results) }

// InsertResults puts the tool messages right behind the calls, before those of the client.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	l := r.Layout()
	if next >= l.Len() || l.Parsed[next].Role != plimsoll.ToolRole {
		return nil, false
	}
	at := l.Messages.Items[next].Start
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append(bytes.Join(results, []byte{','}), ',')}}, true
}

// Restored returns the elements: what the client has done to them does not matter.
func (Codec) Restored(elements [][]byte, _ []byte, _ bool) [][]byte { return elements }

// ReadRound reads an answer.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	r, ok := readRecord(body, hidden)
	if !ok {
		return build.Answer{}, false
	}
	var a answer
	a.add(r)
	round := a.round()
	return round, !round.Broken
}

// JoinRounds returns the last answer with the texts of all and the client's calls.
func (Codec) JoinRounds(bodies [][]byte, _ []build.Answer, hidden func(string) bool) []byte {
	var content, thinking []byte
	var before metrics
	var last record
	for i, body := range bodies {
		if i > 0 {
			before = before.plus(last.data)
		}
		last, _ = readRecord(bytes.TrimSpace(body), hidden)
		content, thinking = build.AppendText(content, last.content), build.AppendText(thinking, last.thinking)
	}
	message := last.shown(0)
	if message == nil {
		message = []byte(`{"role":"assistant"}`)
	}
	message = rawjson.SetMember(message, "content", rawjson.InQuotes(content))
	if len(thinking) > 0 {
		message = rawjson.SetMember(message, "thinking", rawjson.InQuotes(thinking))
	}
	return before.add(rawjson.SetMember(last.data, "message", message))
}

// metrics are what earlier answers of a reply put out and how long they took. What was
// read for them is read again for the last one, and counts once.
type metrics struct{ tokens, evaluation, total int }

func (m metrics) plus(record []byte) metrics {
	return metrics{
		m.tokens + rawjson.MemberInt(record, "eval_count"),
		m.evaluation + rawjson.MemberInt(record, "eval_duration"),
		m.total + rawjson.MemberInt(record, "total_duration"),
	}
}

// add adds the metrics to those of the last record.
func (m metrics) add(record []byte) []byte {
	if m.tokens > 0 { // no tokens are not written
		record = rawjson.SetInt(record, "eval_count", m.tokens+rawjson.MemberInt(record, "eval_count"))
	}
	record = rawjson.AddInt(record, "eval_duration", m.evaluation)
	return rawjson.AddInt(record, "total_duration", m.total)
}
