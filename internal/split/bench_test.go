package split

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// sampleTexts generates size bytes of several kinds of text.
func sampleTexts(size int) map[string]string {
	r := rand.New(rand.NewPCG(4, 0))
	fill := func(next func() string) string {
		var text strings.Builder
		for text.Len() < size {
			text.WriteString(next())
		}
		return text.String()
	}
	pick := func(words string) string {
		list := strings.Fields(words)
		return list[r.IntN(len(list))]
	}
	const english = "the a of and ship load line keeper window which conversation under its model context when it's don't every tokens counts reference before after water"
	return map[string]string{
		"prose": fill(func() string {
			return pick(english) + pick(", . : ;")[:r.IntN(2)] + []string{" ", " ", " ", " ", "\n"}[r.IntN(5)]
		}),
		"code": fill(func() string {
			return fmt.Sprintf("\tif %s.%s != nil && count[%d] > 0x%x {\n\t\treturn %sError(\"%s: %%w\", err)\n\t}\n\n",
				pick(english), pick("Load Window lastSeen httpClient"), r.IntN(1000), r.IntN(1<<16), pick("fmt wire plan"), pick(english))
		}),
		"json": fill(func() string {
			return fmt.Sprintf("{\"id\":\"call_%x\",\"type\":\"function\",\"%s\":%d,\"ok\":true,\"text\":\"%s %s\"},",
				r.Uint32(), pick(english), r.IntN(100000), pick(english), pick(english))
		}),
		"base64": fill(func() string {
			return string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)])
		}),
		"french": fill(func() string {
			return pick("le la où élève déjà être modèle fenêtre système très grand à et données") + " "
		}),
		"russian": fill(func() string {
			return pick("и в не на который Время дом система обработка контекст модель") + " "
		}),
		"japanese": fill(func() string {
			return pick("会話の 文脈を 数える モデル 参照 保存して 行の 切り詰め ました。 これは、 「窓」")
		}),
	}
}

func BenchmarkWindow(b *testing.B) {
	for _, c := range patternCases() {
		for kind, text := range sampleTexts(1 << 18) {
			b.Run(c.name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				pieces := 0
				for b.Loop() {
					pieces = 0
					for pos := 0; pos < len(text); {
						ends, n := c.pattern.Window(text, pos)
						pieces += max(1, bits.OnesCount64(ends))
						pos += n
					}
				}
				b.ReportMetric(float64(pieces), "pieces")
			})
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, c := range patternCases() {
		for kind, text := range sampleTexts(1 << 18) {
			b.Run(c.name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					for pos := 0; pos < len(text); {
						pos = c.pattern.Next(text, pos)
					}
				}
			})
		}
	}
}

// BenchmarkAdversarial shows the time per byte at two sizes: it stays the same
// if the scanner is linear.
func BenchmarkAdversarial(b *testing.B) {
	for _, size := range []int{1 << 16, 1 << 20} {
		for kind, text := range adversarial(size) {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					for pos := 0; pos < len(text); {
						_, n := O200K.Window(text, pos)
						pos += n
					}
				}
			})
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	block := (*[windowLen]byte)([]byte(strings.Repeat("It's one of 64 bytes\n", 4)))
	for name, classify := range map[string]func(*[windowLen]byte, *masks){"portable": classifyPortable, "fastest": classify} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(windowLen)
			var m masks
			for b.Loop() {
				classify(block, &m)
			}
		})
	}
}
