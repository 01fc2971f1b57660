// Writes classes.txt and pieces.json: what OpenAI's tiktoken (npm package
// tiktoken 1.0.22, the Rust library as WASM) says about the character classes
// and the piece boundaries of the edge strings below.
//
//   npm install --no-save tiktoken@1.0.22 && node golden.mjs
//
// The package takes any expression and vocabulary. With a vocabulary of single
// bytes the tokens are the bytes that the expression matches, and with an
// expression anchored by ^ their number is the length of the first match.
import { writeFileSync } from "node:fs";
import { Tiktoken } from "tiktoken";

const ranks = "! 0 " + Array.from({ length: 256 }, (_, i) => Buffer.from([i]).toString("base64")).join(" ");
const matcher = (regex) => new Tiktoken(ranks, {}, regex);

const word = "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+";
const caps = "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*";
const short = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const lines = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const cl = (digits) => `${short}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${lines}`;
const patterns = {
  gpt2: ["'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],
  cl100k: [cl("\\p{N}{1,3}")],
  o200k: [`${word}${short}?|${caps}${short}?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${lines}`],
  qwen2: [cl("\\p{N}")],
  tekken: [`${word}|${caps}|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${lines}`],
  deepseek3: [
    "\\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" + lines,
  ],
};

// isolate cuts text into matches and what lies between them.
function isolate(anchored, text) {
  const pieces = [];
  let gap = "";
  for (let rest = text; rest !== ""; ) {
    const n = anchored.encode_ordinary(rest).length;
    if (n === 0) {
      const c = String.fromCodePoint(rest.codePointAt(0));
      gap += c;
      rest = rest.slice(c.length);
      continue;
    }
    if (gap !== "") pieces.push(gap);
    gap = "";
    const piece = Buffer.from(rest).subarray(0, n).toString();
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  if (gap !== "") pieces.push(gap);
  return pieces;
}

const texts = [
  "", "a", " ", "\n", "'", "Hello, world!", "  leading and trailing  ", "don't we'll I'VE they'RE he'd I'm it'S", "'s 't 're 've 'm 'll 'd",
  "'sabc 'reX 'rEX 'LLx", "x's's's", "x'ſ y'ſz 'ſtop ſ", "x'K x'k", "''s x''s !'s", "a\n\t\nb", "x\n \ny", "if x:\n    a\n    \n    b\n\t\n\tc\n",
  "\r\n\r\n  \r\n\tx", "a \n b", "a  b   c    d", "\t\tindent\t x", "a\u00a0b\u00a0\u00a0c", "\u3000\u3000段落\u3000 x", "\u2028\u2029x\u0085y", "\u200b\u200bx\u200d", "\ufeffBOM \ufeff\ufeff",
  "1 12 123 1234 1234567890", "  42 \t42\n42", "٣٤٥٦ ½¾ Ⅷx ①②③④", "3.14e10 0x1F 1,000,000", "a1b22c333d4444", "camelCase HTTPServer XMLHttpRequest iPhone ABCdef", "ÉCOLE école ÀàÀ ßẞ",
  "ǅungla ʰa ªº", "漢字かなカナ交じり文。、「引用」", "ア・イ゛ウー", "漢ABC 漢ABCdef abc漢DEF", "한국어 텍스트입니다.", "Привет, МИР! приветМир", "שלום עולם", "مرحبا بالعالم ١٢٣", "ภาษาไทยกับวรรณยุกต์", "हिन्दी में क्षेत्र",
  "e\u0301le\u0300ve \u0301 \u0301A \u0301Ab !\u0301!", "A\u0301B\u0301c \u0301\u0301", "👍🏽👩‍👩‍👧 ok", "→ — … € ™", "!!!\n\n\nx", "!\n/path\n//x\n/\n!", "foo();\n\n// bar\n/* baz */", "https://example.org/a/b?c=d&e=f#g", "a/b//c/\n/d",
  '{"key": "value", "n": [1, 2.5, -3e4], "t": true}', "\x00\x01a \x00\x00! \x1b[0m", "\u0c5c\u0c5c \u0378a", "\u{10d4a}\u{10d6a}\u1c89\u1c8a\ua7cb", "𠀀𠮷野家 𝔘𝔫𝔦", "<|endoftext|> <|im_start|>", "snake_case _x __init__ $var @user #tag",
  "C++ C# F#, a+b=c; x<=y && !z", "tab\tx\ty \t z", " .foo .Foo ..foo ( bar (bar ((bar", ".été .aé _漢 _a漢 「a 」b", "  1 漢 \n1 \n漢  漢", "\v\f\v x\v", "end with spaces   ", "end with lines \n \n", "end 'r", "end x'", "\u{e0100}\u{e0101}a\ufe0fb",
];

const encoder = new TextEncoder();
const goldens = texts.map((text) => ({ text, ends: {} }));
for (const [name, regexes] of Object.entries(patterns)) {
  const stages = regexes.map((regex) => matcher(`^(?:${regex})`));
  for (const golden of goldens) {
    let pieces = [golden.text];
    for (const stage of stages) pieces = pieces.flatMap((piece) => isolate(stage, piece));
    let end = 0;
    golden.ends[name] = pieces.map((piece) => (end += encoder.encode(piece).length));
  }
}
writeFileSync("pieces.json", "[\n" + goldens.map((g) => JSON.stringify(g)).join(",\n") + "\n]\n");

// ranges lists the characters that match, as hexadecimal ranges.
function ranges(regex) {
  const m = matcher(regex);
  const out = [];
  let first = -1, last = -1;
  const flush = () => first >= 0 && out.push(first === last ? first.toString(16) : first.toString(16) + "-" + last.toString(16));
  for (let base = 0; base < 0x110000; base += 4096) {
    let text = "";
    for (let c = base; c < base + 4096; c++) if (c < 0xd800 || c > 0xdfff) text += String.fromCodePoint(c);
    for (const char of Buffer.from(m.encode_ordinary(text)).toString()) {
      const c = char.codePointAt(0);
      if (c !== last + 1) {
        flush();
        first = c;
      }
      last = c;
    }
  }
  flush();
  return out.join(" ");
}
const classes = ["Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "P", "S"].map((name) => [name, `\\p{${name}}`]);
classes.push(["White_Space", "\\s"]);
writeFileSync("classes.txt", classes.map(([name, regex]) => `${name} ${ranges(regex)}\n`).join(""));
