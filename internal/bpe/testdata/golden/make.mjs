// Writes golden.jsonl.gz: texts with the token ids that OpenAI's tiktoken gives them. Run from an empty directory:
//   npm install tiktoken@1.0.22 && node path/to/make.mjs path/to/golden.jsonl.gz
// A line has the text, and for each encoding either all ids or, for long texts, their number and an FNV-1a hash.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const { get_encoding } = createRequire(join(process.cwd(), "x.js"))("tiktoken");
const names = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"];
const encodings = names.map((name) => get_encoding(name));

const samples = {
  english: `The harbour master wrote every arrival into a book: name, port of origin, cargo, and how deep the hull sat in
the water. "You can't load what the sea won't carry," he'd say, and it's hard to disagree with a man who's seen three ships
go down within sight of the quay. They'll tell you it was the weather; I've heard others claim that we'd simply forgotten how
to count. By 1876 the mark was law. Inspectors weren't paid by the owners, couldn't be dismissed by them, and shouldn't have
cared -- yet O'BRIEN'S LETTERS SHOW THEY'D BEEN ASKED TO LOOK AWAY... more than 1,250 times in 12 years!\n\n`,
  go: `package ring\n\nimport (\n\t"errors"\n\t"sync/atomic"\n)\n\n// ErrFull reports that a ring has no room.\nvar ErrFull = errors.New("ring: full")\n
type Ring[T any] struct {\n\tbuf        []T\n\thead, tail atomic.Uint64\n}\n
func (r *Ring[T]) Push(v T) error {\n\th, t := r.head.Load(), r.tail.Load()\n\tif t-h == uint64(len(r.buf)) {\n\t\treturn ErrFull\n\t}\n\tr.buf[t%uint64(len(r.buf))] = v\n\tr.tail.Store(t + 1)\n\treturn nil\n}\n`,
  python: `from __future__ import annotations\nimport asyncio\n\n\nclass Meter:\n    """Counts what passes."""\n\n    def __init__(self, limit: int = 0x7FFF_FFFF) -> None:\n        self.limit, self._seen = limit, {}\n        \n    async def feed(self, items):\n        async for k, v in items:\n            if not (k := k.strip()) or v is None:\n                continue\n\n            self._seen[k] = self._seen.get(k, 0.0) + 1e-3 * v ** 2\n        return {k: f"{v:>10.2f}" for k, v in sorted(self._seen.items())}\n`,
  rust: `impl<'a, T: Ord + 'a> Heap<'a, T> {\n    pub fn pop(&mut self) -> Option<T> {\n        self.data.pop().map(|mut item| {\n            if let Some(top) = self.data.first_mut() { std::mem::swap(&mut item, top); self.sift_down(0); }\n            item\n        })\n    }\n}\n#[test]\nfn it_doesnt_panic() { assert_eq!(Heap::<u8>::new().pop(), None); }\n`,
  sql: `SELECT c.id, COUNT(*) AS n, SUM(o.total_cents)/100.0 FROM customers c LEFT JOIN orders o ON o.customer_id=c.id\nWHERE o.created_at >= '2024-02-29T23:59:60Z' AND c.email ILIKE '%@example.com' GROUP BY 1 HAVING COUNT(*)>10 ORDER BY 3 DESC LIMIT 50;\n`,
  c: `#include <stdint.h>\n#define MIN(a,b) ((a)<(b)?(a):(b))\nstatic inline uint32_t rotl32(uint32_t x, int8_t r){return (x<<r)|(x>>(32-r));}\r\nint main(void)\r\n{\r\n\tfor (size_t i = 0; i < 1u<<20; ++i) { /* nothing */ }\r\n\treturn 0;\r\n}\r\n`,
  json: JSON.stringify({ id: "call_8fK2", type: "function", function: { name: "read_file", arguments: '{"path":"src/app/main.ts","start":120,"end":180}' }, usage: { prompt_tokens: 10432, cached: null, ok: true, ratio: -0.125e-7 }, tags: ["ä", "日本", "a\\b", "\u0000"] }, null, 2) + "\n",
  json_flat: `{"messages":[{"role":"user","content":"Hi\\nthere"},{"role":"assistant","content":null,"tool_calls":[{"id":"tc_1"}]}],"stream":false,"n":1}`,
  log: `2025-03-07T09:14:22.318Z INFO  [worker-17] http.server: GET /api/v1/items?id=4711&sort=-created 200 13ms 10.0.3.17:55012\n2025-03-07T09:14:22.990Z ERROR [worker-02] db.pool: connection refused (errno=111) after 5000ms; retry 3/5 req=9f86d081-884c-4d63-a1fe-0c55ad015bf4\n\tat Pool.acquire (pool.js:88:17)\n`,
  markdown: `# Heading\n\n* item **bold** _it_ \`code\`\n  1. nested [link](https://example.org/a_b?c=d&e=%20#f)\n\n| a | b |\n|---|--:|\n| 1 | 22 |\n\n---\n> quote\n\n\`\`\`sh\n$ ls -la ~/x | grep -v '^d' > /dev/null 2>&1\n\`\`\`\n`,
  minified: `!function(e,t){"object"==typeof exports?module.exports=t():e.X=t()}(this,(function(){"use strict";var e=Math.max;function t(n){return n&&n.__esModule?n:{default:n}}const r=[1,2,3].map((e=>e**2)),o=/^[a-z]+\\d*$/gi;return{a:r,b:o,c:e(0,1e3),d:void 0!==t?!0:!1}}));`,
  base64: `iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==`,
  hex: `d2a84f4b8b650937ec8f73cd8be2c74add5a911ba64df27458ed8229da804a26 0xDEADBEEFcafebabe 00112233445566778899aabbccddeeff`,
  japanese: `港の管理人は、入ってくる船をすべて帳面に書きつけた。「海が運べないものは積めない」と彼は言う。二〇二四年の春、東京から来たコンテナ船ひかり丸は、喫水線が三センチ下がっていた。トークンの数え方は、ｶﾀｶﾅやﾊﾝｶｸ文字でも同じでなければならない。\n`,
  chinese: `港口的管理员把每一艘船都记在本子上：船名、出发地、货物，以及吃水的深度。他常说：“大海载不动的，就别装。”到一八七六年，这条线成了法律。繁體中文也一樣：載重線、貨櫃、颱風與龜殼。\n`,
  korean: `항만 관리인은 들어오는 배를 모두 장부에 적었다. "바다가 나르지 못할 것은 싣지 마라"라고 그는 말하곤 했다. 2024년 봄, 부산에서 온 화물선의 흘수선은 3cm 낮아져 있었다.\n`,
  russian: `Смотритель порта записывал в книгу каждое судно: имя, порт приписки, груз и осадку. «Не грузи того, чего не унесёт море», — говорил он. К 1876 году марка стала ЗАКОНОМ, а ёмкость считали заново.\n`,
  greek: `Ο λιμενάρχης έγραφε κάθε πλοίο στο βιβλίο του· «ό,τι δεν σηκώνει η θάλασσα, μην το φορτώνεις», έλεγε. ΑΘΗΝΑ ς σ Σ.\n`,
  arabic: `كان مدير الميناء يكتب كل سفينة في دفتره: الاسم والحمولة وعمق الغاطس. وفي عام ١٨٧٦ أصبح الخط قانونًا، فقال: «لا تُحمّل ما لا يحمله البحر».\n`,
  hebrew: `מנהל הנמל רשם כל אונייה בספר: שָׁלוֹם, משקל ומטען — "אל תעמיס מה שהים לא יישא".\n`,
  hindi: `बंदरगाह का अधिकारी हर जहाज़ को बही में लिखता था: नाम, माल और पानी में गहराई। वह कहता था, "जो समुद्र न उठा सके, वह मत लादो।" सन् १८७६ में यह क़ानून बना।\n`,
  thai: `นายท่าเรือจดชื่อเรือทุกลำลงในสมุด ทั้งสินค้าและระดับน้ำ เขาพูดว่า "อย่าบรรทุกสิ่งที่ทะเลแบกไม่ไหว" ปี ๑๘๗๖\n`,
  tamil: `துறைமுக அதிகாரி ஒவ்வொரு கப்பலையும் குறித்துக்கொண்டார்; కడలి తెలుగు ಕನ್ನಡ മലയാളം සිංහල ქართული հայերեն አማርኛ ខ្មែរ ລາວ မြန်မာ བོད་སྐད་\n`,
  vietnamese: `Người quản lý cảng ghi lại từng con tàu; Đừng chở những gì biển không mang nổi. Zażółć gęślą jaźń, příliš žluťoučký kůň, Ünïcödé straße ŞİŞLİ ıI\n`,
  emoji: `👩‍👩‍👧‍👦 👨🏽‍🚀🏴‍☠️ 🇯🇵🇩🇪🇧🇷 ❤️‍🔥 1️⃣2️⃣ 😀😃😄 ✊🏿 🫠🪿 ⚓️⛵ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ™️ ©®\n`,
  math: `∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, ∑_{i=0}^{n} i² ≤ ½n³; 𝒜𝔹𝖈 x̂ ẋ̈ ½ ¾ Ⅷ ⅷ ² ³ ① ⑳ ٣ ४ ๓ 𝟘𝟙𝟚 ㊗ ㋿ ﬁ Ǆ ǅ ǆ ᾈ\n`,
  table: `┌────┬────┐\n│ ab │ cd │\n├────┼────┤\n│  1 │  2 │\n└────┴────┘\n████▓▓▒▒░░ ▁▂▃▄▅▆▇█ ●○◆◇★☆ →⇒⟶\n`,
};

const edges = [
  "", " ", "  ", "   ", "\n", "\r\n", "\r", "\n\n", "\t", " \n", "\n ", " \n ", "\t\n\t", "\u0000", "\u0000\u0000\u0000", "a\u0000", "a\u0000\u0000b",
  "a\n\t\nb", "x\n \ny", "if x:\n    a\n    \n    b\n\t\n\tc\n", "a\r\n\r\nb", "a\r\r\n\nb", "a \r\n b", "a  \n\n  b", "   a", "a   ", "a   b", "\u00a0a", " \u00a0 a", "\u3000\u3000日", "a\u2028b\u2029c", "\u0085\u0085x", "\u200b\u200bx", "\u180ex", "\ufeff", "\ufeffa", " \ufeff a", "\ufeff\n", "\u1680 \u2000\u200a\u202f\u205fz",
  "'s", "'S", "'ſ", "it'ſ", "IT'ſ x", "'ſa", "don't", "DON'T", "Don'T've", "we'll've", "'ll", "'Ll", "'LL", "'l", "'lx", "'re're", "he''s", "' s", " 's", "''", "'''", "\n's", "x'", "x'\n", "x'd'd", "'\u212a", "’s", "they’re", "A'm", "ABc'veD", "a'VEb", "日本's", "é's", "1's", "_'s", ".'s", "'dd", "'m'm'M",
  "1", "12", "123", "1234", "12345", "1234567890", " 1", " 123", "  1234", "1a2b3c", "a1", "1.5", "1,000,000.00", "٣٤٥٦", "１２３４", "²³¹⁴", "½⅓Ⅷ", "𝟘𝟙𝟚𝟛", "1٣१๑", "v1.2.3-rc4+build.567",
  "ABCdef", "abcDEF", "aB", "Ab", "AB", "aBC", "ABc", "camelCaseString", "HTTPServerError", "XMLHttpRequest2", "iPhone", "McDONALD", "ǅabc", "aǅ", "ʰʰA", "日A本a", "aあA", "Aあa", "e\u0301E\u0301", "\u0301", "\u0301a", "\u0301A", " \u0301a", "a\u0301", "A\u0301b", "\u0301\u0301\u0301", "!\u0301", "!\u0301a", "1\u0301", "\n\u0301", "ªº", "ßẞ", "ÄÖÜäöü", "ꟺA",
  "/", "//", "///\n", "a/b", "a//b", "/\n", "!/\n/", ".\n/", "...\n\n", "!\r\n", "!?\n \n", "(/)\n", "\n/", "/a", " /a", " /", "https://a.b/c", "!!!", "?!?!", "--", "---", "=====", "#####\n", "$$a", "$a", "@user", "#tag", "&amp;", "<b>", "</b>\n", "-a", " -a", "  -a", "_a", "__init__", "a_b", "\\n", "\\\\n", "`a`", "~/x", "^a", "!a!", "\"a\"", "(a)", "[a]", "{a}",
  "<|endoftext|>", "a<|endoftext|>b", "<|endofprompt|>", "<|fim_prefix|>x<|fim_suffix|>y<|fim_middle|>", "<|im_start|>user\nhi<|im_end|>", "<|endoftext", "endoftext|>", "<|ENDOFTEXT|>", "<|endoftext|><|endoftext|>",
  "\u0c5c", "\u0c5c\u0c5c a", "\u1c89\u1c8a", "\ua7cb", "\ua7da\ua7db", "\u{1fae8}", "\u{31350}", "\u{2ebf0}", "\u{10d4a}", "\u{1e5d0}", "\ue000", "\ufffd", "\ufffe", "\uffff", "\u{10ffff}", "\u{e0041}", "\u{1f1e6}\u{1f1e7}", "\u00ad", "\u061c", "\u0600\u0661",
  "a\u200db", "👍🏽", "🇺🇸", "1️⃣", "☺️", "नमस्ते", "สวัสดี", "안녕하세요", "각", "\u1100\u1161\u11a8", "ﷺ", "ﬀ", "㍿", "ｱﾊﾟｰﾄ",
  " solidgoldmagikarp", " SolidGoldMagikarp", "useRalativeImagePath", "PsyNetMessage", ".translatesAutoresizingMaskIntoConstraints", "给主人留下些什么吧", "antidisestablishmentarianism", "pneumonoultramicroscopicsilicovolcanoconiosis", "supercalifragilisticexpialidocious",
];

for (const ch of [" ", "\n", "a", "A", "=", "-", "0", "7", "\t", "\u0000", "é", "日", "の", "한", "Я", "😀", "\u0301", "'", "/", "\\", "_", "#", "*", "\r\n", "\n ", " \n", "ab", "aB", "'s", "a\n", "==-"]) {
  for (const n of [5, 17, 63, 64, 65, 130, 257]) edges.push(ch.repeat(n), ch.repeat(n) + "x");
}

// A small generator with fixed seeds keeps the file the same on every run.
function random(seed) {
  return () => {
    seed |= 0; seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const rnd = random(20240229);
const below = (n) => Math.floor(rnd() * n);
const pick = (list) => list[below(list.length)];

const ranges = [[0x20, 0x7e], [0x20, 0x7e], [0, 0x2f], [0xa0, 0x24f], [0x2b0, 0x36f], [0x370, 0x52f], [0x590, 0x6ff], [0x900, 0xdff], [0xe00, 0x10ff], [0x1e00, 0x20cf], [0x2100, 0x27bf], [0x3000, 0x30ff], [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe00, 0xffff], [0x10000, 0x1ffff], [0x1f300, 0x1faff], [0x20000, 0x323af], [0xe0000, 0xe01ef]];
const atoms = ["'s", "'t", "'re", "'LL", "'ſ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\ufeff", "1", "22", "333", "a", "the", "ing", " of", "X", "The", "IBM", "/", "//", ".", ",", "!", "(", "\"", "é", "ß", "日本", "の", "。", "😀", "\u0301", "\u200d", "<|", "|>", "<|endoftext|>", "\u0000", "_", "-", "=", "{", "}", "\\", "ş", "ǅ", "ʰ", "٣", "Ⅷ", "ж", "Ж", "한"];

const fuzz = [];
for (let i = 0; i < 700; i++) {
  let s = "";
  for (let n = 1 + below(30); n > 0; n--) s += pick(atoms);
  fuzz.push(s);
}
for (let i = 0; i < 500; i++) {
  let s = "";
  for (let n = 1 + below(24); n > 0; n--) {
    const [lo, hi] = pick(ranges);
    const code = lo + below(hi - lo + 1);
    if (code < 0xd800 || code > 0xdfff) s += String.fromCodePoint(code);
  }
  fuzz.push(s);
}
for (let i = 0; i < 200; i++) {
  const alphabet = pick(["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "0123456789abcdef", "etaoinshrdlu ", "aA", "abc", " \n\t\r", "=-+*#/", "アイウエオカキク日本語の", "абвгдеж", "ao'st "]);
  let s = "";
  for (let n = 1 + below(200); n > 0; n--) s += pick([...alphabet]);
  fuzz.push(s);
}

// Long texts: samples cut and shuffled into each other.
const long = [];
const pool = Object.values(samples);
for (let i = 0; i < 12; i++) {
  let s = "";
  while (s.length < 12000) {
    const chars = [...pick(pool)], from = below(chars.length);
    s += chars.slice(from, from + 20 + below(400)).join("");
    if (rnd() < 0.2) s += pick(atoms);
  }
  long.push(s);
}

function hash(ids) {
  let h = 0xcbf29ce484222325n;
  for (const id of ids) for (let i = 0; i < 4; i++) {
    h = ((h ^ BigInt((id >>> (8 * i)) & 255)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return h.toString(16).padStart(16, "0");
}

const lines = [...pool, ...edges, ...fuzz, ...long].map((text) => {
  const line = { text };
  names.forEach((name, i) => {
    const ids = [...encodings[i].encode_ordinary(text)];
    line[name] = text.length > 100 ? { count: ids.length, hash: hash(ids) } : { ids };
  });
  return JSON.stringify(line);
});
writeFileSync(process.argv[2], gzipSync(lines.join("\n") + "\n", { level: 9 }));
