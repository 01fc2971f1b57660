package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lang"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed static/*
var staticFiles embed.FS

// policy lets pages have nothing but what this server has.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// parsePages reads the templates in a language. Each page is the layout with a body of
// its own.
func parsePages(in lang.Printer) map[string]*template.Template {
	read := func(into *template.Template, name string) *template.Template {
		source, err := pageFiles.ReadFile("pages/" + name + ".html")
		if err != nil {
			panic(err) // it is embedded
		}
		return template.Must(into.Parse(in.Template(string(source))))
	}
	layout := read(read(template.New("layout.html").Funcs(functions(in)), "parts"), "layout")
	pages := map[string]*template.Template{}
	for _, name := range []string{"overview", "conversations", "conversation", "request", "refs", "ref", "models", "health", "failure"} {
		pages[name] = read(template.Must(layout.Clone()), name)
	}
	return pages
}

func functions(in lang.Printer) template.FuncMap {
	return template.FuncMap{
		"lang": in.Tag, "say": in.Say,
		"ago":           func(now, at time.Time) string { return in.Say(ago(now, at)) },
		"rungWords":     func(rung string) string { return in.Say(rungWords(rung)) },
		"decisionWords": func(decision string) string { return in.Say(decisionWords(decision)) },
		"count": func(n any, thing string) (string, error) {
			text, err := counted(n, thing)
			return in.Say(text), err
		},
		"num":     func(n any) (string, error) { return number(n, grouped[int64]) },
		"short":   func(n any) (string, error) { return number(n, short[int64]) },
		"size":    func(n any) (string, error) { return number(n, sizeOf) },
		"percent": percent, "signed": signed, "usd": dollars, "lasted": lasted, "visible": visible,
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"brief": func(id string) string { return id[:min(8, len(id))] },
		"sum":   func(a, b int64) int64 { return a + b },
		"part":  func(part, of int64) float64 { return ratio(float64(part), float64(of)) },
		"ratio": ratio,
		"width": func(share float64) string { return fmt.Sprintf("%.2f", 100*min(1, max(0, share))) },
	}
}

func ratio(part, of float64) float64 {
	if of == 0 {
		return 0
	}
	return part / of
}

// number writes a whole number of any kind.
func number(n any, write func(int64) string) (string, error) {
	switch n := n.(type) {
	case int:
		return write(int64(n)), nil
	case int64:
		return write(n), nil
	}
	return "", fmt.Errorf("%T is no whole number", n)
}

// page is what every page has.
type page struct {
	Title string `json:"-"`
	// Section is the part of the dashboard that it belongs to.
	Section string `json:"-"`
	// Live says that it changes by itself.
	Live bool `json:"-"`
	// Now is when it was made, Since when the live part began.
	Now     time.Time `json:"now"`
	Since   time.Time `json:"since"`
	Version string    `json:"-"`
	// Store says what is wrong with the store; empty if nothing is.
	Store string `json:"store_error,omitempty"`
}

func (d *Dashboard) page(section, title string) page {
	return page{Title: title, Section: section, Live: true, Now: d.options.Now().UTC(), Since: d.live.since.UTC(), Version: d.options.Setup.Version}
}

// view is a page to show: the name of its template, and what it shows, which is the
// same in JSON.
type view struct {
	template string
	data     any
}

// errNotFound is the answer for what is not there.
var errNotFound = &plimsoll.Error{
	Op: "show", Code: plimsoll.CodeNotFound, Err: fmt.Errorf("there is no such page, or not any more: %w", plimsoll.ErrNotFound),
	Hint: "what is live is forgotten when the process ends or when much has come since; contents may have been deleted",
}

// ServeHTTP answers a request for a page. Who may ask is decided before.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Accept-Language")
	if plain, ok := strings.CutSuffix(r.URL.Path, ".json"); ok {
		next := r.Clone(r.Context())
		next.URL.Path, next.URL.RawPath = plain, ""
		next.Header.Set("Accept", "application/json")
		r = next
	}
	d.serving.Add(1)
	defer d.serving.Add(-1)
	d.mux.ServeHTTP(w, r)
}

// flights is how many requests of others are under way, and how many of them wait.
func (d *Dashboard) flights() (requests, waiting int) {
	if d.options.Flights == nil {
		return 0, 0
	}
	requests, waiting = d.options.Flights()
	return max(0, requests-int(d.serving.Load())), waiting
}

func (d *Dashboard) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, show := range map[string]func(*http.Request) (view, error){
		"GET " + Root + "{$}":                          d.overview,
		"GET " + Root + "overview":                     d.overview,
		"GET " + Root + "conversations":                d.conversations,
		"GET " + Root + "conversations/{key}":          d.conversation,
		"GET " + Root + "conversations/{key}/{number}": d.request,
		"GET " + Root + "refs":                         d.refs,
		"GET " + Root + "refs/{tenant}/{ref}":          d.ref,
		"POST " + Root + "refs/{tenant}/{ref}":         d.search,
		"GET " + Root + "models":                       d.models,
		"GET " + Root + "health":                       d.health,
		Root:                                           func(*http.Request) (view, error) { return view{}, errNotFound },
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { d.show(w, r, show) })
	}
	mux.HandleFunc("GET "+Root+"events", d.events)
	mux.HandleFunc("GET "+Root+"static/{name}", d.static)
	return mux
}

// show answers with a page, or with the same facts as JSON.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, show func(*http.Request) (view, error)) {
	shown, err := d.safely(r, show)
	status := http.StatusOK
	if err != nil {
		shown, status = d.failure(r, err)
	}
	if wantsJSON(r) {
		d.writeJSON(w, r, status, shown.data)
		return
	}
	var body bytes.Buffer
	in := lang.Accept(r.Header.Get("Accept-Language"))
	if err := d.pages[in.Tag()][shown.template].Execute(&body, shown.data); err != nil {
		d.options.Logger.ErrorContext(r.Context(), "a page of the dashboard could not be made", "page", shown.template, "error", err)
		http.Error(w, "This page could not be made; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", in.Tag())
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the reader may be gone
}

// safely makes a page; a panic ends this one and no other.
func (d *Dashboard) safely(r *http.Request, show func(*http.Request) (view, error)) (v view, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("panic: %v\n%s", bug, debug.Stack())
		}
	}()
	return show(r)
}

func (d *Dashboard) writeJSON(w http.ResponseWriter, r *http.Request, status int, data any) {
	body, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		d.options.Logger.ErrorContext(r.Context(), "a page of the dashboard could not be written as JSON", "error", err)
		http.Error(w, `{"error":{"message":"this page could not be written"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the reader may be gone
}

// wantsJSON reports whether a request prefers JSON to a page.
func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	json, html := strings.Index(accept, "application/json"), strings.Index(accept, "text/html")
	return json >= 0 && (html < 0 || json < html)
}

// failureView says that a page cannot be shown.
type failureView struct {
	page
	Error failureText `json:"error"`
}

type failureText struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (d *Dashboard) failure(r *http.Request, err error) (view, int) {
	f := failureView{page: d.page("", "Not shown")}
	f.Live = false
	status := http.StatusInternalServerError
	var known *plimsoll.Error
	switch {
	case errors.Is(err, plimsoll.ErrNotFound):
		status = http.StatusNotFound
	case errors.As(err, &known) && known.Code == plimsoll.CodeInvalid:
		status = http.StatusBadRequest
	case errors.As(err, &known) && known.Code == plimsoll.CodeUnavailable:
		status = http.StatusServiceUnavailable
	}
	if status == http.StatusInternalServerError {
		d.options.Logger.ErrorContext(r.Context(), "a page of the dashboard failed", "path", r.URL.Path, "error", err)
		f.Error.Message = "This page could not be made; the log says why."
		return view{"failure", f}, status
	}
	f.Error.Message = err.Error()
	if errors.As(err, &known) {
		f.Error.Message, f.Error.Hint = known.Err.Error(), known.Hint
	}
	return view{"failure", f}, status
}

// static serves the style sheet, the script and the pictures.
func (d *Dashboard) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, err := staticFiles.ReadFile(path.Join("static", name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(data)
	w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:8])+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
