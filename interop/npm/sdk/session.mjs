// Leads one conversation with a provider's own library and prints what came of it as
// one line of JSON. The argument is JSON: {dialect, url, key, stream, prompt}.
import { readFile } from "node:fs/promises";
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, ApiError } from "@google/genai";

const job = JSON.parse(process.argv[2]);
const schema = { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] };
const name = "read_file", description = "Reads a file.";

// Each session says, answers calls, and asks; ask returns {text, calls, prompt}.
const sessions = {
  openai() {
    const client = new OpenAI({ baseURL: job.url + "/v1", apiKey: job.key, maxRetries: 0 });
    const messages = [];
    const tools = [{ type: "function", function: { name, description, parameters: schema } }];
    return {
      say: (text) => messages.push({ role: "user", content: text }),
      answer: (call, text) => messages.push({ role: "tool", tool_call_id: call.id, content: text }),
      async ask() {
        const request = { model: "gpt-4.1", messages, tools };
        const whole = job.stream
          ? await client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion()
          : await client.chat.completions.create(request);
        const { message } = whole.choices[0];
        messages.push(message);
        const calls = (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) }));
        return { text: message.content ?? "", calls, prompt: whole.usage.prompt_tokens };
      },
    };
  },
  responses() {
    const client = new OpenAI({ baseURL: job.url + "/v1", apiKey: job.key, maxRetries: 0 });
    const input = [];
    const tools = [{ type: "function", name, description, parameters: schema, strict: false }];
    return {
      say: (text) => input.push({ role: "user", content: text }),
      answer: (call, text) => input.push({ type: "function_call_output", call_id: call.id, output: text }),
      async ask() {
        const request = { model: "gpt-5", store: false, input, tools };
        const whole = job.stream ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
        input.push(...whole.output.map(({ parsed, parsed_arguments, ...item }) => item));
        const calls = whole.output.filter((i) => i.type === "function_call").map((c) => ({ id: c.call_id, name: c.name, args: JSON.parse(c.arguments) }));
        return { text: whole.output_text, calls, prompt: whole.usage.input_tokens };
      },
    };
  },
  anthropic() {
    const client = new Anthropic({ baseURL: job.url, apiKey: job.key, maxRetries: 0 });
    const messages = [];
    const tools = [{ name, description, input_schema: schema }];
    let results = [];
    return {
      say: (text) => messages.push({ role: "user", content: text }),
      answer: (call, text) => results.push({ type: "tool_result", tool_use_id: call.id, content: text }),
      async ask() {
        if (results.length > 0) messages.push({ role: "user", content: results });
        results = [];
        const request = { model: "claude-sonnet-4-5", max_tokens: 2048, thinking: { type: "enabled", budget_tokens: 1024 }, messages, tools };
        const whole = job.stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
        messages.push({ role: "assistant", content: whole.content.map(({ parsed, ...block }) => block) });
        const calls = whole.content.filter((b) => b.type === "tool_use").map((b) => ({ id: b.id, name: b.name, args: b.input }));
        const text = whole.content.filter((b) => b.type === "text").map((b) => b.text).join("");
        const { usage } = whole;
        return { text, calls, prompt: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) };
      },
    };
  },
  gemini() {
    const client = new GoogleGenAI({ apiKey: job.key, httpOptions: { baseUrl: job.url } });
    const contents = [];
    const config = { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }] };
    let results = [];
    return {
      say: (text) => contents.push({ role: "user", parts: [{ text }] }),
      answer: (call, text) => results.push({ functionResponse: { id: call.id, name: call.name, response: { output: text } } }),
      async ask() {
        if (results.length > 0) contents.push({ role: "user", parts: results });
        results = [];
        const request = { model: "gemini-2.5-flash", contents, config };
        const chunks = job.stream ? await client.models.generateContentStream(request) : [await client.models.generateContent(request)];
        const parts = [];
        let usage;
        for await (const chunk of chunks) {
          parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []).filter((p) => p.functionCall || p.text));
          usage = chunk.usageMetadata ?? usage;
        }
        contents.push({ role: "model", parts });
        const calls = parts.filter((p) => p.functionCall).map((p) => ({ id: p.functionCall.id, name: p.functionCall.name, args: p.functionCall.args }));
        return { text: parts.map((p) => p.text ?? "").join(""), calls, prompt: usage.promptTokenCount };
      },
    };
  },
};

// failure is what a program sees that knows the library.
function failure(e) {
  const known = e instanceof OpenAI.APIError || e instanceof Anthropic.APIError || e instanceof ApiError;
  const code = e instanceof ApiError ? JSON.parse(e.message).error.status : (e.code ?? e.error?.error?.type);
  return { known, status: e.status, code, message: e.message };
}

const session = sessions[job.dialect]();
const done = { text: "", prompt: 0, tools: [] };
try {
  session.say(job.prompt);
  for (;;) {
    const turn = await session.ask();
    done.text = turn.text;
    done.prompt = turn.prompt;
    if (turn.calls.length === 0) break;
    for (const call of turn.calls) {
      done.tools.push(call.name);
      session.answer(call, await readFile(call.args.file_path, "utf8"));
    }
  }
} catch (e) {
  done.error = failure(e);
}
console.log(JSON.stringify(done));
