// Keeps a page up to date: when the server says that there is something new, the page
// is asked for again and the parts that are live are exchanged. Nothing else is done.
"use strict";

(() => {
  const pulse = document.getElementById("pulse");
  const say = (state, text) => {
    if (!pulse || pulse.dataset.state === state) return;
    pulse.dataset.state = state;
    pulse.textContent = text;
  };

  // busy tells whether somebody reads or marks something in a part that would go.
  const busy = (part) => {
    if (part.contains(document.activeElement) && document.activeElement.matches("a, summary, input, select, button")) return true;
    const marked = document.getSelection();
    return marked && !marked.isCollapsed && part.contains(marked.anchorNode);
  };

  const exchange = (fresh) => {
    for (const part of document.querySelectorAll(".live[id]")) {
      const next = fresh.getElementById(part.id);
      if (!next || busy(part) || part.innerHTML === next.innerHTML) continue;
      const open = [...part.querySelectorAll("details")].map((d) => d.open);
      const scrolled = [...part.querySelectorAll(".scroll")].map((s) => [s.scrollLeft, s.scrollTop]);
      part.replaceChildren(...next.childNodes);
      part.className = next.className;
      part.querySelectorAll("details").forEach((d, i) => { d.open = open[i] || false; });
      part.querySelectorAll(".scroll").forEach((s, i) => { [s.scrollLeft, s.scrollTop] = scrolled[i] || [0, 0]; });
    }
  };

  let asking = false;
  let again = false;
  const refresh = async () => {
    if (asking || document.hidden) { again = true; return; }
    asking = true;
    again = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (answer.ok) exchange(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      say("lost", pulse && pulse.dataset.lost);
    }
    asking = false;
    if (again && !document.hidden) refresh();
  };

  const source = new EventSource("/plimsoll/events");
  source.addEventListener("change", () => { say("live", pulse && pulse.dataset.live); refresh(); });
  source.addEventListener("error", () => say("lost", pulse && pulse.dataset.lost));
  document.addEventListener("visibilitychange", () => { if (again && !document.hidden) refresh(); });
  // What is said in "seconds ago" grows old by itself.
  setInterval(() => { if (!document.hidden && pulse && pulse.dataset.state === "live") refresh(); }, 10000);
})();
