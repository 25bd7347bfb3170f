// Answers and summaries: Markdown and cited numbers, made into elements.

import { h } from "./dom.js";

const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*|__[^_\n]+__|(?<![\w*])\*[^*\s][^*\n]*\*(?![\w*]))/;

// Letters that run from right to left, and phrases of them.
const TURNED = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]";
const PHRASE = new RegExp(`(${TURNED}+(?:[ _-]+${TURNED}+)*)`);
const BEGINS_TURNED = new RegExp(`^\\P{Letter}*${TURNED}`, "u");

/** The inline parts of a line: code, strong, emphasis. `whole` is the text that it is a part of: where
 * that runs from left to right, words that do not leave the order of what is beside them as it is. */
export function inline(text, whole = text) {
  const words = (part) => (BEGINS_TURNED.test(whole) ? part : part.split(PHRASE).map((each, place) => (place % 2 ? h("bdi", {}, each) : each)));
  return text.split(INLINE).flatMap((part) => {
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.length > 4 && /^(\*\*|__)/.test(part)) return h("strong", {}, part.slice(2, -2));
    if (part.length > 2 && /^\*[^*].*\*$/.test(part)) return h("em", {}, part.slice(1, -1));
    return words(part);
  });
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((each) => each.trim().replace(/\\\|/g, "|"));
const isRule = (line) => /^\s*\|?\s*:?-{3,}/.test(line || "") && line.includes("|");

/** Markdown as a list of elements. `top` is the level that its first heading gets. */
export function markdown(text, top = 3) {
  const lines = text.split("\n");
  const made = [];
  let least = 0;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (/^```/.test(line)) {
      const end = lines.findIndex((each, place) => place > at && /^```/.test(each));
      const last = end === -1 ? lines.length : end;
      made.push(code(lines.slice(at + 1, last).join("\n")));
      at = last + 1;
    } else if (heading) {
      least = least || heading[1].length;
      const level = Math.min(6, Math.max(top, heading[1].length - least + top));
      made.push(h(`h${level}`, {}, inline(heading[2])));
      at += 1;
    } else if (line.includes("|") && isRule(lines[at + 1])) {
      const rows = [];
      let end = at + 2;
      while (end < lines.length && lines[end].includes("|")) rows.push(cells(lines[end++]));
      made.push(plainTable(cells(line), rows));
      at = end;
    } else if (/^\s*([-*]|\d+[.)])\s+/.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items = [];
      while (at < lines.length && /^\s*([-*]|\d+[.)])\s+/.test(lines[at])) {
        items.push(h("li", {}, inline(lines[at].replace(/^\s*([-*]|\d+[.)])\s+/, ""))));
        at += 1;
      }
      made.push(h(ordered ? "ol" : "ul", {}, items));
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const words = [];
      while (at < lines.length && lines[at].trim() && !/^(#{1,6}\s|```|\s*[-*]\s)/.test(lines[at])) words.push(lines[at++]);
      if (!words.length) words.push(lines[at++]);
      made.push(h("p", {}, words.map((each, place) => [place ? h("br") : null, inline(each)])));
    }
  }
  return made;
}

/** A block of code that can be copied. */
export function code(text, label = "") {
  const copy = h("button.quiet.copy", {
    type: "button",
    onclick: async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
      window.setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    },
  }, "Copy");
  return h("figure.code", {}, label ? h("figcaption", {}, label) : null,
    navigator.clipboard ? copy : null, h("pre", { tabIndex: 0, role: "group", "aria-label": label || "Code" }, h("code", {}, text)));
}

function plainTable(columns, rows) {
  return h("div.scroll", { tabIndex: 0, role: "group", "aria-label": "Table" }, h("table.plain", {},
    h("thead", {}, h("tr", {}, columns.map((each) => h("th", { scope: "col" }, inline(each))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((each) => h("td", { class: isNumber(each) ? "num" : "" }, inline(each))))))));
}

const isNumber = (text) => /^[-+]?[\d,]+(\.\d+)?\s?%?$/.test(text);

/** A text whose cited numbers are buttons; `onCite` gets the citation of the one that is pressed.
 * Offsets count characters, as Python does. */
export function cited(text, citations, onCite) {
  const letters = Array.from(text);
  const made = [];
  let at = 0;
  for (const each of [...citations].sort((one, other) => one.start - other.start)) {
    if (each.start < at || each.end > letters.length) continue;
    made.push(...breaks(letters.slice(at, each.start).join(""), text));
    const words = letters.slice(each.start, each.end).join("");
    made.push(each.origin === "none"
      ? h("span.untraced", { title: "No cell holds this number" }, words)
      : h("button.cite", { type: "button", title: origin(each), onclick: () => onCite(each) }, words));
    at = each.end;
  }
  made.push(...breaks(letters.slice(at).join(""), text));
  return made;
}

function breaks(text, whole) {
  return text.split("\n").flatMap((line, place) => (place ? [h("br"), ...inline(line.replace(/^[-*] /, "• "), whole)] : inline(line, whole)));
}

/** Where a number comes from, in a few words. */
export function origin(citation) {
  switch (citation.origin) {
    case "cell": return `Row ${citation.row + 1} of ${citation.column}`;
    case "derived": return `Worked out: ${citation.formula}`;
    case "rows": return "The number of rows of the result";
    case "question": return "Given in the question";
    case "query": return "Given in the query";
    default: return "No cell holds this number";
  }
}
