package model_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
)

func ExampleRegistry_Lookup() {
	for _, name := range []string{"gpt-5.2-2025-12-11", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "llama3.1:8b-instruct-q4_K_M"} {
		m, err := model.Default().Lookup(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.ID, model.Default().Match(name), m.InputLimit)
	}
	// Output:
	// gpt-5.2 dated 272000
	// claude-sonnet-4-5 dated 200000
	// llama3.1 family 131072
}

func ExampleRegistry_Nearest() {
	if _, err := model.Default().Lookup("gpt-5.22"); errors.Is(err, plimsoll.ErrUnknownModel) {
		fmt.Println("gpt-5.22 is not known, but", model.Default().Nearest("gpt-5.22")[0], "is")
	}
	// Output:
	// gpt-5.22 is not known, but gpt-5.2 is
}

func ExampleModel_Cost() {
	m, err := model.Default().Lookup("claude-haiku-5-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, prompt := range []int{100_000, 101_000} {
		cost, _ := m.Cost(plimsoll.Usage{CacheRead: 90_000, Input: prompt - 90_000, Output: 500})
		fmt.Println(prompt, cost)
	}
	// Output:
	// 100000 $0.0022
	// 101000 $0.0112
}

func ExampleLoad() {
	list := `{"zorp-9": {"litellm_provider": "acme", "mode": "chat", "max_input_tokens": 64000},
	          "zorp-x": {"litellm_provider": "acme", "mode": "chat", "max_input_tokens": "plenty"}}`
	extra, problems, err := model.Load(strings.NewReader(list))
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := model.Default().Merge(extra)
	m, err := reg.Lookup("acme/zorp-9")
	fmt.Println(m.Limit(), err)
	fmt.Println(problems[0])
	// Output:
	// 64000 <nil>
	// model "zorp-x" at byte 105: field "max_input_tokens": want a whole number of tokens, got plenty
}

func ExampleEncodingFor() {
	for _, name := range []string{"gpt-4o", "azure/gpt-4-0613", "claude-opus-5"} {
		encoding, ok := model.EncodingFor(name)
		fmt.Printf("%s %q %v\n", name, encoding, ok)
	}
	// Output:
	// gpt-4o "o200k_base" true
	// azure/gpt-4-0613 "cl100k_base" true
	// claude-opus-5 "" false
}

func ExampleRegistry_Search() {
	for _, m := range model.Default().Search("sonnet 4.5") {
		fmt.Println(m.Provider, m.ID)
	}
	// Output:
	// anthropic claude-sonnet-4-5
}
