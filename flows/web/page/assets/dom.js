// Elements, made of tags, properties and texts. No text is ever read as markup.

const ATTRIBUTES = /^(aria-|data-|role$|for$|colspan$|rowspan$|scope$|list$)/;
// What nobody sees in a text, or what turns the text around it: the same that reports leave out.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\u200b\u2060\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("button.primary", {onclick: f}, "Send")`. A property that is null or false is left out. */
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (ATTRIBUTES.test(key)) element.setAttribute(key, String(value));
    else if (key === "class") element.classList.add(...String(value).split(" ").filter(Boolean));
    else element[key] = value;
  }
  put(element, children);
  return element;
}

/** An element of SVG with attributes. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, String(value));
  }
  put(element, children);
  return element;
}

/** Append nodes and texts; lists are flattened, null and false are left out. */
export function put(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(seen(String(child))));
  }
  return element;
}

/** A text as it may be shown: nothing in it is invisible, or turns its neighbours around. */
export const seen = (text) => text.replace(UNSEEN, "");

/** Put other children in an element's place of its own. */
export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, children);
}

let made = 0;

/** An id that no other element of the page has. */
export function freshId(stem) {
  made += 1;
  return `${stem}-${made}`;
}

/** Say something for some seconds at the page's foot; an alarm stays until it is closed. */
export function toast(text, alarm = false) {
  const close = h("button.quiet", { type: "button", "aria-label": "Close", onclick: () => box.remove() }, "×");
  const box = h("div.toast", { class: alarm ? "bad" : "" }, h("p", {}, text), close);
  document.getElementById("toasts").append(box);
  if (!alarm) window.setTimeout(() => box.remove(), 6000);
}
