//! Measures one Rust tokenizer: peer LIBRARY [first ENCODING]. The protocol is that of package line.

use std::collections::HashMap;
use std::io::{BufRead, Write};

const SAMPLE: &str = "Hello, world! How many tokens is this?";

type Answer = Result<String, String>;

#[derive(Clone, Copy)]
enum Tokenizer {
    BpeOpenai(&'static bpe_openai::Tokenizer),
    Tiktoken(&'static tiktoken::CoreBpe),
}

impl Tokenizer {
    fn open(library: &str, encoding: &str) -> Result<Tokenizer, String> {
        match (library, encoding) {
            ("bpe-openai", "cl100k_base") => Ok(Tokenizer::BpeOpenai(bpe_openai::cl100k_base())),
            ("bpe-openai", "o200k_base") => Ok(Tokenizer::BpeOpenai(bpe_openai::o200k_base())),
            ("tiktoken", name) => tiktoken::get_encoding(name).map(Tokenizer::Tiktoken).ok_or(format!("no encoding {name}")),
            _ => Err(format!("{library} has no encoding {encoding}")),
        }
    }

    fn count(self, text: &str) -> usize {
        match self {
            Tokenizer::BpeOpenai(t) => t.count(text),
            Tokenizer::Tiktoken(t) => t.count(text),
        }
    }

    fn encode(self, text: &str) -> Vec<u32> {
        match self {
            Tokenizer::BpeOpenai(t) => t.encode(text),
            Tokenizer::Tiktoken(t) => t.encode(text),
        }
    }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

#[cfg(target_os = "macos")]
const PROCESS_CPU: i32 = 12;
#[cfg(not(target_os = "macos"))]
const PROCESS_CPU: i32 = 2;

fn cpu() -> u64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    // The pointer is valid for the call.
    unsafe { clock_gettime(PROCESS_CPU, &mut t) };
    t.seconds as u64 * 1_000_000_000 + t.nanoseconds as u64
}

fn measure(text: &str, millis: u64, pass: impl Fn(&str) -> usize) -> String {
    if millis > 0 {
        std::hint::black_box(pass(text));
    }
    let start = cpu();
    let mut passes = 0;
    loop {
        let tokens = std::hint::black_box(pass(text));
        passes += 1;
        let used = cpu() - start;
        if used >= millis * 1_000_000 {
            return format!("ok\t{tokens}\t{}\t{passes}", used / passes);
        }
    }
}

fn ids(t: Tokenizer, from: &str, to: &str) -> Answer {
    let batch = std::fs::read(from).map_err(|e| e.to_string())?;
    let (mut at, mut n, mut out) = (0, 0, Vec::new());
    while at < batch.len() {
        let size = u32::from_le_bytes(batch[at..at + 4].try_into().unwrap()) as usize;
        let text = std::str::from_utf8(&batch[at + 4..at + 4 + size]).map_err(|e| e.to_string())?;
        let found = t.encode(text);
        out.extend_from_slice(&(found.len() as u32).to_le_bytes());
        found.iter().for_each(|id| out.extend_from_slice(&id.to_le_bytes()));
        at += 4 + size;
        n += 1;
    }
    std::fs::write(to, out).map_err(|e| e.to_string())?;
    Ok(format!("ok\t{n}"))
}

struct Program {
    library: String,
    opened: HashMap<String, Tokenizer>,
    texts: HashMap<String, String>,
}

impl Program {
    fn answer(&mut self, fields: &[&str]) -> Answer {
        match fields {
            ["open", encoding] => {
                let t = Tokenizer::open(&self.library, encoding)?;
                t.count(SAMPLE);
                self.opened.insert(encoding.to_string(), t);
                Ok("ok".into())
            }
            ["load", name, file] => {
                let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
                self.texts.insert(name.to_string(), text);
                Ok("ok".into())
            }
            ["count", encoding, name, millis] => {
                let (t, text) = self.find(encoding, name)?;
                Ok(measure(text, millis.parse().unwrap_or(0), |text| t.count(text)))
            }
            ["encode", encoding, name, millis] => {
                let (t, text) = self.find(encoding, name)?;
                Ok(measure(text, millis.parse().unwrap_or(0), |text| t.encode(text).len()))
            }
            ["ids", encoding, from, to] => ids(*self.opened.get(*encoding).ok_or("encoding not open")?, from, to),
            _ => Err(format!("unknown command {fields:?}")),
        }
    }

    fn find(&self, encoding: &str, name: &str) -> Result<(Tokenizer, &str), String> {
        let t = self.opened.get(encoding).ok_or("encoding not open")?;
        let text = self.texts.get(name).ok_or("text not loaded")?;
        Ok((*t, text))
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let library = args.get(1).expect("usage: peer LIBRARY [first ENCODING]").clone();
    let mut out = std::io::stdout();
    if args.get(2).map(String::as_str) == Some("first") {
        let tokens = Tokenizer::open(&library, &args[3]).expect("encoding").count(SAMPLE);
        writeln!(out, "ok\t{tokens}\t{}", cpu()).expect("write");
        return;
    }
    let mut program = Program { library, opened: HashMap::new(), texts: HashMap::new() };
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("read");
        let fields: Vec<&str> = line.split('\t').collect();
        let answer = program.answer(&fields).unwrap_or_else(|e| format!("error\t{}", e.replace('\n', " ")));
        writeln!(out, "{answer}").and_then(|_| out.flush()).expect("write");
    }
}
