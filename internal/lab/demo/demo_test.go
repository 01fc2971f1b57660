package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// managed puts a proxy that manages in front of the model.
func managed(t *testing.T) Start {
	t.Helper()
	return func(ctx context.Context, upstream *url.URL, window int, tell func(transport.Exchange)) (*Proxy, error) {
		backend, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "kept.db"), nil)
		if err != nil {
			return nil, err
		}
		kept, err := store.New(ctx, backend, nil)
		if err != nil {
			return nil, err
		}
		options, err := preset.Auto(nil)
		if err != nil {
			return nil, err
		}
		keeper, err := fit.New(options)
		if err != nil {
			return nil, err
		}
		through, err := transport.New(&transport.Options{
			Store: kept, Window: window, Observe: func(_ context.Context, e transport.Exchange) { tell(e) },
			Keeper: func(string) (*fit.Keeper, error) { return keeper, nil },
		})
		if err != nil {
			return nil, err
		}
		tenant := kept.Tenant("")
		return &Proxy{
			Handler: reverse(upstream, through),
			Close:   func() error { return errors.Join(through.Close(), keeper.Close(), kept.Close()) },
			Content: func(ctx context.Context, ref string) (string, error) {
				r, err := tenant.Open(ctx, ref)
				if err != nil {
					return "", err
				}
				defer r.Close()
				data, err := io.ReadAll(r)
				return string(data), err
			},
			Account: keeper.Total,
		}, nil
	}
}

func reverse(upstream *url.URL, through http.RoundTripper) http.Handler {
	passing := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) }, Transport: through, FlushInterval: -1}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A model that answers at once may do so before its request was read to the end,
		// and without this the server would then break off the answer.
		_ = http.NewResponseController(w).EnableFullDuplex()
		passing.ServeHTTP(w, r)
	})
}

func TestASessionThatIsFarTooLongIsPlayedToItsEndInEveryDialect(t *testing.T) {
	t.Parallel()
	for i, d := range Dialects() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			if underRace && i > 0 {
				t.Skip("one dialect is enough for the race detector")
			}
			var told []RequestResult
			report, err := Run(t.Context(), &Options{Start: managed(t), Dialect: d, Tell: func(r RequestResult) { told = append(told, r) }})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", report)
			if len(told) != report.Requests || report.Requests < 40 {
				t.Errorf("%d requests, told of %d", report.Requests, len(told))
			}
			if report.LargestUncut < 150_000 || report.LargestSent > DefaultWindow || report.Over == 0 {
				t.Errorf("the largest request was %d tokens, sent as %d; %d would have overflowed", report.LargestUncut, report.LargestSent, report.Over)
			}
			if report.Cuts == 0 || report.Refs == 0 || report.Looks == 0 || !report.Whole() {
				t.Errorf("%d cuts, %d of %d references and %d of %d looks have what was recorded", report.Cuts, report.Same, report.Refs, report.SameLooks, report.Looks)
			}
			if report.Looks-report.Rounds != 1 {
				t.Errorf("%d of %d looks stood beside calls of the client's, want one", report.Looks-report.Rounds, report.Looks)
			}
			if !report.Priced || report.Cost <= 0 || report.WouldCost <= report.Cost {
				t.Errorf("it cost %f, and would have cost %f", report.Cost, report.WouldCost)
			}
			if len(report.Warnings) > 0 {
				t.Errorf("warnings: %q", report.Warnings)
			}
		})
	}
}

// unmanaged only passes on.
func unmanaged(through http.RoundTripper) Start {
	return func(_ context.Context, upstream *url.URL, _ int, _ func(transport.Exchange)) (*Proxy, error) {
		return &Proxy{
			Handler: reverse(upstream, through), Close: func() error { return nil },
			Account: func() account.Account { return account.Account{} },
		}, nil
	}
}

func TestWithoutUsTheSessionOverflows(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), &Options{Start: unmanaged(nil)})
	if err == nil || !strings.Contains(err.Error(), "400") || !strings.Contains(err.Error(), "prompt is too long") {
		t.Errorf("got %v", err)
	}
}

func TestWithAWindowThatIsLargeEnoughNothingIsCut(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("there is nothing new in it for the race detector")
	}
	report, err := Run(t.Context(), &Options{Start: unmanaged(nil), Window: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if report.Cuts+report.Over+report.Refs > 0 || report.Sent != report.Uncut || report.Sent == 0 {
		t.Errorf("%+v", report)
	}
}

// meddler changes answers on their way.
type meddler struct{ old, new string }

func (m meddler) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(data, []byte(m.old), []byte(m.new))))
	return resp, nil
}

func TestAnAnswerThatChangesOnItsWayIsNoticed(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), &Options{Start: unmanaged(meddler{"design.md", "demise.md"}), Window: 1_000_000})
	if err == nil || !strings.Contains(err.Error(), "another answer") {
		t.Errorf("got %v", err)
	}
}

func TestContentThatIsNotWhatWasRecordedIsCounted(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("there is nothing new in it for the race detector")
	}
	damaged := func(ctx context.Context, upstream *url.URL, window int, tell func(transport.Exchange)) (*Proxy, error) {
		p, err := managed(t)(ctx, upstream, window, tell)
		if err != nil {
			return nil, err
		}
		whole := p.Content
		p.Content = func(ctx context.Context, ref string) (string, error) {
			text, err := whole(ctx, ref)
			return text + " ", err
		}
		return p, nil
	}
	report, err := Run(t.Context(), &Options{Start: damaged})
	if err != nil {
		t.Fatal(err)
	}
	if report.Same != 0 || report.Refs == 0 || report.Whole() {
		t.Errorf("%d of %d references count as what was recorded", report.Same, report.Refs)
	}
}

func TestADialectThatNobodyKnowsIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), &Options{Dialect: "morse"}); plimsoll.CodeOf(err) != plimsoll.CodeInvalid || !strings.Contains(plimsoll.HintOf(err), "anthropic") {
		t.Errorf("got %v, hint %q", err, plimsoll.HintOf(err))
	}
}
