package embedding

import "testing"

// FuzzReadAnswer reads whatever a server may answer: no panic, and either an error
// or one vector of the same size for each text.
func FuzzReadAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, answer []byte, texts uint8) {
		vectors, err := readAnswer(answer, int(texts))
		if err != nil {
			return
		}
		if len(vectors) != int(texts) {
			t.Fatalf("%d vectors for %d texts", len(vectors), texts)
		}
		for i, v := range vectors {
			if len(v) == 0 || len(v) != len(vectors[0]) {
				t.Fatalf("vector %d has %d numbers", i, len(v))
			}
		}
	})
}
