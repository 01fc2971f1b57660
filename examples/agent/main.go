// Command agent is a small agent that works on a directory for as long as it takes
// and never overflows its model's window. It shows where Plimsoll stands in an
// agent's loop; see the README beside it.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "agent:", err)
	if hint := plimsoll.HintOf(err); hint != "" {
		fmt.Fprintln(os.Stderr, hint)
	}
	os.Exit(plimsoll.CodeOf(err).ExitStatus())
}

// settings are the flags.
type settings struct {
	url, model, dir, store string
	window, rounds         int
	script                 scripted.Script // nil for a real model
	tasks                  []string
	record                 string
}

func parse(args []string, getenv func(string) string, progress io.Writer) (*settings, error) {
	s := &settings{}
	f := flag.NewFlagSet("agent", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&s.url, "url", cmp.Or(getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"), "an OpenAI-compatible `address`; the key is taken from OPENAI_API_KEY")
	f.StringVar(&s.model, "model", "gpt-4o-mini", "`name` of the model")
	f.IntVar(&s.window, "window", 0, "context window in `tokens`; 0 is the model's own, or 12000 with a scripted one")
	f.IntVar(&s.rounds, "rounds", 200, "give up after this `number` of model calls")
	f.StringVar(&s.dir, "dir", ".", "the `directory` that the tools work on")
	explores := f.Bool("scripted", false, "ask a scripted model that explores the directory; needs no key and no network")
	written := f.String("job", "", "do the tasks in this `file`, with a scripted model that follows the steps in it")
	f.StringVar(&s.record, "record", "", "write the session to this `file`, as if nothing had been cut")
	f.StringVar(&s.store, "store", "", "keep what is cut in this `file`, so that the model can read it again")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	return s, s.choose(*explores, *written, strings.Join(f.Args(), " "))
}

// choose decides what is to be done, and by which model.
func (s *settings) choose(explores bool, written, task string) error {
	switch {
	case written != "" && (explores || task != ""):
		return &plimsoll.Error{Op: "read the arguments", Code: plimsoll.CodeInvalid, Err: errors.New("a job and something else to do"), Hint: "give --job alone"}
	case written != "":
		j, err := readJob(written)
		if err != nil {
			return err
		}
		s.tasks, s.script = j.tasks, scripted.Steps(j.steps...)
	case explores:
		s.tasks, s.script = []string{cmp.Or(task, "Find out how this project is built.")}, explore(150)
	case task == "":
		return &plimsoll.Error{Op: "read the arguments", Code: plimsoll.CodeInvalid, Err: errors.New("no task"), Hint: `say what to do: agent --dir . "find the largest function"`}
	default:
		s.tasks = []string{task}
	}
	if s.script != nil && s.window == 0 {
		s.window = 12_000
	}
	return nil
}

// run does the tasks. The answers go to out, everything else to progress.
func run(ctx context.Context, args []string, getenv func(string) string, out, progress io.Writer) error {
	s, err := parse(args, getenv, progress)
	if err != nil {
		return err
	}
	if s.script != nil {
		address, stop, err := serve(ctx, scripted.New(&scripted.Options{Window: s.window, Script: s.script}))
		if err != nil {
			return err
		}
		defer stop()
		s.url = address
	}
	tools, err := openTools(s.dir)
	if err != nil {
		return err
	}
	defer tools.close()
	options := &preset.Options{Model: s.model, Window: s.window}
	if s.store != "" {
		kept, err := openStore(ctx, s.store)
		if err != nil {
			return err
		}
		defer kept.Close()
		tools.kept = kept.Tenant("agent")
		options.Archive, options.Memory = tools.kept, tools.kept.Memory()
	}
	keeper, err := newKeeper(options, progress)
	if err != nil {
		return err
	}
	defer keeper.Close()
	a := &agent{
		model:  &client{url: s.url, key: getenv("OPENAI_API_KEY")},
		keeper: keeper, tools: tools, rounds: s.rounds, progress: progress,
	}
	h := newHistory(s.model, tools)
	for _, task := range s.tasks {
		answer, err := a.work(ctx, h, task)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, answer)
	}
	if s.record != "" {
		return h.record(s.record)
	}
	return nil
}

// newKeeper returns a keeper of the preset auto that tells what it does.
func newKeeper(o *preset.Options, progress io.Writer) (*fit.Keeper, error) {
	options, err := preset.Auto(o)
	if err != nil {
		return nil, err
	}
	options.Events = func(e fit.Event) {
		if c, ok := e.(fit.ChatCompressed); ok {
			fmt.Fprintf(progress, "compaction: %s, %d tokens became %d\n", c.Status, c.Before, c.After)
		}
	}
	return fit.New(options)
}

func openStore(ctx context.Context, path string) (*store.Store, error) {
	backend, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	s, err := store.New(ctx, backend, nil)
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	return s, nil
}

// serve listens on a free port of this machine.
func serve(ctx context.Context, h http.Handler) (address string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends when it is closed
	}()
	return "http://" + listener.Addr().String() + "/v1", func() {
		_ = server.Close()
		<-done
	}, nil
}
