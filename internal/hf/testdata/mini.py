"""Writes testdata/mini.json.gz: small tokenizers of our own, one per feature of the format, with
the ids that Hugging Face's own library gives for a few texts.

    pip install tokenizers==0.23.3
    python3 internal/hf/testdata/mini.py
"""

import gzip
import json
import pathlib

import tokenizers

TEXTS = [
    "", " ", "a", "the", " the", "the the", "  the  a", "the\nthe", "a1b22c333", "x=1;y=22", "it's the", "THE", "é", "日本", "a é 日 b", "naïve", "▁the▁", "a-b--c", "-", "--", "-a-",
    "<s>", "a<s>b", "a <s> b", "a  <s>  b", "<mask>", "a <mask> b", "the<mask>the", " <mask> <mask> ", "<w>", "a<w>b", "a <w> b", "<w>1", "<t>a</t>", "<t", "a<t>a<tt>", "É", "e\u0301", "ﬁ", "<É>", "<E\u0301>",
    "\u00a0the", "\u3000a", "١٢", "½ the", "a\u2003<mask>\u2003b", "tttthhhheeee", "thethethe", "th" * 20, "  \t \n ", "12345", "a 1 b 2",
]


def alphabet():
    """The characters that stand for bytes."""
    plain = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    hidden = [b for b in range(256) if b not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(hidden)}


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
BYTE_MERGES = ["t h", "h e", "th e", "Ġ the", "Ġ t", "Ã ©", "æ Ĺ", "1 2", "Ġ a", "a Ġ", "- -", "t t"]
CHAR_MERGES = ["t h", "th e", "▁ the", "▁ t", "▁ a", "▁ ▁", "1 2", "- -", "日 本", "n a"]
CHARS = "▁theanbcxy123-=;日本 "


def model(tokens, merges, pairs=False, **settings):
    for m in merges:
        joined = m.replace(" ", "")
        if joined not in tokens:
            tokens.append(joined)
    merges = [m.split(" ") for m in merges] if pairs else merges
    return {"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens)}, "merges": merges, **settings}


def bytes_model(**settings):
    return model(list(alphabet().values()), BYTE_MERGES, **settings)


def chars_model(**settings):
    tokens = ["<unk>", "<s>"] + ["<0x%02X>" % b for b in range(256)] + list(CHARS)
    return model(tokens, CHAR_MERGES, **{"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, **settings})


def plain_model(**settings):
    return model(["<unk>"] + list(CHARS), CHAR_MERGES, **settings)


def added(content, i, **flags):
    return {"id": 1000 + i, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False, **flags}


def seq(field, *steps):
    return {"type": "Sequence", field: list(steps)}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NO_REGEX = BYTES | {"use_regex": False}
SPACE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
META = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
DECODER = seq("decoders", {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"})


def literal(behavior, string="-"):
    return seq("pretokenizers", {"type": "Split", "pattern": {"String": string}, "behavior": behavior, "invert": False}, NO_REGEX)


def template(single):
    return {"type": "TemplateProcessing", "single": single, "pair": single + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [8, 9], "tokens": ["<", "s"]}}}


BOS = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
EOS = [{"SpecialToken": {"id": "</s>", "type_id": 0}}]

CASES = {
    "byte level": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES),
    "byte level without type": dict(model={k: v for k, v in bytes_model().items() if k != "type"}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level with pairs": dict(model=bytes_model(pairs=True), pre_tokenizer=BYTES, decoder=BYTES),
    "byte level with a prefix space": dict(model=bytes_model(), pre_tokenizer=BYTES | {"add_prefix_space": True}, decoder=BYTES),
    "byte level with a prefix space and added tokens": dict(model=bytes_model(), pre_tokenizer=BYTES | {"add_prefix_space": True}, decoder=BYTES, added_tokens=[added("<s>", 0, special=True), added("<t>", 1)]),
    "byte level without a split": dict(model=bytes_model(), pre_tokenizer=NO_REGEX, decoder=BYTES),
    "byte level that looks up pieces": dict(model=bytes_model(ignore_merges=True) | {"merges": ["h e", "t h", "t he", "Ġ t", "Ġ the"]}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level after NFC": dict(model=bytes_model(), normalizer={"type": "NFC"}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level after NFD": dict(model=bytes_model(), normalizer={"type": "NFD"}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level after NFKC": dict(model=bytes_model(), normalizer={"type": "NFKC"}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level after NFKD": dict(model=bytes_model(), normalizer={"type": "NFKD"}, pre_tokenizer=BYTES, decoder=BYTES),
    "byte level after digits": dict(model=bytes_model(), pre_tokenizer=seq("pretokenizers", {"type": "Digits", "individual_digits": False}, BYTES), decoder=BYTES),
    "byte level after single digits": dict(model=bytes_model(), pre_tokenizer=seq("pretokenizers", {"type": "Digits", "individual_digits": True}, BYTES), decoder=BYTES),
    "digits after a split": dict(model=bytes_model(), pre_tokenizer=seq("pretokenizers", {"type": "Split", "pattern": {"Regex": GPT2}, "behavior": "Isolated", "invert": False}, {"type": "Digits", "individual_digits": True}, NO_REGEX), decoder=BYTES),
    "byte level without all bytes": dict(model=model(["?"] + list("theĠa12-"), ["t h", "th e", "Ġ the", "Ġ t", "a Ġ"], unk_token="?", fuse_unk=True), pre_tokenizer=BYTES, decoder=BYTES),
    "byte level that drops bytes": dict(model=model(list("theĠa12-"), ["t h", "th e", "Ġ the", "Ġ t", "a Ġ"]), pre_tokenizer=NO_REGEX, decoder=BYTES),
    "nested sequences": dict(model=bytes_model(), pre_tokenizer=seq("pretokenizers", seq("pretokenizers", {"type": "Digits", "individual_digits": True}), seq("pretokenizers", BYTES)), decoder=seq("decoders", BYTES)),
    "isolated literal": dict(model=bytes_model(), pre_tokenizer=literal("Isolated"), decoder=BYTES),
    "removed literal": dict(model=bytes_model(), pre_tokenizer=literal("Removed"), decoder=BYTES),
    "contiguous literal": dict(model=bytes_model(), pre_tokenizer=literal("Contiguous"), decoder=BYTES),
    "literal with the previous": dict(model=bytes_model(), pre_tokenizer=literal("MergedWithPrevious"), decoder=BYTES),
    "literal with the next": dict(model=bytes_model(), pre_tokenizer=literal("MergedWithNext"), decoder=BYTES),
    "added tokens that strip": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, added_tokens=[added("<mask>", 0, lstrip=True), added("<s>", 1, rstrip=True), added("<w>", 2, lstrip=True, rstrip=True)]),
    "added tokens that are words": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, added_tokens=[added("<w>", 0, single_word=True), added("a", 1, single_word=True), added("the", 2, single_word=True)]),
    "added tokens inside each other": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, added_tokens=[added("<t", 0), added("<t>", 1), added("<t>a", 2, special=True), added("a<", 3)]),
    "added tokens after NFC": dict(model=bytes_model(), normalizer={"type": "NFC"}, pre_tokenizer=BYTES, decoder=BYTES, added_tokens=[added("<E\u0301>", 0, normalized=True), added("e\u0301", 1), added("\u00c9", 2, normalized=True, special=True)]),
    "special tokens in front": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, post_processor=template(BOS)),
    "special tokens around": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, post_processor=seq("processors", BYTES, template(BOS + EOS))),
    "special tokens of Roberta": dict(model=bytes_model(), pre_tokenizer=BYTES, decoder=BYTES, post_processor={"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True, "add_prefix_space": False}),
    "characters with byte fallback": dict(model=chars_model(), normalizer=SPACE, decoder=DECODER, added_tokens=[added("<s>", 0, id=1, special=True), added("<t>", 1)]),
    "characters after a prefix": dict(model=chars_model(), normalizer=seq("normalizers", {"type": "Prepend", "prepend": "▁"}, SPACE), decoder=seq("decoders", *DECODER["decoders"], {"type": "Strip", "content": " ", "start": 1, "stop": 0}), added_tokens=[added("<s>", 0, id=1, special=True), added("<t>", 1)]),
    "normalised added tokens after a prefix": dict(model=chars_model(), normalizer=seq("normalizers", {"type": "Prepend", "prepend": "▁"}, SPACE), decoder=DECODER, added_tokens=[added("<t>", 1, normalized=True), added("<w>", 2)]),
    "characters that look up pieces": dict(model=chars_model(ignore_merges=True), normalizer=SPACE, decoder=DECODER),
    "metaspace always": dict(model=chars_model(), pre_tokenizer=META, decoder=META, added_tokens=[added("<t>", 1)]),
    "metaspace first": dict(model=chars_model(), pre_tokenizer=META | {"prepend_scheme": "first"}, decoder=META | {"prepend_scheme": "first"}, added_tokens=[added("<t>", 1)]),
    "metaspace never": dict(model=chars_model(), pre_tokenizer=META | {"prepend_scheme": "never"}, decoder=META | {"prepend_scheme": "never"}, added_tokens=[added("<t>", 1)]),
    "metaspace without a split": dict(model=chars_model(), pre_tokenizer=META | {"split": False}, decoder=META),
    "metaspace before schemes": dict(model=chars_model(), pre_tokenizer={"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}, decoder={"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}),
    "unknown characters fused": dict(model=plain_model(unk_token="<unk>", fuse_unk=True), normalizer=SPACE),
    "a decoder of no steps": dict(model=plain_model(unk_token="<unk>"), decoder=seq("decoders")),
    "unknown characters apart": dict(model=plain_model(unk_token="<unk>"), normalizer=SPACE),
    "unknown characters dropped": dict(model=plain_model()),
    "fallback without all bytes": dict(model=model(["<unk>", "<0xC3>", "<0xA9>"] + list(CHARS), CHAR_MERGES, unk_token="<unk>", byte_fallback=True)),
}


def main():
    out = []
    for name, sections in CASES.items():
        file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None} | sections
        t = tokenizers.Tokenizer.from_str(json.dumps(file))
        for i, a in enumerate(file["added_tokens"]):
            a["id"] = t.token_to_id(a["content"])  # the library numbers new tokens itself
        case = {"name": name, "file": file, "texts": []}
        for text in TEXTS:
            t.encode_special_tokens = True
            ids = t.encode(text, add_special_tokens=False).ids
            t.encode_special_tokens = False
            case["texts"].append({"text": text, "ids": ids, "special": t.encode(text, add_special_tokens=True).ids})
            # The library decodes normalised added tokens to their normal form; we give what the file says.
            if not any(a["normalized"] for a in file["added_tokens"]):
                case["texts"][-1]["decoded"] = t.decode(ids, skip_special_tokens=False)
        out.append(case)
    data = json.dumps(out, ensure_ascii=False, separators=(",", ":")).encode()
    pathlib.Path(__file__).with_name("mini.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    print(len(out), "tokenizers")


main()
