// Measures one npm tokenizer: node peer.mjs LIBRARY [first ENCODING]. The protocol is that of package line.
import { createInterface } from "node:readline";
import { readFileSync, writeFileSync } from "node:fs";

const sample = "Hello, world! How many tokens is this?";

const libraries = {
  async tiktoken(encoding) {
    const { get_encoding } = await import("tiktoken");
    const e = get_encoding(encoding);
    return { count: (text) => e.encode_ordinary(text).length, encode: (text) => e.encode_ordinary(text) };
  },
  async "gpt-tokenizer"(encoding) {
    const { countTokens, encode } = await import(`gpt-tokenizer/encoding/${encoding}`);
    const ordinary = { disallowedSpecial: new Set() };
    return { count: (text) => countTokens(text, ordinary), encode: (text) => encode(text, ordinary) };
  },
  async "ai-tokenizer"(encoding) {
    const { Tokenizer } = await import("ai-tokenizer");
    const t = new Tokenizer(await import(`ai-tokenizer/encoding/${encoding}`));
    return { count: (text) => t.count(text), encode: (text) => t.encode(text, [], []) };
  },
};

const [library, mode, firstEncoding] = process.argv.slice(2);
const open = libraries[library];
const opened = new Map();
const texts = new Map();

function cpu() {
  const used = process.cpuUsage();
  return (used.user + used.system) * 1000;
}

function measure(pass, text, millis) {
  if (millis > 0) pass(text);
  const start = cpu();
  for (let passes = 1; ; passes++) {
    const tokens = pass(text);
    const used = cpu() - start;
    if (used >= millis * 1e6) return `ok\t${tokens}\t${Math.round(used / passes)}\t${passes}`;
  }
}

function find(map, key) {
  if (!map.has(key)) throw new Error(`not there: ${key}`);
  return map.get(key);
}

function ids(encode, from, to) {
  const batch = readFileSync(from);
  const out = [];
  let n = 0;
  for (let at = 0; at < batch.length; n++) {
    const size = batch.readUInt32LE(at);
    const found = encode(batch.toString("utf8", at + 4, at + 4 + size));
    out.push(Buffer.from(Uint32Array.of(found.length).buffer), Buffer.from(Uint32Array.from(found).buffer));
    at += 4 + size;
  }
  writeFileSync(to, Buffer.concat(out));
  return `ok\t${n}`;
}

const commands = {
  async open(encoding) {
    const t = await open(encoding);
    t.count(sample);
    opened.set(encoding, t);
    return "ok";
  },
  load(name, file) {
    texts.set(name, readFileSync(file).toString("utf8"));
    return "ok";
  },
  count: (encoding, name, millis) => measure(find(opened, encoding).count, find(texts, name), Number(millis)),
  encode(encoding, name, millis) {
    const { encode } = find(opened, encoding);
    return measure((text) => encode(text).length, find(texts, name), Number(millis));
  },
  ids: (encoding, from, to) => ids(find(opened, encoding).encode, from, to),
};

if (mode === "first") {
  const t = await open(firstEncoding);
  process.stdout.write(`ok\t${t.count(sample)}\t${cpu()}\n`);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...args] = line.split("\t");
    let answer;
    try {
      answer = await commands[command](...args);
    } catch (error) {
      answer = `error\t${String(error.message).replaceAll("\n", " ")}`;
    }
    process.stdout.write(answer + "\n");
  }
}
