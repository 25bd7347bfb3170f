// The page: which view is shown, its sessions, its colours.

import { fill, h, toast } from "./dom.js";
import { chatList, chatView } from "./chat.js";
import { sentence } from "./format.js";
import { flowView, flowsView } from "./flows.js";
import { compareView, runsView } from "./runs.js";
import { runView } from "./runview.js";

const main = document.getElementById("main");
let leave = null;
let showing = 0;

/** `#/runs/ID?step=X` as its parts and its query. */
function place() {
  const [path, query = ""] = window.location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(plain), query: new URLSearchParams(query) };
}

/** A part of an address without its escapes; one that is escaped wrongly stays as it is. */
function plain(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const VIEWS = {
  chat: ([id], query) => chatView(id, query),
  flows: ([name], query) => (name ? flowView(name, query) : flowsView()),
  runs: ([id], query) => (id ? runView(id, query) : runsView(query)),
  compare: ([one, other]) => compareView(one, other),
};

async function show() {
  const { parts, query } = place();
  const view = VIEWS[parts[0]] ? parts[0] : "chat";
  const mine = (showing += 1);
  if (leave) leave();
  leave = null;
  document.querySelectorAll("[data-view]").forEach((link) => {
    const current = link.dataset.view === (view === "compare" ? "runs" : view);
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  chatList(document.getElementById("sessions"), view === "chat" ? parts[1] : null).catch((error) => toast(error.message, true));
  main.className = `view-${view}`;
  try {
    const found = await VIEWS[view](parts.slice(1), query);
    if (mine !== showing) {
      found.leave?.();
      return;
    }
    leave = found.leave;
    document.title = `${found.title} · analyst-flows`;
    fill(main, found.element);
    found.shown?.();
  } catch (error) {
    if (mine !== showing) return;
    document.title = "analyst-flows";
    fill(main, h("div.page", {}, h("h1", {}, "This cannot be shown"), h("p", {}, sentence(error.message)),
      h("p", {}, h("button.primary", { type: "button", onclick: show }, "Try again"))));
  }
}

const root = document.documentElement;
const prefers = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefers.matches);
const button = document.getElementById("theme");

function showTheme() {
  button.textContent = isDark() ? "Light colours" : "Dark colours";
  window.dispatchEvent(new Event("theme"));
}

button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    window.localStorage.setItem("flows-theme", root.dataset.theme);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
  showTheme();
});
prefers.addEventListener("change", showTheme);
showTheme();

// A file that is dropped where none is taken would replace the page.
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (document.querySelector(".drop") || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (kind === "drop") toast("Files are brought at the beginning of a chat: open Chat, and drop them there.");
  });
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
});
show();
