package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/store"
)

// Root is the path of all operations.
const Root = "/plimsoll/v1/"

const (
	defaultMaxBody = 64 << 20
	// maxKeepers bounds the keepers that a handler holds; each has caches of its own.
	maxKeepers = 32
)

// Options configure a [Handler].
type Options struct {
	// Keeper returns the keeper for the settings of a request; the zero [Settings] ask
	// for the operator's own. The handler uses it for many requests of all tenants, so
	// it must have no archive and no memory of its own. Required.
	Keeper func(Settings) (*fit.Keeper, error)
	// Scales count tokens. Required.
	Scales *report.Scales
	// Tenant returns the tenant of a request; nil, or a function that returns nil, means
	// that nothing is stored and nothing can be read.
	Tenant func(*http.Request) *store.Tenant
	// MaxBody is the size limit of a body in bytes; 0 means 64 MiB.
	MaxBody int64
	// Limits bound the cost of reading stored content.
	Limits expand.Limits
	// BufferFactor is the margin on estimates of [prune]; 0 means 1.2.
	BufferFactor float64
	// Embeddings returns the endpoint that trim asks for the client of a request; nil
	// means none. No option of a request names an address: any client could make the
	// server open it.
	Embeddings func(*http.Request) *embedding.Endpoint
	// Logger gets internal failures and the figures of trims; nil means no log.
	Logger *slog.Logger
}

// Handler serves the API. It is safe for concurrent use.
type Handler struct {
	options Options
	mux     *http.ServeMux
	// keepers by the JSON of their settings.
	keepers *lru.Map[string, *fit.Keeper]
}

var _ http.Handler = (*Handler)(nil)

// operation is one of the API.
type operation struct {
	method string
	// path below [Root], as a pattern of [http.ServeMux].
	path string
	// request is the zero value of the struct with the options.
	request request
	// answer names the schema of a success.
	answer string
	// summary and more describe it.
	summary, more string
}

// request is a pointer to the options of one operation, whose name is that of its type
// without "Request".
type request interface {
	// do returns the answer: an [edited] request, or a value to marshal.
	do(*httpCall) (any, error)
}

// httpCall is one HTTP request.
type httpCall struct {
	*http.Request
	h      *Handler
	tenant *store.Tenant
	// body is the client's request to a model; empty for GET.
	body []byte
}

func operations() []operation {
	return []operation{
		{"POST", "count", &countRequest{}, "Count", "Count the tokens of a request or a text.", ""},
		{"POST", "plan", &planRequest{}, "Plan", "Say what fit would do, without doing it.", ""},
		{
			"POST", "fit", &fitRequest{}, "Fitted", "Make a request fit into its model's context window.",
			"Plimsoll stores what it cuts; the placeholders carry references to it. A request that fits comes back byte for byte.",
		},
		{
			"POST", "trim", &trimRequest{}, "Trimmed", "Leave messages out until the rest fits, for chat completions.",
			"The first system message and the newest other message stay. No option names an address: the embedder compares wording (lexical), or asks the OpenAI upstream of the server with the key of the request (upstream).",
		},
		{"POST", "prune", &pruneRequest{}, "Pruned", "Drop the oldest turns of a chat until the rest fits.", ""},
		{
			"POST", "compact", &compactRequest{}, "Compacted", "Replace old messages by a checkpoint.",
			"The status says what happened; if nothing could be done, the request comes back unchanged. Without force the preset decides whether it is due.",
		},
		{"POST", "undo", &undoRequest{}, "Restored", "Put the messages back that a checkpoint replaced.", ""},
		{
			"POST", "observe", &observeRequest{}, "Observed", "Take in what the provider billed for a request.",
			"The bill anchors the count of the conversation and goes into the accounts. Send the request as you gave it to fit. The proxy does this by itself.",
		},
		{"GET", "accounts", &accountsRequest{}, "Accounts", "List what conversations used and what cutting them saved.", ""},
		{"GET", "accounts/total", &accountsTotalRequest{}, "Account", "Add up what all conversations used and saved.", ""},
		{"GET", "refs/{id}", &refRequest{}, "Content", "Read stored content by lines, as a model gets it.", ""},
		{"GET", "refs/{id}/grep", &grepRequest{}, "Content", "Search stored content.", ""},
		{
			"DELETE", "conversations/{id}", &eraseConversationRequest{}, "Purged", "Delete everything of a conversation.",
			"By the client's name for it, or by its id: content that no other conversation refers to, decisions, hidden rounds, bills, the account.",
		},
		{"DELETE", "tenant", &eraseTenantRequest{}, "Purged", "Delete everything of the tenant, learned limits included.", ""},
		{"GET", "openapi.json", &descriptionRequest{}, "Description", "Describe the API.", ""},
	}
}

// New returns the handler.
func New(o *Options) (*Handler, error) {
	if o == nil || o.Keeper == nil || o.Scales == nil {
		return nil, &plimsoll.Error{Op: "new api", Code: plimsoll.CodeInvalid, Err: plimsoll.ErrInvalid, Hint: "set Options.Keeper and Options.Scales"}
	}
	h := &Handler{options: *o, mux: http.NewServeMux()}
	h.keepers = lru.New[string, *fit.Keeper](maxKeepers, nil)
	if h.options.MaxBody == 0 {
		h.options.MaxBody = defaultMaxBody
	}
	if h.options.Logger == nil {
		h.options.Logger = slog.New(slog.DiscardHandler)
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.refuse(w, r, noOperation(r)) })
	for _, o := range operations() {
		h.mux.HandleFunc(o.method+" "+Root+o.path, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, o) })
		h.mux.HandleFunc(Root+o.path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", o.method)
			h.refuse(w, r, &refusal{http.StatusMethodNotAllowed, &plimsoll.Error{
				Op: r.Method + " " + r.URL.Path, Code: plimsoll.CodeInvalid, Err: errors.New("this operation has another method"), Hint: "use " + o.method,
			}})
		})
	}
	return h, nil
}

// ServeHTTP does one operation.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.EscapedPath(); path.Clean(p) != p {
		h.refuse(w, r, noOperation(r)) // the mux would redirect
		return
	}
	h.mux.ServeHTTP(w, r)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request, o operation) {
	answer, err := h.do(w, r, o)
	if err == nil {
		err = write(w, answer)
	}
	if err != nil {
		h.refuse(w, r, err)
	}
}

// do reads the options and does the operation. A panic fails this request only.
func (h *Handler) do(w http.ResponseWriter, r *http.Request, o operation) (answer any, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", o.path, bug, debug.Stack())
		}
	}()
	if strings.Contains(r.PathValue("id"), "/") {
		return nil, noOperation(r)
	}
	c := &httpCall{Request: r, h: h}
	if h.options.Tenant != nil {
		c.tenant = h.options.Tenant(r)
	}
	asked := reflect.New(reflect.TypeOf(o.request).Elem())
	if err := c.read(w, asked.Elem()); err != nil {
		return nil, err
	}
	return asked.Interface().(request).do(c)
}

func noOperation(r *http.Request) error {
	if !strings.HasPrefix(r.URL.Path, Root) {
		return &plimsoll.Error{
			Op: r.Method + " " + r.URL.Path, Code: plimsoll.CodeNotFound, Err: errors.New("the dashboard is off"),
			Hint: "start plimsoll serve with --dashboard, or set PLIMSOLL_ADMIN_TOKEN; the API is below " + Root,
		}
	}
	return &plimsoll.Error{
		Op: r.Method + " " + r.URL.Path, Code: plimsoll.CodeNotFound, Err: errors.New("there is no such operation"),
		Hint: "GET " + Root + "openapi.json describes what there is",
	}
}
