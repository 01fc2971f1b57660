"""Has LangChain or LiteLLM cut recorded conversations down: trim.py, then commands as in package fit of the driver."""

import json
import logging
import signal
import sys
import time

import tiktoken

MODEL = "gpt-4o"
PASSES = 3
ENOUGH = 200_000_000  # nanoseconds after which a call is not repeated
SAMPLE = [{"role": "user", "content": text} for text in ("Hello!", "Are you there?", "Hello?")]
encoding = tiktoken.get_encoding("o200k_base")
deadline = 0.0


class Stopped(BaseException):
    """Not an Exception, because LiteLLM catches those and returns its input."""


def stop(*_):
    """Looks at the clock of the process, of which a timer would make a coarse one."""
    left = deadline - time.process_time()
    if left <= 0:
        raise Stopped
    signal.setitimer(signal.ITIMER_REAL, left)


def count(text):
    return len(encoding.encode_ordinary(text))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def listed(text):
    """A result of parallel calls as it stands in the list that the model reads."""
    try:
        return json.dumps(json.loads(text))
    except ValueError:
        return json.dumps(text)


class LangChain:
    """Weighs with tiktoken and the framing that Plimsoll read off OpenAI's bills, so that the budget is the same."""

    def __init__(self, start_on, approximate=False):
        from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, convert_to_messages, trim_messages

        self.trim, self.convert, self.start_on = trim_messages, convert_to_messages, start_on
        parallel = self.parallel = set()

        def weigh(m: BaseMessage) -> int:
            content = m.content
            if isinstance(m, ToolMessage) and m.tool_call_id in parallel:
                return count(listed(content))
            n = 4 + (count(content) if content else 0)
            calls = m.tool_calls if isinstance(m, AIMessage) else []
            if len(calls) > 1:
                n += 16 + count('{"tool_uses":[]}')
                for c in calls:
                    n += count('{"recipient_name":"functions.' + c["name"] + '","parameters":' + compact(c["args"]) + "}")
            elif calls:
                (c,) = calls
                n += 4 + count("functions." + c["name"]) + count(c["name"]) + count(compact(c["args"]))
            return n

        self.weigh, self.counter = weigh, "approximate" if approximate else weigh

    def prepare(self, messages):
        """Objects are made before the clock starts; ids lead back to what they were made of."""
        self.parallel.clear()
        for m in messages:
            calls = m.get("tool_calls") or []
            if len(calls) > 1:
                self.parallel.update(c["id"] for c in calls)
        made = self.convert([{**m, "content": m["content"] or ""} for m in messages])
        for i, m in enumerate(made):
            m.id = str(i)
        return made

    def run(self, made, budget):
        options = {"start_on": self.start_on} if self.start_on else {}
        return self.trim(made, max_tokens=budget - 3, token_counter=self.counter, strategy="last", include_system=True, **options)

    def render(self, messages, made, result):
        return {"messages": [messages[int(m.id)] for m in result], "tokens": 3 + sum(map(self.weigh, result))}


class LiteLLM:
    def __init__(self):
        import litellm
        from litellm.utils import trim_messages

        litellm.suppress_debug_info = True
        logging.disable(logging.CRITICAL)
        self.trim, self.count = trim_messages, litellm.token_counter

    def prepare(self, messages):
        return messages

    def run(self, messages, budget):
        return self.trim(messages, model=MODEL, max_tokens=budget)

    def render(self, messages, _, result):
        """After an error of its own it returns the list that it was given and not a copy."""
        if result is messages:
            return {"failed": "it caught an error and returned its input"}
        return {"messages": result, "tokens": self.count(model=MODEL, messages=result) if result else 0}


MAKE = {
    "langchain": lambda: LangChain("human"),
    "langchain-default": lambda: LangChain(None),
    "langchain-approximate": lambda: LangChain("human", approximate=True),
    "litellm": LiteLLM,
}
libraries = {}


def timed(library, made, budget, limit):
    """The best of some passes; a slow call is not repeated, and one over the limit is stopped."""
    global deadline
    best, spent, result = None, 0, None
    for _ in range(PASSES):
        deadline = time.process_time() + limit
        signal.setitimer(signal.ITIMER_REAL, limit)
        start = time.process_time_ns()
        try:
            result = library.run(made, budget)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        took = time.process_time_ns() - start
        best, spent = min(best or took, took), spent + took
        if spent > ENOUGH:
            break
    return best, result


def outcome(library, messages, budget, limit):
    try:
        made = library.prepare(messages)
        took, result = timed(library, made, budget, limit)
    except Stopped:
        return {"stopped": True, "cpu_ns": int(limit * 1e9)}
    except Exception as error:
        return {"refused": repr(error)}
    return {"cpu_ns": took, **library.render(messages, made, result)}


def trim(way, source, target, limit):
    if way not in libraries:
        libraries[way] = MAKE[way]()
        outcome(libraries[way], SAMPLE, 20, float(limit))  # loads what is loaded on first use
    n = 0
    with open(source, encoding="utf-8") as f, open(target, "w", encoding="utf-8") as out:
        for line in f:
            case = json.loads(line)
            for budget in case["budgets"]:
                print(json.dumps(outcome(libraries[way], case["messages"], budget["tokens"], float(limit))), file=out)
                n += 1
    return ["ok", n]


def main():
    signal.signal(signal.SIGALRM, stop)
    for line in sys.stdin:
        _, *args = line.rstrip("\n").split("\t")
        try:
            answer = trim(*args)
        except Exception as error:
            answer = ["error", repr(error)]
        print(*answer, sep="\t", flush=True)


main()
