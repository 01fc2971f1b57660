"""Writes the golden ids of testdata/golden with Hugging Face's own library, the judge.

    go run ./internal/hf/internal/fetchvocab DIR
    pip install tokenizers==0.23.3
    python3 internal/hf/testdata/golden.py DIR

Special tokens are encoded as text, as this package does by default; "special" holds what
the library gives with its own defaults.
"""

import gzip
import hashlib
import json
import pathlib
import random
import sys
import zlib

import tokenizers
import tokenizers.normalizers

here = pathlib.Path(__file__).parent
vocabularies = pathlib.Path(sys.argv[1])

PARTS = (
    list("abcxyzABCXYZ0123456789'\"()[]{}<>/\\|.,;:!?-_=+*&^%$#@~`")
    + [" ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\t\t", "\r", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085", "\ufeff", "\u200b"]
    + ["the", " the", "ing", " function", "return", "'s", "'S", "'ll", "'RE", "'\u017f", "\u017f", "\u212a", "HTTPServer", "camelCase"]
    + ["\u00e9", "e\u0301", "\u0301", "\u0323\u0307", "\u0307\u0323", "\u1e9b\u0323", "\u00c5", "\u212b", "\uac00", "\u1100\u1161", "\u0345", "\u0f73"]
    + ["日本", "語", "か", "ガ", "ｶﾞ", "中文", "字", "漢", "，", "。", "「", "한국", "ไทย", "नमस्ते", "עברית", "العربية", "Привет", "Ж", "ж", "ß", "ı", "İ", "ǅ", "ʰ", "ª"]
    + ["１", "٣", "Ⅷ", "½", "²", "\U0001d7d8", "🚢", "👩\u200d💻", "🏽", "🇳🇴", "\ufe0f", "\U0001f9ff", "\U00020000", "\ufffd", "\x00", "\x01", "\x7f", "\u0080"]
    + ["▁", "▁▁", "Ġ", "Ċ", "<0x0A>", "<s>", "</s>", "<unk>", "<bos>", "<eos>", "<|endoftext|>", "<|im_start|>", "<tool_call>", "<think>", "<b>", "<｜User｜>", "<table>", "[INST]", "<EOT>"]
    + ["\u0c5c", "\u1c89", "\U00011938", "\ua7cb", "\u088f", "\u0378", "\ue000"]
)


def random_texts():
    rng = random.Random(20260211)
    for i in range(1500):
        yield "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 12)))
    for i in range(60):
        yield "".join(rng.choice(PARTS) for _ in range(rng.randint(60, 300)))
    for i in range(240):
        yield "".join(chr(c) for c in (rng.choice((rng.randrange(0x20, 0x250), rng.randrange(0x20, 0x3100), rng.randrange(0x3000, 0xD000), rng.randrange(0x10000, 0x20000))) for _ in range(rng.randint(1, 30))))


def digest(ids):
    """The number of ids and a checksum: enough to compare, small enough to keep."""
    return [len(ids), zlib.crc32(b"".join(i.to_bytes(4, "little") for i in ids))]


def write(path, value):
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0))


# Blocks of 4096 characters in which normalisation does anything, and a few in which it does not.
BLOCKS = (0x0, 0x1, 0x2, 0x3, 0x4, 0x9, 0xA, 0xB, 0xD, 0xF, 0x10, 0x11, 0x16, 0x1C, 0x1D, 0x1E, 0x1F, 0x2F)


def normal_forms():
    """One checksum per block and form: each character alone and between marks of a low and a high class."""
    forms = {"NFC": tokenizers.normalizers.NFC(), "NFD": tokenizers.normalizers.NFD(), "NFKC": tokenizers.normalizers.NFKC(), "NFKD": tokenizers.normalizers.NFKD()}
    sums = {name: {} for name in forms}
    for block in BLOCKS:
        chars = [chr(c) for c in range(block * 4096, block * 4096 + 4096) if not 0xD800 <= c < 0xE000]
        texts = [t for c in chars for t in (c, "a\u0345" + c, "a" + c + "\u0334")]
        for name, form in forms.items():
            sums[name][str(block)] = zlib.crc32("\n".join(map(form.normalize_str, texts)).encode())
    return sums


def main():
    texts = json.loads((here / "edge.json").read_text("utf-8"))
    texts += [p.read_text("utf-8") for p in sorted((here / "texts").glob("*.txt"))]
    noise = list(random_texts())
    golden = here / "golden"
    golden.mkdir(exist_ok=True)
    write(golden / "random.json.gz", noise)
    write(here / "normal.json.gz", normal_forms())
    for file in sorted(vocabularies.glob("*/tokenizer.json")):
        t = tokenizers.Tokenizer.from_file(str(file))
        t.encode_special_tokens = True
        encode = lambda s: t.encode(s, add_special_tokens=False).ids
        ids = [encode(s) for s in texts]
        result = {
            "library": "tokenizers " + tokenizers.__version__,
            "vocabulary": hashlib.sha256(file.read_bytes()).hexdigest(),
            "size": t.get_vocab_size(with_added_tokens=True),
            "ids": ids,
            "decoded": {str(i): d for i, s in enumerate(texts) if (d := t.decode(ids[i], skip_special_tokens=False)) != s},
            "random": [digest(encode(s)) for s in noise],
        }
        t.encode_special_tokens = False
        result["special"] = [digest(t.encode(s, add_special_tokens=True).ids) for s in texts + noise]
        write(golden / (file.parent.name + ".json.gz"), result)
        print(file.parent.name, sum(map(len, ids)), "ids")


main()
