package peers

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

// patience bounds one step of an installation. A first build of the Rust program
// takes minutes on a small machine.
const patience = 15 * time.Minute

type setup struct{ Options }

// goEnv holds the Go programs to one thread, as every measurement is.
var goEnv = []string{"GOMAXPROCS=1"}

func (s setup) golang() []Peer {
	build := func(name, version, program string, slow bool, flags ...string) Peer {
		binary := filepath.Join(s.Cache, "bin", strings.NewReplacer(" ", "", ",", "-", "/", "-").Replace(name))
		args := append([]string{"build", "-o", binary}, flags...)
		err := s.run(s.Dir, "go", append(args, "./peers/"+program)...)
		p := Peer{Name: name, Version: version, Slow: slow, Command: line.Command{Args: []string{binary}, Env: goEnv}}
		return missing([]Peer{p}, err)[0]
	}
	return []Peer{
		build(Us, "this tree, Go", "plimsoll", false),
		build(Portable, "this tree, Go without assembly", "plimsoll", false, "-tags=purego"),
		build(BestGo, "v0.10.0, Go", "tiktokengo", true),
		build("pkoukk/tiktoken-go", "v0.1.8, Go", "pkoukk", true),
	}
}

func (s setup) npm() []Peer {
	dir := filepath.Join(s.Cache, "node")
	program := filepath.Join(dir, "peer.mjs")
	err := errors.Join(s.copy("node/package.json", dir), s.copy("node/peer.mjs", dir))
	if err == nil {
		err = s.once(dir, filepath.Join(dir, "package.json"), func() error {
			return s.run(dir, "npm", "install", "--no-audit", "--no-fund", "--silent")
		})
	}
	peer := func(name, library, version string) Peer {
		return Peer{Name: name, Version: version, Slow: true, Command: line.Command{Args: []string{"node", program, library}}}
	}
	return missing([]Peer{
		peer("ai-tokenizer", "ai-tokenizer", "1.0.6, npm"),
		peer("gpt-tokenizer", "gpt-tokenizer", "4.0.0, npm"),
		peer(Reference, "tiktoken", "1.0.22, npm (OpenAI's Rust as WASM)"),
	}, err)
}

func (s setup) rust() []Peer {
	dir := filepath.Join(s.Cache, "rust")
	err := errors.Join(s.copy("rust/Cargo.toml", dir), s.copy("rust/src/main.rs", filepath.Join(dir, "src")))
	if err == nil {
		err = s.run(dir, "cargo", "build", "--release", "--quiet", "--target-dir", filepath.Join(dir, "target"))
	}
	binary := filepath.Join(dir, "target", "release", "peer")
	return missing([]Peer{
		{Name: Native, Version: "0.3.2, Rust", Command: line.Command{Args: []string{binary, "bpe-openai"}}},
		{Name: "tiktoken (crate)", Version: "4.1.2, Rust", Command: line.Command{Args: []string{binary, "tiktoken"}}},
	}, err)
}

func (s setup) python() []Peer {
	const wanted = "tiktoken==0.14.0"
	dir, vocab := filepath.Join(s.Cache, "python"), filepath.Join(s.Cache, "vocab")
	python := filepath.Join(dir, "bin", "python")
	list := filepath.Join(dir, "requirements.txt")
	err := errors.Join(writeIfChanged(list, []byte(wanted+"\n")), s.copy("python/peer.py", dir), vocabularies(vocab))
	if err == nil {
		err = s.once(dir, list, func() error {
			if err := s.run(dir, "python3", "-m", "venv", dir); err != nil {
				return err
			}
			return s.run(dir, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", list)
		})
	}
	return missing([]Peer{{
		Name: "tiktoken (Python)", Version: "0.14.0, Python (OpenAI's Rust)", Slow: true,
		Command: line.Command{Args: []string{python, filepath.Join(dir, "peer.py")}, Env: []string{"TIKTOKEN_CACHE_DIR=" + vocab}},
	}}, err)
}

// vocabularies fills the cache of Python's tiktoken, which names a file by the
// SHA-1 of the address it was loaded from, so that it needs no network.
func vocabularies(dir string) error {
	for _, name := range []string{"cl100k_base.tiktoken", "o200k_base.tiktoken"} {
		data, err := assets.Assets.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha1.Sum([]byte("https://openaipublic.blob.core.windows.net/encodings/" + name))
		if err := writeIfChanged(filepath.Join(dir, hex.EncodeToString(sum[:])), data); err != nil {
			return err
		}
	}
	return nil
}

// once does an installation unless it was done before for the same list of
// packages.
func (s setup) once(dir, list string, install func() error) error {
	want, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	stamp := filepath.Join(dir, "installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return nil
	}
	if err := install(); err != nil {
		return err
	}
	return writeIfChanged(stamp, want)
}

// copy brings a file of the peers' programs into a folder of the cache.
func (s setup) copy(file, dir string) error {
	data, err := os.ReadFile(filepath.Join(s.Dir, "peers", file))
	if err != nil {
		return err
	}
	return writeIfChanged(filepath.Join(dir, filepath.Base(file)), data)
}

// writeIfChanged leaves an equal file alone, so that nothing is built again for
// its new date.
func writeIfChanged(file string, data []byte) error {
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// run runs a step of an installation. The error has the last line of its output.
func (s setup) run(dir, program string, args ...string) error {
	fmt.Fprintf(s.Log, "setup: %s %s\n", filepath.Base(program), strings.Join(args, " "))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTOOLCHAIN=auto")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) > 0 {
		err = fmt.Errorf("%w: %s", err, lastLine(out))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	return nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
