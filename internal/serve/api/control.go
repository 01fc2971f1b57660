package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/store"
)

// Root is the path that everything of the API is under.
const Root = "/plimsoll/v1/"

// defaultMaxBody is what a body may have.
const defaultMaxBody = 64 << 20

// Options configure a [Handler].
type Options struct {
	// Keeper returns the keeper for what a request asks for; the zero [Settings] ask
	// for the operator's own. What it returns is used for many requests of all
	// tenants, so it must have no archive and no memory of its own. Required.
	Keeper func(Settings) (*fit.Keeper, error)
	// Scales weigh what is to be counted, and say where things came from in words of
	// the API. Required.
	Scales *report.Scales
	// Tenant returns whose request it is; nil, or a function that returns nil, means
	// that nothing is kept and nothing can be read.
	Tenant func(*http.Request) *store.Tenant
	// Manage says that cache breakpoints are placed by us.
	Manage bool
	// MaxBody is what a body may have, in bytes; 0 means 64 MiB.
	MaxBody int64
	// Limits bound what reading stored content may cost.
	Limits expand.Limits
	// Logger is told of failures that are ours; nil means nobody.
	Logger *slog.Logger
}

// Handler serves the API. It is safe for concurrent use.
type Handler struct {
	options Options
	keepers keepers
	routes  []route
}

var _ http.Handler = (*Handler)(nil)

// route is one operation of the API.
type route struct {
	method string
	// path under [Root]; its last part may be {id}.
	path string
	// wishes that it knows, by name.
	wishes []string
	do     func(*call) (answer, error)
}

// call is a request to the API.
type call struct {
	*http.Request
	h      *Handler
	tenant *store.Tenant
	// id is the reference in the path.
	id   string
	wish wishes
	// body is the request to work on, or the text of a count.
	body []byte
	text *string
}

// New returns the handler.
func New(o *Options) (*Handler, error) {
	if o == nil || o.Keeper == nil || o.Scales == nil {
		return nil, &plimsoll.Error{Op: "new control", Code: plimsoll.CodeInvalid, Err: plimsoll.ErrInvalid, Hint: "set Options.Keeper and Options.Scales"}
	}
	h := &Handler{options: *o, keepers: keepers{make: o.Keeper}, routes: routes()}
	if h.options.MaxBody == 0 {
		h.options.MaxBody = defaultMaxBody
	}
	if h.options.Logger == nil {
		h.options.Logger = slog.New(slog.DiscardHandler)
	}
	return h, nil
}

func routes() []route {
	fit := []string{"dialect", "model", "window", "reserve", "preset", "method", "low", "rungs", "pins"}
	return []route{
		{http.MethodPost, "count", []string{"dialect", "model", "encoding", "limit", "text"}, (*call).count},
		{http.MethodPost, "plan", fit, (*call).plan},
		{http.MethodPost, "fit", fit, (*call).fit},
		{http.MethodPost, "trim", []string{"max", "model", "encoder", "pairs", "embedder"}, (*call).trim},
		{http.MethodPost, "prune", []string{"dialect", "max", "model", "system"}, (*call).prune},
		{http.MethodPost, "compact", append([]string{"force", "directives", "dry_run"}, fit...), (*call).compact},
		{http.MethodPost, "undo", append([]string{"ref"}, fit...), (*call).undo},
		{http.MethodGet, "accounts", []string{"limit"}, (*call).accounts},
		{http.MethodGet, "accounts/total", nil, (*call).accountsTotal},
		{http.MethodGet, "refs/{id}", []string{"offset", "limit", "char_offset", "char_limit"}, (*call).ref},
		{http.MethodGet, "refs/{id}/grep", []string{"pattern", "regex", "ignore_case", "before", "after", "max_matches", "offset"}, (*call).grep},
		{http.MethodGet, "openapi.json", nil, (*call).description},
	}
}

// ServeHTTP does one operation.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, id, err := h.route(w, r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	c := &call{Request: r, h: h, id: id}
	if h.options.Tenant != nil {
		c.tenant = h.options.Tenant(r)
	}
	if err := c.read(w, found); err != nil {
		h.refuse(w, r, err)
		return
	}
	a, err := found.safely(c)
	if err == nil {
		err = a.write(w)
	}
	if err != nil {
		h.refuse(w, r, err)
	}
}

// safely does the operation; a bug of ours ends this one and no other.
func (r *route) safely(c *call) (a answer, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", r.path, bug, debug.Stack())
		}
	}()
	return r.do(c)
}

// route finds the operation, and the reference in the path.
func (h *Handler) route(w http.ResponseWriter, r *http.Request) (*route, string, error) {
	path, ours := strings.CutPrefix(r.URL.Path, Root)
	var allowed []string
	for i := range h.routes {
		at := &h.routes[i]
		id, ok := matchPath(at.path, path)
		switch {
		case !ours || !ok:
		case r.Method == at.method || r.Method == http.MethodHead && at.method == http.MethodGet:
			return at, id, nil
		default:
			allowed = append(allowed, at.method)
		}
	}
	if allowed != nil {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return nil, "", &refusal{http.StatusMethodNotAllowed, &plimsoll.Error{
			Op: r.Method + " " + r.URL.Path, Code: plimsoll.CodeInvalid, Err: errMethod, Hint: "use " + strings.Join(allowed, " or "),
		}}
	}
	return nil, "", &plimsoll.Error{
		Op: r.Method + " " + r.URL.Path, Code: plimsoll.CodeNotFound, Err: errNoOperation,
		Hint: "GET " + Root + "openapi.json describes what there is",
	}
}

// matchPath compares a path with a pattern in which {id} stands for one part.
func matchPath(pattern, path string) (id string, ok bool) {
	before, after, open := strings.Cut(pattern, "{id}")
	if !open {
		return "", pattern == path
	}
	rest, ok := strings.CutPrefix(path, before)
	if !ok {
		return "", false
	}
	id, ok = strings.CutSuffix(rest, after)
	return id, ok && id != "" && !strings.Contains(id, "/")
}
