// The page's script: the list of messages, the opened message, zoom. The page is readable without it. Data of the
// capture get into the page by textContent alone.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const WARNING = 2;
  // The most fields of a message in the data.
  const FIELDS = 2000;

  /** Creates an element with properties, attributes (`aria-`, `data-`, role ..) and children; strings are text. */
  function h(tag, about = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(about)) {
      if (name in element && !name.includes("-")) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }
  const span = (className, text) => h("span", { className }, String(text));
  const grouped = new Intl.NumberFormat("en");
  const digits = (n) => (n < 1000 ? String(n) : grouped.format(n));
  const plural = (n, word) => `${digits(n)} ${word}${n === 1 ? "" : "s"}`;

  // ---- The data ----

  async function inflate(id) {
    const text = atob($(id).textContent.trim());
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer();
  }

  /** Returns the columns; frames and times are summed up from their differences. */
  async function load() {
    const [columns, bytes] = await Promise.all([inflate("messages-columns"), inflate("messages-bytes")]);
    const data = JSON.parse(new TextDecoder().decode(columns));
    data.bytes = new Uint8Array(bytes);
    for (const name of ["frame", "time"]) {
      const steps = data[name], sums = new Float64Array(steps.length);
      for (let k = 0, sum = 0; k < steps.length; k++) sums[k] = sum += steps[k];
      data[name] = sums;
    }
    data.count = data.frame.length;
    data.shapes = data.shapes.map((text) => text.split("\n").slice(0, -1).map((line) => {
      const [depth, name, type, bit, bits, flags, source] = line.split("\t");
      const flag = Number(flags);
      return { depth: Number(depth), name, type, bit: Number(bit), bits: Number(bits), source: Number(source),
        hidden: (flag & 1) > 0, derived: (flag & 2) > 0, nests: (flag & 4) > 0, asBytes: (flag & 8) > 0 };
    }));
    data.begins = new Float64Array(data.count);
    // The first message of each frame that is in the page, and the others by frame and index.
    data.places = new Map();
    data.behind = new Map();
    data.fine = false;
    for (let k = 0, at = 0; k < data.count; k++) {
      data.begins[k] = at;
      if (data.parts[k] === 0) at += data.length[k] - data.missing[k];
      else for (const part of data.parts[k]) at += part;
      const frame = data.frame[k];
      if (!data.places.has(frame)) data.places.set(frame, k);
      if (data.index[k] > 1) data.behind.set(`${frame}-${data.index[k]}`, k);
      data.fine ||= data.time[k] % 1000 !== 0;
    }
    // If there is only one protocol, its name is left out of the lines.
    const first = data.kinds.map((kind) => kind.slice(0, kind.lastIndexOf(" ") + 1));
    const used = new Set(data.kind.map((kind) => first[kind]));
    data.short = data.kinds.map((kind, k) => (used.size > 1 ? kind : kind.slice(first[k].length)));
    data.ends = data.flows.map((flow) => `${flow[1]} ${flow[2]}`.toLowerCase());
    return data;
  }

  /** Returns the place of a message; without an index, that of the first message of the frame that is in the page. */
  function placeOf(data, frame, index) {
    if (index > 1) return data.behind.get(`${frame}-${index}`);
    const first = data.places.get(frame);
    return index === undefined || data.index[first] === Math.max(index, 1) ? first : undefined;
  }

  function seconds(data, nanos) {
    return `${nanos < 0 ? "" : "+"}${(nanos / 1e9).toFixed(data.fine ? 9 : 6)}`;
  }

  /** Returns the date of a time, from the start's whole seconds and nanoseconds. */
  function clock(data, nanos) {
    const whole = Math.floor((data.start[1] + nanos) / 1e9);
    const date = new Date((data.start[0] + whole) * 1000);
    if (Number.isNaN(date.getTime())) return "";
    const micros = Math.floor((data.start[1] + nanos - whole * 1e9) / 1000);
    return `${date.toISOString().slice(0, 19).replace("T", " ")}.${String(micros).padStart(6, "0")} UTC`;
  }

  function side(data, k) {
    return ["client", "server", data.side[k] === 0 ? "first end" : "other end"][data.from[k]];
  }

  /** Returns the number of bytes of the message, and of each source of its fields. */
  function parts(data, k) {
    return data.parts[k] === 0 ? [data.length[k] - data.missing[k]] : data.parts[k];
  }

  const CHARACTERS = Array.from({ length: 256 }, (_, byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·");

  /** Returns the fields' values; hex values are made of the message's bytes. */
  function values(data, k) {
    const list = data.values[k].split("\n");
    const fields = data.shapes[data.shape[k]];
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at];
      if (!field.asBytes) continue;
      let begin = data.begins[k] + field.bit / 8;
      for (let source = 0; source < field.source; source++) begin += parts(data, k)[source];
      const end = begin + Math.min(field.bits / 8, 100);
      let text = "";
      for (let byte = begin; byte < end; byte++) text += CHARACTERS[data.bytes[byte]];
      list[at] = `${plural(field.bits / 8, "byte")}${text ? `  |${text}${field.bits > 800 ? "…" : ""}|` : ""}`;
    }
    return list;
  }

  /** Returns sender and receiver. */
  function ends(data, k) {
    const flow = data.flows[data.flow[k]];
    return data.side[k] === 0 ? [flow[1], flow[2]] : [flow[2], flow[1]];
  }

  /** Returns `name=value` of the fields that are neither groups nor in one. */
  function summary(data, k) {
    const own = values(data, k), fields = data.shapes[data.shape[k]], words = [];
    for (let at = 0; at < fields.length && words.length < 12; at++) {
      const field = fields[at];
      if (own[at] && field.depth === 0 && !field.hidden && !field.nests) words.push(`${field.name}=${own[at]}`);
    }
    return words.join(" ");
  }

  /** Returns the marks of a message's line: sign, word, class. */
  function marks(data, k) {
    const list = [];
    for (const [level, code] of data.notes[k]) {
      if (level === "error") list.push(["✗", code, "error"]);
      else if (level === "warning") list.push(["!", code, "warning"]);
    }
    if (data.related[k].some((one) => data.relations[one[0]] === "copy_of")) list.push(["↻", "copy", "copy"]);
    if ((data.waits[k] & 1) > 0) list.push(["∅", "no answer", "lost"]);
    if ((data.waits[k] & 2) > 0) list.push(["∅", "never acknowledged", "lost"]);
    return list;
  }

  // ---- Search and filters ----

  const STATES = [["~any", "any warning or fault"], ["~copy", "sent again"], ["~answer", "without an answer"],
    ["~ack", "never acknowledged"]];

  /** Returns whether a message has this note or state. */
  function noted(data, k, choice) {
    switch (choice) {
      case "~any": return data.worst[k] >= WARNING;
      case "~copy": return data.related[k].some((one) => data.relations[one[0]] === "copy_of");
      case "~answer": return (data.waits[k] & 1) > 0;
      case "~ack": return (data.waits[k] & 2) > 0;
      default: return data.notes[k].some((note) => note[1] === choice);
    }
  }

  function haystacks(data) {
    data.stacks ??= Array.from({ length: data.count }, (_, k) => {
      const fields = data.shapes[data.shape[k]], own = values(data, k);
      let text = data.kinds[data.kind[k]];
      for (let at = 0; at < fields.length; at++) if (own[at]) text += `\n${fields[at].name}=${own[at]}`;
      for (const [, code, about] of data.notes[k]) text += `\n${code} ${about}`;
      return text.toLowerCase();
    });
    return data.stacks;
  }

  /** Returns the places of the messages that match the filters. */
  function wanted(data, { text, kind, from, note, flow }) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    const stacks = words.some((word) => !/^(#|flow:)\d+$/.test(word)) ? haystacks(data) : null;
    const tests = words.map((word) => {
      const number = Number(word.replace(/^(#|flow:)/, ""));
      if (/^#\d+$/.test(word)) return (k) => data.frame[k] === number;
      if (/^flow:\d+$/.test(word)) return (k) => data.flows[data.flow[k]][0] === number;
      return (k) => stacks[k].includes(word) || data.ends[data.flow[k]].includes(word);
    });
    if (kind) tests.push((k) => data.kind[k] === Number(kind));
    if (from) tests.push((k) => data.from[k] === Number(from));
    if (flow) tests.push((k) => data.flow[k] === Number(flow));
    if (note) tests.push((k) => noted(data, k, note));
    const list = [];
    for (let k = 0; k < data.count; k++) {
      if (tests.every((test) => test(k))) list.push(k);
    }
    return list;
  }

  // ---- The list ----

  function select(id, label, choices) {
    const all = h("option", { value: "" }, "all");
    const box = h("select", { id }, all, ...choices.map(([value, text]) => h("option", { value }, text)));
    return [box, h("label", { className: "field", htmlFor: id }, span("label", label), box)];
  }

  /** Counts how often each number occurs in a column. */
  function counts(column) {
    const of = new Map();
    for (const value of column) of.set(value, (of.get(value) ?? 0) + 1);
    return of;
  }

  function toolbar(data) {
    const many = (map, name) => [...map].sort((a, b) => b[1] - a[1]).slice(0, 500)
      .map(([value, count]) => [value, `${name(value)} (${digits(count)})`]);
    const codes = new Map();
    for (const notes of data.notes) {
      notes.forEach(([, code], at) => {
        const first = notes.findIndex((note) => note[1] === code) === at;
        if (first) codes.set(code, (codes.get(code) ?? 0) + 1);
      });
    }
    const states = STATES.filter(([state]) => data.values.some((_, k) => noted(data, k, state)));
    const search = h("input", { type: "search", id: "message-search", autocomplete: "off", spellcheck: false,
      placeholder: "text, name=value, #frame", "aria-keyshortcuts": "/" });
    const [kind, kindBox] = select("filter-kind", "Type", many(counts(data.kind), (k) => data.short[k]));
    const [from, fromBox] = select("filter-side", "From",
      many(counts(data.from), (k) => ["client", "server", "unknown side"][k]));
    const [note, noteBox] = select("filter-note", "Note", [...states, ...many(codes, (code) => code)]);
    const [flow, flowBox] = select("filter-flow", "Conversation",
      many(counts(data.flow), (k) => `${data.flows[k][0]}: ${data.flows[k][1]} ↔ ${data.flows[k][2]}`));
    const clear = h("button", { type: "button", id: "filter-clear" }, "Clear");
    const count = h("output", { id: "message-count", htmlFor: "message-search" });
    const bar = h("div", { className: "toolbar", role: "search", "aria-label": "Messages" },
      h("label", { className: "field grow", htmlFor: "message-search" }, span("label", "Search (/)"), search),
      kindBox, fromBox, noteBox, flowBox, clear, count);
    return { bar, search, boxes: { kind, from, note, flow }, clear, count };
  }

  function viewer(data, root) {
    const tools = toolbar(data);
    const space = h("div", { className: "space", role: "presentation" });
    const list = h("div", { id: "message-list", className: "rows", role: "listbox", tabIndex: 0,
      "aria-label": "Messages" }, space);
    const opened = h("div", { id: "message-open", className: "opened", role: "region", tabIndex: -1,
      "aria-label": "Opened message" });
    const head = h("div", { className: "row head", "aria-hidden": "true" },
      ...["Frame", "Time (s)", "Flow", "From", "Message", "Fields"].map((word) => span("", word)));
    root.replaceChildren(tools.bar,
      h("div", { className: "panes" }, h("div", { className: "list" }, head, list), opened));
    root.hidden = false;

    let shown = [], chosen = -1, timer = 0;
    const height = () => Number.parseFloat(getComputedStyle(list).getPropertyValue("--row")) || 28;

    function row(place) {
      const k = shown[place];
      const signs = marks(data, k).map(([sign, word, level]) => span(`mark ${level}`, `${sign} ${word}`));
      const element = h("div", { id: `row-${k}`, className: "row", role: "option", "aria-selected": k === chosen,
        "aria-setsize": shown.length, "aria-posinset": place + 1 },
      span("frame", data.frame[k]), span("time", seconds(data, data.time[k])),
      span("flow", data.flows[data.flow[k]][0]), span(`from from-${data.from[k]}`, side(data, k)),
      span("kind", data.short[data.kind[k]]), h("span", { className: "fields" }, ...signs, summary(data, k)));
      element.dataset.place = place;
      element.style.transform = `translateY(${place * height()}px)`;
      return element;
    }

    function draw() {
      const step = height();
      const first = Math.max(0, Math.floor(list.scrollTop / step) - 8);
      const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / step) + 8);
      space.style.height = `${shown.length * step}px`;
      const rows = [];
      for (let place = first; place < last; place++) rows.push(row(place));
      space.replaceChildren(...rows);
      const active = $(`row-${chosen}`);
      if (active) list.setAttribute("aria-activedescendant", active.id);
      else list.removeAttribute("aria-activedescendant");
    }

    function filter() {
      const state = { text: tools.search.value };
      for (const [name, box] of Object.entries(tools.boxes)) state[name] = box.value;
      shown = wanted(data, state);
      tools.count.textContent = shown.length === data.count ? plural(data.count, "message")
        : `${digits(shown.length)} of ${plural(data.count, "message")}`;
      list.scrollTop = 0;
      reveal();
      draw();
    }

    /** Scrolls the chosen message into the list's view, if it is in the list. */
    function reveal() {
      const place = shown.indexOf(chosen), step = height();
      if (place < 0) return;
      if (place * step < list.scrollTop) list.scrollTop = place * step;
      const below = (place + 1) * step - list.clientHeight;
      if (below > list.scrollTop) list.scrollTop = below;
    }

    function choose(k, how = {}) {
      chosen = k;
      reveal();
      draw();
      if (k < 0) {
        hint(opened);
        return;
      }
      if (!how.linked) history.replaceState(null, "", `#${name(data, k)}`);
      open(data, k, opened, () => list.focus());
    }

    function move(by) {
      const place = shown.indexOf(chosen);
      const begin = place >= 0 ? place : by === -1 ? shown.length : -1;
      const next = Math.min(shown.length - 1, Math.max(0, begin + by));
      if (shown.length > 0) choose(shown[next]);
    }

    tools.search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(filter, data.count > 5000 ? 120 : 0);
    });
    tools.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && tools.search.value) {
        event.preventDefault();
        tools.search.value = "";
        filter();
      } else if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        list.focus();
        if (chosen < 0 || !shown.includes(chosen)) move(-Infinity);
      }
    });
    Object.values(tools.boxes).forEach((box) => box.addEventListener("change", filter));
    tools.clear.addEventListener("click", () => {
      tools.search.value = "";
      Object.values(tools.boxes).forEach((box) => (box.value = ""));
      filter();
    });
    list.addEventListener("scroll", () => requestAnimationFrame(draw));
    list.addEventListener("click", (event) => {
      const place = event.target.closest("[data-place]")?.dataset.place;
      if (place === undefined) return;
      choose(shown[place]);
      // If the opened message is below the list, scroll to it.
      if (opened.offsetTop >= list.offsetTop + list.clientHeight) opened.scrollIntoView({ block: "nearest", behavior: "instant" });
    });
    list.addEventListener("keydown", (event) => {
      const page = Math.max(1, Math.floor(list.clientHeight / height()) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in steps) move(steps[event.key]);
      else if (event.key === "Enter" && chosen >= 0) (opened.querySelector("[role=treeitem]") ?? opened).focus();
      else if (event.key === "Escape") choose(-1);
      else return;
      event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, select, textarea");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        tools.search.focus();
        tools.search.select();
      }
    });
    addEventListener("resize", () => requestAnimationFrame(draw));

    function follow() {
      const target = location.hash.slice(1);
      if (!/^frame-\d+(-\d+)?$/.test(target)) return;
      const k = placeOf(data, ...target.slice(6).split("-").map(Number));
      if (k === undefined) {
        chosen = -1;
        draw();
        hint(opened, `Frame ${target.slice(6).replace("-", ", message ")} is not among the messages of this page.`);
      } else {
        choose(k, { linked: true });
      }
      const below = opened.offsetTop >= list.offsetTop + list.clientHeight;
      (below && k !== undefined ? opened : $("messages")).scrollIntoView({ block: "start", behavior: "instant" });
      opened.focus({ preventScroll: true });
    }
    // Rows about notes get a button that shows the messages with that note.
    for (const row of document.querySelectorAll("tr[data-note]")) {
      const code = row.dataset.note, place = row.querySelector("code");
      if (!place || ![...tools.boxes.note.options].some((option) => option.value === code)) continue;
      place.after(" ", h("button", { type: "button", className: "show", "aria-label": `show messages with ${code}`,
        onclick: () => {
          tools.clear.click();
          tools.boxes.note.value = code;
          filter();
          $("messages").scrollIntoView({ block: "start", behavior: "instant" });
          list.focus({ preventScroll: true });
        } }, "show"));
    }
    addEventListener("hashchange", follow);
    hint(opened);
    filter();
    return follow();
  }

  function hint(opened, text = "Select a message to see its fields and bytes.") {
    const key = (word) => h("kbd", {}, word);
    opened.replaceChildren(h("p", { className: "hint" }, text),
      h("p", { className: "hint" }, key("/"), " search  ", key("↑"), key("↓"), " select  ", key("Enter"),
        " fields  ", key("Esc"), " back"));
  }

  // ---- The opened message ----

  /** Returns the id that links to a message use. */
  function name(data, k) {
    return `frame-${data.frame[k]}${data.index[k] > 1 ? `-${data.index[k]}` : ""}`;
  }

  function open(data, k, opened, back) {
    const fields = data.shapes[data.shape[k]], texts = values(data, k), captured = data.length[k] - data.missing[k];
    const [src, dst] = ends(data, k);
    const facts = [`${seconds(data, data.time[k])} s`, clock(data, data.time[k]), `${side(data, k)}: ${src} → ${dst}`,
      `conversation ${data.flows[data.flow[k]][0]} (${data.flows[data.flow[k]][3]})`, plural(data.length[k], "byte")];
    if (data.frames[k] > 1) facts.push(`in ${data.frames[k]} frames`);
    if (data.missing[k] > 0) facts.push(`${plural(captured, "byte")} captured`);
    const close = h("button", { type: "button", className: "close", "aria-label": "Close the message" }, "×");
    const title = h("h3", {}, span("number", `#${data.frame[k]}${data.index[k] > 1 ? `.${data.index[k]}` : ""} `),
      data.kinds[data.kind[k]]);
    const status = h("p", { className: "status", role: "status" });
    const sources = hex(data, k, opened.clientWidth > 560);
    const items = fields.map((field, at) => item(field, texts[at] ?? ""));
    const tree = h("div", { className: "tree", role: "tree", "aria-label": "Fields" }, ...items);
    const content = [h("header", {}, title, close), h("p", { className: "about" }, facts.filter((x) => x).join(" · "))];
    if (data.notes[k].length > 0) content.push(notes(data.notes[k]));
    const related = relations(data, k);
    if (related) content.push(related);
    if (items.length > 0) content.push(h("h4", {}, items.length < FIELDS ? "Fields" : `The first ${plural(FIELDS, "field")}`), tree);
    if (captured > 0) content.push(h("h4", {}, "Bytes"), ...sources.map((source) => source.box), status);
    opened.replaceChildren(...content);
    opened.scrollTop = 0;

    let current = -1;
    function mark(at, focus) {
      if (!items[at]) return;
      items[current]?.setAttribute("aria-selected", "false");
      if (items[current]) items[current].tabIndex = -1;
      current = at;
      items[at].setAttribute("aria-selected", "true");
      items[at].tabIndex = 0;
      if (focus) items[at].focus();
      const field = fields[at], none = field.derived || field.bits === 0;
      const first = Math.floor(field.bit / 8), last = Math.ceil((field.bit + field.bits) / 8);
      sources.forEach((source, number) => source.cells.forEach(([byte, sign], place) => {
        const on = !none && number === field.source && place >= first && place < last;
        byte.classList.toggle("on", on);
        sign.classList.toggle("on", on);
      }));
      const where = last - first > 1 ? `bytes ${first} to ${last - 1}` : `byte ${first}`;
      const part = field.bit % 8 || field.bits % 8 ? `, ${plural(field.bits, "bit")} from bit ${field.bit % 8}` : "";
      status.textContent = none ? `${field.name}: known from other messages, not in these bytes`
        : `${field.name}: ${where}${part}${field.source ? ` of source ${field.source}` : ""}`;
    }
    if (items[0]) items[0].tabIndex = 0;
    tree.addEventListener("click", (event) => mark(items.indexOf(event.target.closest("[role=treeitem]")), true));
    tree.addEventListener("focusin", (event) => {
      const at = items.indexOf(event.target);
      if (at !== current) mark(at, false);
    });
    tree.addEventListener("keydown", (event) => {
      const to = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: items.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      mark(Math.min(items.length - 1, Math.max(0, to)), true);
    });
    sources.forEach((source, number) => source.box.addEventListener("click", (event) => {
      const place = source.cells.findIndex((pair) => pair.includes(event.target));
      // The last field that holds the byte is the innermost.
      const at = fields.findLastIndex((field) => !field.derived && field.source === number
        && Math.floor(field.bit / 8) <= place && place < Math.ceil((field.bit + field.bits) / 8));
      if (place >= 0 && at >= 0) {
        mark(at, false);
        items[at].scrollIntoView({ block: "nearest", behavior: "instant" });
      }
    }));
    opened.onkeydown = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      back();
    };
    close.addEventListener("click", () => {
      hint(opened);
      back();
    });
  }

  function item(field, value) {
    const bit = field.bit % 8 ? `.${field.bit % 8}` : "";
    const source = field.source ? `${field.source}:` : "0x";
    const offset = field.derived ? "derived"
      : `${source}${Math.floor(field.bit / 8).toString(16).padStart(2, "0")}${bit}`;
    const element = h("div", { className: `node${field.hidden ? " dim" : ""}`, role: "treeitem", tabIndex: -1,
      "aria-level": field.depth + 1, "aria-selected": "false" },
    span("offset", offset), span("fname", field.name), span("fvalue", value), span("type", field.type));
    element.style.setProperty("--depth", Math.min(field.depth, 12));
    return element;
  }

  /** Shows the sources' bytes: boxes, with pairs of digits and characters that can be marked. */
  function hex(data, k, wide) {
    const step = wide ? 16 : 8, all = parts(data, k);
    let begin = data.begins[k];
    return all.map((length, number) => {
      const cells = [], lines = [];
      for (let row = 0; row < length; row += step) {
        const line = h("div", { className: "hexline" }, span("offset", row.toString(16).padStart(4, "0")));
        const codes = h("span", { className: "digits" }), signs = h("span", { className: "signs" });
        for (let at = row; at < Math.min(row + step, length); at++) {
          const byte = data.bytes[begin + at];
          const pair = [span("b", byte.toString(16).padStart(2, "0")), span("c", CHARACTERS[byte])];
          cells.push(pair);
          codes.append(pair[0]);
          signs.append(pair[1]);
        }
        line.append(codes, signs);
        lines.push(line);
      }
      begin += length;
      const whole = number === 0 ? data.length[k] - data.missing[k] : length;
      const title = number === 0 ? "The message" : `Source ${number}: reassembled, unmasked or inflated`;
      const rest = whole > length ? h("p", { className: "hint" }, `The first ${plural(length, "byte")}.`) : "";
      const box = h("div", { className: `hex ${length <= step ? "" : wide ? "wide" : "narrow"}`, role: "group", tabIndex: 0, "aria-label": title },
        ...(all.length > 1 ? [h("p", { className: "hint" }, title)] : []), ...lines, rest);
      return { box, cells };
    });
  }

  function notes(list) {
    const signs = { note: "•", warning: "!", error: "✗" };
    return h("ul", { className: "notes" }, ...list.map(([level, code, text]) =>
      h("li", { className: level }, span("glyph", signs[level] ?? "•"), " ", span("code", `${level} ${code}`),
        text ? `: ${text}` : "")));
  }

  function relations(data, k) {
    const items = data.related[k].map(([kind, frame, index, after]) => {
      const target = `frame-${frame}${index > 1 ? `-${index}` : ""}`;
      const place = placeOf(data, frame, index);
      const text = `#${frame}${index > 1 ? `.${index}` : ""}`;
      const other = place === undefined ? `${text} (not in this page)`
        : h("a", { href: `#${target}` }, `${text} ${data.kinds[data.kind[place]]}`);
      const delay = after === null ? "" : ` after ${(after / 1e6).toFixed(3)} ms`;
      return h("li", {}, `${data.relations[kind].replaceAll("_", " ")} `, other, delay);
    });
    for (const [, verb] of [[1, "answers"], [2, "acknowledges"]].filter(([bit]) => (data.waits[k] & bit) > 0)) {
      items.push(h("li", { className: "warning" }, `nothing in this capture ${verb} it`));
    }
    return items.length > 0 && h("ul", { className: "related", "aria-label": "Related messages" }, ...items);
  }

  // ---- Zoom ----

  function buttons(label, actions) {
    const all = Object.entries(actions).map(([word, [sign, act]]) =>
      [word, h("button", { type: "button", "aria-label": `${word}: ${label}`, title: word, onclick: act }, sign)]);
    return h("div", { className: "zoom", role: "group", "aria-label": `Zoom: ${label}` }, ...all.map(([, b]) => b));
  }

  function title(figure) {
    const caption = figure.querySelector("figcaption");
    return (caption?.firstElementChild ?? caption)?.textContent ?? "figure";
  }

  /** Zooms diagrams inside their box, which scrolls. */
  function diagrams() {
    for (const figure of document.querySelectorAll("figure.sequence")) {
      const box = figure.querySelector(".scroll"), svg = box?.querySelector("svg");
      if (!svg) continue;
      let scale = 1, width = 0;
      const zoom = (by) => {
        // The width without zoom is measured when zoom begins: the diagram is visible by then.
        if (scale === 1) width = svg.getBoundingClientRect().width;
        scale = by === 0 ? 1 : Math.min(4, Math.max(0.25, scale * by));
        svg.style.width = scale === 1 ? "" : `${width * scale}px`;
        svg.style.maxWidth = scale === 1 ? "" : "none";
        figure.dataset.zoom = scale;
      };
      const label = title(figure);
      box.before(buttons(label, { "Zoom in": ["+", () => zoom(1.25)], "Zoom out": ["−", () => zoom(0.8)],
        "Whole diagram": ["Whole", () => zoom(0)] }));
      wheel(box, (by) => zoom(by));
    }
  }

  function wheel(element, zoom) {
    element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, event);
    }, { passive: false });
  }

  /** Returns about `count` steps of one, two or five times a power of ten. */
  function ticks(from, to, count) {
    const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    const list = [];
    for (let n = Math.ceil(from / step); n * step <= to && list.length < 50; n++) list.push(n * step);
    return [list, Math.max(0, -Math.floor(Math.log10(step)))];
  }

  /** Zooms charts over the same time together. */
  function charts() {
    const all = [...document.querySelectorAll("figure.chart[data-from][data-to]")].filter((one) =>
      one.querySelector("svg.plot") && Number(one.dataset.to) > Number(one.dataset.from));
    const groups = Map.groupBy(all, (one) => `${one.dataset.from} ${one.dataset.to}`);
    for (const figures of groups.values()) {
      const begin = Number(figures[0].dataset.from), end = Number(figures[0].dataset.to);
      const axes = figures.map((one) => [...(one.querySelector("svg.axis-x")?.childNodes ?? [])]);
      let from = begin, to = end;
      const show = () => {
        figures.forEach((figure, at) => {
          const whole = from === begin && to === end;
          for (const plot of figure.querySelectorAll("svg.plot")) {
            const height = plot.viewBox.baseVal.height;
            const x = (time) => (time - begin) / (end - begin) * 1000;
            plot.setAttribute("viewBox", `${x(from)} 0 ${x(to) - x(from)} ${height}`);
          }
          const axis = figure.querySelector("svg.axis-x");
          if (axis && whole) axis.replaceChildren(...axes[at]);
          else if (axis) axis.replaceChildren(...labels(axis, axes[at]));
          figure.dataset.zoom = (end - begin) / (to - from);
        });
      };
      const labels = (axis, before) => {
        const [list, digits] = ticks(from, to, 6);
        return list.map((time) => {
          const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
          const like = before.find((node) => node.nodeName === "text");
          for (const attribute of like?.attributes ?? []) text.setAttribute(attribute.name, attribute.value);
          text.setAttribute("x", `${(time - from) / (to - from) * 100}%`);
          text.setAttribute("text-anchor", "middle");
          text.textContent = `${time.toFixed(digits)} s`;
          return text;
        });
      };
      const zoom = (by, middle = (from + to) / 2) => {
        const span = Math.min(end - begin, Math.max((end - begin) / 1000, (to - from) / by));
        from = Math.min(end - span, Math.max(begin, middle - (middle - from) / (to - from) * span));
        to = from + span;
        show();
      };
      const move = (part) => {
        const span = to - from;
        from = Math.min(end - span, Math.max(begin, from + part * span));
        to = from + span;
        show();
      };
      for (const figure of figures) {
        const label = title(figure);
        const plot = figure.querySelector("svg.plot");
        const bar = buttons(label, { "Earlier": ["←", () => move(-0.5)], "Later": ["→", () => move(0.5)],
          "Zoom in": ["+", () => zoom(2)], "Zoom out": ["−", () => zoom(0.5)],
          "Whole time": ["Whole", () => { [from, to] = [begin, end]; show(); }] });
        const caption = figure.querySelector("figcaption");
        if (caption) caption.after(bar);
        else figure.prepend(bar);
        wheel(plot, (by, event) => {
          const box = plot.getBoundingClientRect();
          zoom(by, from + (event.clientX - box.left) / box.width * (to - from));
        });
      }
    }
  }

  diagrams();
  charts();
  const root = $("viewer");
  if (root) {
    load().then((data) => viewer(data, root)).then(() => {
      root.dataset.ready = "true";
      performance.mark("netkit-ready");
    }, (why) => {
      root.hidden = false;
      root.replaceChildren(h("p", { className: "hint", role: "alert" }, `The messages cannot be shown: ${why}`));
    });
  }
})();
