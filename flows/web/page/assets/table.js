// A table that sorts and scrolls; of a long one only the rows in sight are elements.

import { h, fill, toast } from "./dom.js";
import { cell, count } from "./format.js";

const ROW = 34;
const SEEN = 12;
const AROUND = 8;
const PAGE = 200;
const BLOCK = 10000; // the most rows that the server gives at once
const MOST_SORTED = 200000;
const NUMERIC = /int|real|double|float|decimal|numeric|number/i;

/** A view of `{columns, types, rows, total}`. `load(from, to)` gives the rows from..to-1 of a table of
 * which `rows` are only the first. The element has `show(row, column)`, which marks a cell. */
export function tableView({ columns, types = [], rows, total, label, load }) {
  const all = rows.slice();
  let order = null;
  let sorted = { column: -1, down: false };
  let marked = null;
  let asked = new Set();
  let busy = false;
  let due = 0;
  const size = Math.max(total ?? rows.length, rows.length);
  const numeric = columns.map((_, place) => isNumeric(types[place], rows, place));
  const body = h("tbody");
  const head = h("tr");
  const scroller = h("div.rows", { tabIndex: 0, role: "region", "aria-label": label || "Table", onscroll: () => { due ||= window.requestAnimationFrame(draw); } });
  const table = h("table.grid", { "aria-rowcount": size + 1 }, h("colgroup", {}, columns.map((_, place) => width(place))),
    h("thead", {}, head), body);
  scroller.append(table);
  const foot = h("p.table-foot", {}, `${count(size, "row")}, ${count(columns.length, "column")}`);
  const holder = h("div.table", {}, scroller, foot);

  function width(place) {
    const longest = Math.max(columns[place].length + 3, ...rows.slice(0, 60).map((row) => cell(row[place]).length));
    const column = h("col");
    column.style.width = `${Math.min(38, Math.max(7, longest + 3))}ch`;
    return column;
  }

  function drawHead() {
    fill(head, columns.map((name, place) => {
      const on = sorted.column === place;
      return h("th", { scope: "col", class: numeric[place] ? "num" : "", "aria-sort": on ? (sorted.down ? "descending" : "ascending") : "none" },
        h("button", { type: "button", title: `Sort by ${name}`, onclick: () => sort(place) }, name, h("span.arrow", { "aria-hidden": "true" }, on ? (sorted.down ? "↓" : "↑") : "")));
    }));
  }

  async function sort(place) {
    if (busy) return;
    if (size > MOST_SORTED) return void toast(`Tables of up to ${MOST_SORTED.toLocaleString("en-US")} rows can be sorted here.`);
    busy = true;
    try {
      for (let from = 0; load && from < size; from += BLOCK) await fetchPage(from, BLOCK);
    } catch (error) {
      toast(error.message, true);
      return;
    } finally {
      busy = false;
    }
    sorted = { column: place, down: sorted.column === place ? !sorted.down : numeric[place] };
    order = Array.from(all.keys());
    order.sort((one, other) => compare(all[one]?.[place], all[other]?.[place]) * (sorted.down ? -1 : 1) || one - other);
    drawHead();
    scroller.scrollTop = 0;
    draw();
  }

  async function fetchPage(from, many = PAGE) {
    const to = Math.min(size, from + many);
    let whole = true;
    for (let place = from; place < to && whole; place += 1) whole = all[place] !== undefined;
    if (whole) return;
    const found = await load(from, to);
    found.forEach((row, place) => { all[from + place] = row; });
  }

  function want(from) {
    if (!load || asked.has(from)) return;
    asked.add(from);
    fetchPage(from).then(draw, (error) => {
      asked.delete(from);
      toast(error.message, true);
    });
  }

  function draw() {
    due = 0;
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - AROUND);
    // Of a table that nobody has scrolled only what is in sight is wanted.
    const last = Math.min(size, first + SEEN + (scroller.scrollTop ? 2 * AROUND : 0));
    fill(body, spacer(first), Array.from({ length: last - first }, (_, place) => line(first + place)), spacer(size - last));
  }

  function spacer(many) {
    if (many <= 0) return null;
    const row = h("tr.space", { "aria-hidden": "true" }, h("td", { colSpan: columns.length }));
    row.style.height = `${many * ROW}px`;
    return row;
  }

  function line(place) {
    const from = order ? order[place] : place;
    const row = all[from];
    if (row === undefined) want(Math.floor(from / PAGE) * PAGE);
    return h("tr", { "aria-rowindex": place + 2 }, columns.map((name, column) => {
      const text = row === undefined ? "…" : cell(row[column]);
      const missing = row !== undefined && (row[column] === null || row[column] === undefined);
      const on = marked && marked.row === from && marked.column === name;
      return h("td", { class: `${numeric[column] ? "num" : ""} ${on ? "marked" : ""} ${missing ? "missing" : ""}`, title: text.length > 30 ? text : null }, missing ? "missing" : text);
    }));
  }

  holder.show = (row, column) => {
    marked = { row, column };
    const place = order ? order.indexOf(row) : row;
    scroller.scrollTop = Math.max(0, (place - 3) * ROW);
    draw();
  };
  drawHead();
  draw();
  return holder;
}

function isNumeric(type, rows, place) {
  if (type) return NUMERIC.test(type);
  return rows.length > 0 && rows.every((row) => row[place] === null || typeof row[place] === "number");
}

/** Missing cells come last whichever way is sorted by; numbers before texts. */
function compare(one, other) {
  const gone = (value) => value === null || value === undefined;
  if (gone(one) || gone(other)) return gone(one) - gone(other);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}
