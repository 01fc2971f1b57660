package peers

import (
	"errors"
	"path/filepath"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

// Keeper returns the program that measures Plimsoll's keeper.
func Keeper(o Options) Peer {
	s := setup{o}
	binary := filepath.Join(s.Cache, "bin", "fit")
	err := s.run(s.Dir, "go", "build", "-o", binary, "./peers/fit")
	return missing([]Peer{{Name: Us, Version: "this tree, Go", Command: line.Command{Args: []string{binary}, Env: goEnv}}}, err)[0]
}

// Trimmers returns the program that has the Python libraries cut conversations
// down.
func Trimmers(o Options) Peer {
	const wanted = "langchain-core==1.7.2\nlitellm==1.106.2\ntiktoken==0.14.0\n"
	s := setup{o}
	dir, vocab := filepath.Join(s.Cache, "trim"), filepath.Join(s.Cache, "vocab")
	python := filepath.Join(dir, "bin", "python")
	list := filepath.Join(dir, "requirements.txt")
	err := errors.Join(writeIfChanged(list, []byte(wanted)), s.copy("trim/trim.py", dir), vocabularies(vocab))
	if err == nil {
		err = s.once(dir, list, func() error { return s.venv(dir, python, list) })
	}
	env := []string{
		"TIKTOKEN_CACHE_DIR=" + vocab, "CUSTOM_TIKTOKEN_CACHE_DIR=" + vocab,
		"LITELLM_LOCAL_MODEL_COST_MAP=True", // else it asks the network at its start
	}
	return missing([]Peer{{
		Name: "trim_messages", Version: "langchain-core 1.7.2, litellm 1.106.2, tiktoken 0.14.0",
		Command: line.Command{Args: []string{python, filepath.Join(dir, "trim.py")}, Env: env},
	}}, err)[0]
}

// venv makes an environment with the packages of a list.
func (s setup) venv(dir, python, list string) error {
	if err := s.run(dir, "python3", "-m", "venv", dir); err != nil {
		return err
	}
	return s.run(dir, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", list)
}
