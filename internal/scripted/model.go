package scripted

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Options configure a [Model]. The zero value answers everything with a short text.
type Options struct {
	// Script decides what is answered.
	Script Script
	// Window is the most tokens that a request may have; 0 means any number. What
	// the answer may have does not count.
	Window int
	// Meter weighs requests; nil means one that weighs each model by its own
	// vocabulary.
	Meter plimsoll.Meter
	// Models are listed to clients that ask; none means one called "scripted". Others
	// answer as well.
	Models []string
	// Remember is how many exchanges the log keeps; 0 means 1,000.
	Remember int
	// Now is the clock of the answers; nil means the real one.
	Now func() time.Time
}

// Model is an upstream that answers by a script, under whatever path the APIs have
// behind their base URL. It is safe for concurrent use.
type Model struct {
	options Options

	mu     sync.Mutex
	log    []Exchange
	calls  int // that reached the script
	made   int // ids of answers
	cache  promptCache
	stored map[string][][]byte // items of answers that may be continued
}

var _ http.Handler = (*Model)(nil)

// New returns a model; nil options mean the defaults.
func New(o *Options) *Model {
	m := &Model{stored: map[string][][]byte{}}
	if o != nil {
		m.options = *o
	}
	if m.options.Script == nil {
		m.options.Script = func(*Call) (Step, bool) { return Step{}, false }
	}
	if m.options.Meter == nil {
		m.options.Meter = token.NewMeter(nil)
	}
	if len(m.options.Models) == 0 {
		m.options.Models = []string{"scripted"}
	}
	m.options.Remember = cmp.Or(m.options.Remember, 1000)
	if m.options.Now == nil {
		m.options.Now = time.Now
	}
	return m
}

// maxBody is the largest request that is read.
const maxBody = 64 << 20

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{model: m, w: w, r: r, voice: voiceOf(r)}
	e.Method, e.Path, e.Header = r.Method, r.URL.RequestURI(), r.Header.Clone()
	path := strings.TrimSuffix(r.URL.Path, "/")
	dialect, converses := dialects.FromPath(path)
	switch {
	case r.Method == http.MethodGet && (strings.HasSuffix(path, "/models") || strings.Contains(path, "/models/")):
		e.listModels(path)
		return
	case counts(path):
	case !converses || strings.HasSuffix(path, "/compact"):
		e.refuse(Fault{Status: http.StatusNotFound, Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)})
		return
	}
	if r.Method != http.MethodPost {
		e.refuse(Fault{Status: http.StatusMethodNotAllowed, Message: "Not allowed to " + r.Method + " on " + r.URL.Path})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		e.refuse(Fault{Status: http.StatusRequestEntityTooLarge, Message: "Request body: " + err.Error()})
		return
	}
	if e.Body, err = coding.Decode(r.Header.Get("Content-Encoding"), body, maxBody, nil); err != nil {
		e.refuse(Fault{Status: http.StatusBadRequest, Message: "Request body: " + err.Error()})
		return
	}
	if counts(path) {
		e.count()
		return
	}
	e.converse(dialect)
}

// counts reports whether a path is for counting tokens.
func counts(path string) bool {
	return strings.HasSuffix(path, "/messages/count_tokens") || strings.HasSuffix(path, ":countTokens") ||
		strings.HasSuffix(path, "/responses/input_tokens")
}

// modelIn returns the model that a path of Gemini's names.
func modelIn(path string) string {
	if _, model, ok := strings.Cut(path, "/model/"); ok {
		return model[:max(0, strings.LastIndexByte(model, '/'))]
	}
	_, model, ok := strings.Cut(path, "/models/")
	if !ok {
		return ""
	}
	model, _, _ = strings.Cut(model, ":")
	return model
}
