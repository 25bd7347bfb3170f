// What was answered: text with cited numbers, charts, the table, the summary, and how it was found.

import { fill, h } from "./dom.js";
import { artifactPath, read } from "./api.js";
import { chartView } from "./chart.js";
import { cell, short } from "./format.js";
import { cited, code, markdown, origin } from "./prose.js";
import { tableView } from "./table.js";

const AROUND = 4;
const LONG = 4000;

/** The elements of an answer of a run. `found` has what a turn of a conversation or the outputs of a
 * flow have of: answer, citations, figures, table, summary, sql, code, warnings, confidence. */
export function answerView(run, found) {
  const made = [];
  if (found.answer) made.push(prose(found.answer, h("p", {}, cited(found.answer, found.citations || [], (each) => showEvidence(run, each, found)))));
  const notes = (found.warnings || []).map((each) => each.text || String(each));
  if (notes.length) made.push(h("div.caution", { role: "note" }, notes.length === 1 ? notes[0] : h("ul", {}, notes.map((each) => h("li", {}, each)))));
  for (const name of found.figures || []) made.push(chartView(run, name));
  if (found.table && found.table.columns?.length && (found.table.rows.length > 1 || found.table.total_rows > 1)) made.push(resultTable(run, found.table));
  const folds = [];
  if (found.summary) folds.push(fold("Summary", () => h("div.prose.summary", {}, markdown(found.summary.replace(/^## Executive Summary\s*/, ""), 2))));
  const queries = found.sql || found.table?.sql;
  if (queries) folds.push(fold("Query", () => code(queries, "SQL")));
  if (found.code) folds.push(fold("Code", () => code(found.code, "Python")));
  if (folds.length) made.push(h("div.folds", {}, folds));
  const downloads = downloadLinks(run, found);
  if (downloads.length) made.push(h("p.downloads", {}, h("span", {}, "Download"), downloads));
  return made;
}

/** The text of an answer; a long one scrolls in a box of its own. */
function prose(text, content) {
  return text.length > LONG ? h("div.prose.answer.long", { tabIndex: 0, role: "region", "aria-label": "Answer" }, content) : h("div.prose.answer", {}, content);
}

/** Something that is made when it is opened. */
function fold(name, make) {
  const details = h("details.fold", {}, h("summary", {}, name));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

/** A table of a run, of which later rows are read when they come into sight. */
export function resultTable(run, table) {
  return tableView({
    columns: table.columns, types: table.types, rows: table.rows, total: table.total_rows, label: "The result",
    load: table.artifact ? (from, to) => rowsOf(run, table.artifact, from, to) : null,
  });
}

/** The rows from..to-1 of a table of a run. */
export async function rowsOf(run, artifact, from, to) {
  return (await read(artifactPath(run, artifact, `?rows=${from}-${to - 1}`))).rows;
}

function downloadLinks(run, found) {
  const links = [];
  const link = (text, href) => h("a", { href, download: "" }, text);
  const file = (name) => `/page/files/${encodeURIComponent(run)}/${encodeURIComponent(name)}`;
  if (found.table?.artifact) links.push(link("Table (CSV)", file(found.table.artifact)));
  const figures = found.figures || [];
  for (const [place, name] of figures.entries()) {
    const which = figures.length > 1 ? `Figure ${place + 1}` : "Figure";
    links.push(link(`${which} (picture)`, file(name)), link(`${which} (interactive)`, artifactPath(run, name)));
  }
  for (const [text, content, name] of [["Query", found.sql, "query.sql"], ["Code", found.code, "code.py"], ["Summary", found.summary, "summary.md"]]) {
    if (content) links.push(h("button.link", { type: "button", onclick: () => save(content, name) }, text));
  }
  return links;
}

/** Hand a text to the person as a file. */
export function save(text, name, kind = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  h("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** A dialog that closes with Escape, its button, and a click beside it. */
export function openDialog(title, ...children) {
  const close = h("button.quiet", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×");
  const body = h("div.dialog-body", {}, children);
  const dialog = h("dialog", { "aria-label": title }, h("div.dialog-head", {}, h("h2", {}, title), close), body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return body;
}

/** Where a number comes from: its cell among its neighbours, and the query. */
async function showEvidence(run, citation, found) {
  const body = openDialog(short(citation.text, 80), h("p.lead", {}, origin(citation)));
  const exact = citation.value === null || citation.value === undefined ? "" : String(citation.value);
  const parts = [];
  if (exact && citation.origin === "cell") parts.push(h("p", {}, "The exact value is ", h("code", {}, short(exact, 5000)), "."));
  if (citation.formula) parts.push(h("p", {}, h("code", {}, `${citation.formula} = ${exact}`)));
  const table = found.table?.artifact === citation.result ? found.table : null;
  const rows = citation.origin === "derived" ? citation.rows_used : citation.row === null ? [] : [citation.row];
  if (citation.result && rows.length) parts.push(await excerpt(run, citation, rows, table).catch((error) => h("p.hint", {}, error.message)));
  if (citation.sql) parts.push(code(citation.sql, "The query that gave it"));
  fill(body, body.firstChild, parts, citation.result ? h("p.hint", {}, `Result ${citation.result}`) : null);
}

async function excerpt(run, citation, rows, table) {
  const from = Math.max(0, Math.min(...rows) - AROUND);
  const to = Math.min(from + 40, Math.max(...rows) + AROUND + 1);
  let lines = table?.rows.slice(from, to);
  let columns = table?.columns;
  if (!lines || lines.length < Math.min(to, table.total_rows) - from) {
    const found = await read(artifactPath(run, citation.result, `?rows=${from}-${to - 1}`));
    lines = found.rows;
    columns = found.columns;
  }
  return h("div.scroll", { tabIndex: 0, role: "region", "aria-label": "The cell and its neighbours" }, h("table.plain.lines", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Row"), columns.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, lines.map((row, place) => h("tr", {}, h("th", { scope: "row" }, from + place + 1), row.map((value, column) => {
      const on = rows.includes(from + place) && columns[column] === citation.column;
      return h("td", { class: `${typeof value === "number" ? "num" : ""} ${on ? "marked" : ""}` }, cell(value));
    }))))));
}
