package sse_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll/internal/sse"
)

func ExampleReader() {
	stream := ": keep-alive\n\nevent: delta\ndata: {\"text\":\"a\"}\n\ndata: [DONE]\n\n"
	r := sse.NewReader(strings.NewReader(stream), nil)
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if e.HasData() {
			fmt.Printf("%q %s\n", e.Name, e.Data)
		}
	}
	// Output:
	// "delta" {"text":"a"}
	// "" [DONE]
}

// A proxy forwards what comes and reads it on the side.
func ExampleSplitter() {
	upstream := strings.NewReader("data: 1\n\ndata: 2\n\n")
	client := os.Stdout
	sizes := 0
	s := sse.NewSplitter(func(e sse.Event, err error) {
		if err == nil {
			sizes += len(e.Raw)
		}
	}, nil)
	if _, err := io.Copy(io.MultiWriter(client, s), upstream); err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizes, "bytes of events")
	// Output:
	// data: 1
	//
	// data: 2
	//
	// 18 bytes of events
}

func ExampleAppend() {
	fmt.Printf("%s", sse.Append(nil, "error", []byte("two\nlines")))
	// Output:
	// event: error
	// data: two
	// data: lines
}
