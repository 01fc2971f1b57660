// Package proxy is the HTTP server of `plimsoll serve`: programs that talk to a
// language model talk to it instead, and it passes on what they say.
//
// What is done about a conversation is not decided here: a [Server] sends everything
// through one [http.RoundTripper], which manages what it recognises. The server's part
// is that whatever clients and upstreams do, the process stays healthy and no client
// hears anything false: it chooses the upstream by the path, bounds bodies, memory and
// time, notices when either side is gone, shows a cut answer as a cut one, keeps web
// pages out, and ends without breaking the streams that are under way.
//
// It knows no conversation, no model and no store. Keys of clients pass through it and
// are neither kept nor logged.
package proxy

import (
	"cmp"
	"context"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Options configure a [Server].
type Options struct {
	// Transport sends requests and manages what passes. It is the only field that must
	// be set. It has to end a request when its context ends.
	//
	// The body of a managed request has a method Grow(size int64) error. A transport that
	// decodes the body calls it before it holds size bytes of the result, and returns its
	// error. A method Received() *http.Request returns the request before it was addressed
	// to the upstream.
	//
	// The body of an answer may have a method Waiting() bool: if it returns true, the next
	// Read asks the upstream again, and AnswerTimeout holds for it instead of IdleTimeout.
	// An error may have a method Answered() bool: if it
	// returns true the upstream has answered, and the error's text, which may quote
	// it, is not shown.
	Transport http.RoundTripper
	// Upstreams are where requests go; fields that are nil are the providers' own
	// addresses. Nothing in a request can name another one.
	Upstreams Upstreams
	// Control answers below /plimsoll/, and Metrics at /metrics, both for the operator
	// alone; nil means that there is nothing there.
	Control, Metrics http.Handler
	// Wrap, if not nil, is put around what answers requests that are passed on.
	Wrap func(http.Handler) http.Handler
	// Ready says whether requests can be served; nil means that they always can.
	Ready func(context.Context) error

	// MaxBody is the most bytes that the body of a managed request may have; 0 means
	// 64 MiB. Other bodies are passed on as they come and may be of any size.
	MaxBody int64
	// Memory is how many bytes may be spent on bodies that are being worked on; 0 means
	// 1 GiB. It is never more than half of what GOMEMLIMIT allows. Requests that do not
	// fit wait for as long as Queue says, and are then told to come again.
	Memory int64
	// Queue is how long a request waits for memory; 0 means 10 seconds.
	Queue time.Duration
	// Connections is how many clients may be connected at once; 0 means 8,192. More
	// wait to be accepted.
	Connections int

	// HeaderTimeout is how long a client may take to send the header of a request; 0
	// means 10 seconds.
	HeaderTimeout time.Duration
	// BodyIdle is how long a client may send nothing in the middle of a body; 0 means
	// 30 seconds. Beside that it must keep up 1 KiB a second.
	BodyIdle time.Duration
	// AnswerTimeout is how long an answer may take to begin; 0 means 30 minutes.
	AnswerTimeout time.Duration
	// IdleTimeout is how long an answer that has begun may stand still; 0 means 2
	// minutes. How long it takes in all has no bound.
	IdleTimeout time.Duration
	// WriteTimeout is how long a client may take nothing of its answer; 0 means 2
	// minutes.
	WriteTimeout time.Duration
	// Drain is how long requests may go on when the server shuts down; 0 means 30
	// seconds.
	Drain time.Duration

	// AdminToken is the bearer token for /metrics and /plimsoll/. Without one they are
	// open to this machine alone.
	AdminToken string
	// Hosts are names of this server beside those of the loopback interface and its own
	// addresses.
	Hosts []string
	// Origins of web pages that may send requests, such as "https://chat.example"; "*"
	// means all of them. None means only pages of this server.
	Origins []string

	// Logger gets what operators should know, without content; nil means no log.
	Logger *slog.Logger
	// Now is the clock of deadlines; nil means the system's.
	Now func() time.Time
}

// Server passes requests on. It is safe for concurrent use.
type Server struct {
	options Options
	guard   accessGuard
	memory  *gate
	// requests are those in flight.
	requests inFlight
	// errorLog takes what the standard library has to say about single connections.
	errorLog *log.Logger
}

// New returns a server.
func New(o *Options) (*Server, error) {
	const op = "new proxy"
	if o == nil || o.Transport == nil {
		return nil, &plimsoll.Error{Op: op, Code: plimsoll.CodeInvalid, Err: errors.New("no transport is given")}
	}
	s := &Server{options: *o}
	s.options.setDefaults()
	if err := s.options.Upstreams.check(); err != nil {
		return nil, &plimsoll.Error{
			Op: op, Code: plimsoll.CodeInvalid, Err: err,
			Hint: "write it as https://HOST or http://HOST:PORT/PATH, without a query",
		}
	}
	var err error
	if s.guard, err = newGuard(&s.options); err != nil {
		return nil, &plimsoll.Error{Op: op, Code: plimsoll.CodeInvalid, Err: err, Hint: "write origins as https://HOST, or * for all"}
	}
	s.memory = newGate(s.options.Memory)
	s.errorLog = slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug)
	return s, nil
}

func (o *Options) setDefaults() {
	o.Upstreams.setDefaults()
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.Memory = min(cmp.Or(o.Memory, bodyMemory), mostMemory())
	o.Queue = cmp.Or(o.Queue, 10*time.Second)
	o.Connections = cmp.Or(o.Connections, 8192)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 10*time.Second)
	o.BodyIdle = cmp.Or(o.BodyIdle, 30*time.Second)
	o.AnswerTimeout = cmp.Or(o.AnswerTimeout, 30*time.Minute)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 2*time.Minute)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 2*time.Minute)
	o.Drain = cmp.Or(o.Drain, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// bodyMemory is how many bytes of bodies are held at once, if GOMEMLIMIT allows it.
const bodyMemory = 1 << 30

// mostMemory leaves half of the process's limit to everything that is not a body. With
// more the collector would run all the time, and every request would be late.
func mostMemory() int64 { return debug.SetMemoryLimit(-1) / 2 }

// Handler returns everything that the server answers: requests to pass on, health, and
// what is the operator's.
func (s *Server) Handler() http.Handler { return s.handler(true) }

// handler is [Server.Handler], or without the operator's side.
func (s *Server) handler(operator bool) http.Handler {
	admin, pass := s.admin(operator), http.Handler(http.HandlerFunc(s.forward))
	if s.options.Wrap != nil {
		pass = s.options.Wrap(pass)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ofAdmin(r.URL.Path) {
			admin.ServeHTTP(w, r)
			return
		}
		pass.ServeHTTP(w, r)
	})
}

// Load is what a server bears at a moment.
type Load struct {
	// Requests that are in flight, and those of them that are Waiting for memory.
	Requests, Waiting int
	// Memory that is reserved for bodies, in bytes.
	Memory int64
}

// Load returns what the server bears now.
func (s *Server) Load() Load {
	waiting, used := s.memory.load()
	return Load{Requests: s.requests.count(), Waiting: waiting, Memory: used}
}
