package trim

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// errNoVector is what an embedder without an answer has done.
var errNoVector = errors.New("the embedder returned no vector")

// retention compares two texts by their vectors. A text that did not change is
// embedded once.
func retention(ctx context.Context, embed Embedder, before, after string) (float64, error) {
	a, err := vector(ctx, embed, before)
	if err != nil {
		return 0, err
	}
	b := a
	if after != before {
		if b, err = vector(ctx, embed, after); err != nil {
			return 0, err
		}
	}
	return cosine(a, b), nil
}

// vector asks the embedder. One that panics has failed like one that returns an error.
func vector(ctx context.Context, embed Embedder, text string) (v []float64, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("the embedder panicked: %v", bug)
		}
	}()
	v, err = embed(ctx, text)
	if err == nil && len(v) == 0 {
		err = errNoVector
	}
	return v, err
}

// noLength is the norm below which a vector points nowhere.
const noLength = 1e-12

// cosine returns the cosine of the angle between two vectors, at least 0 and at
// most 1. The shorter one is taken as filled up with zeros. It is 0 when either
// has no length or one that cannot be computed with.
func cosine(a, b []float64) float64 {
	dot := 0.0
	for i := range min(len(a), len(b)) {
		dot += float64(a[i] * b[i]) // the conversion keeps processors from fusing
	}
	na, nb := norm(a), norm(b)
	if na <= noLength || nb <= noLength {
		return 0
	}
	c := dot / (na * nb)
	if math.IsNaN(c) {
		return 0
	}
	return max(0, min(1, c))
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
