// The graph of a flow: nested boxes in layers, edges from above to below, and what runs now lit.

import { freshId, h, svg } from "./dom.js";

const LINE = 34;
const GAP = 26;
const SIDE = 20;
const PAD = 16;
const HEAD = 30;
const LETTER = 7.6;
const ARC = 24;
const MOST_SEEN = 26;
const MOST_LABEL = 30;

/** `{element, light(run)}` of a graph `{nodes, edges}`. A composite flow is opened and closed by a click. */
export function graphView({ nodes, edges }) {
  const known = new Map(nodes.map((each) => [each.address, { ...each, inside: [], children: [] }]));
  const tops = [];
  for (const node of known.values()) {
    const parent = node.address !== node.parent ? known.get(node.parent) : undefined;
    (parent ? parent.inside : tops).push(node);
  }
  const root = tops.length === 1 && tops[0].inside.length ? tops[0] : { address: null, name: "", inside: tops };
  root.bare = true;
  root.open = true;
  openSome(root);
  const boxes = new Map();
  const id = freshId("arrow");
  const element = h("div.graph-box", { tabIndex: 0, role: "region", "aria-label": "Graph of the flow" });
  let last = null;

  function toggle(node) {
    node.open = !node.open;
    redraw();
    light(last);
    boxes.get(node.address)?.focus({ preventScroll: true });
  }

  function redraw() {
    boxes.clear();
    arrange(root, edges, known);
    const [width, height] = [root.width + 2, root.height + 2];
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "group", "aria-label": summary(root) },
      svg("defs", {}, svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0L8 4L0 8z", class: "arrow" }))));
    drawing.style.minWidth = `${Math.min(width, 360)}px`;
    draw(root, 1, 1, drawing, { boxes, id, toggle }, 0);
    element.replaceChildren(drawing);
  }

  function light(run) {
    last = run;
    if (!run) return;
    const states = statesOf(run);
    for (const [address, box] of boxes) box.setAttribute("class", `node ${states.get(address) || ""} ${box.dataset.kind}`);
  }

  redraw();
  return { element, light };
}

const RANK = { stopped: 1, done: 1, failed: 2, waiting: 3, running: 4 };

/** The state of each flow by its address: that of its latest step, or of what runs inside it. */
function statesOf(run) {
  const states = new Map();
  const inner = new Map();
  for (const step of run.steps.values()) {
    const path = step.address.split("/").map((each) => each.replace(/#\d+$/, ""));
    states.set(path.join("/"), step.state);
    for (let many = 1; many < path.length; many += 1) {
      const address = path.slice(0, many).join("/");
      const state = step.state === "failed" ? "done" : step.state;
      if ((RANK[state] || 0) >= (RANK[inner.get(address)] || 0)) inner.set(address, state);
    }
  }
  return new Map([...states, ...inner]);
}

/** Open the composite flows level by level, as long as what is seen stays easy to look over. */
function openSome(root) {
  let level = [root];
  let seen = root.inside.length;
  while (level.length) {
    const next = level.flatMap((each) => each.inside).filter((each) => each.inside.length);
    seen += next.reduce((sum, each) => sum + each.inside.length, 0);
    if (seen > MOST_SEEN) return;
    for (const each of next) each.open = true;
    level = next;
  }
}

function summary(root) {
  const names = (node) => `${node.name || "flow"}${node.open && node.inside.length ? ` (${node.inside.map(names).join(", ")})` : ""}`;
  return `The flow and its parts: ${names(root)}`;
}

const partsOf = (node) => node.inside.reduce((sum, each) => sum + 1 + partsOf(each), 0);
const labelOf = (node) => (node.inside.length && !node.open ? `${node.name} · ${partsOf(node)}` : node.name);

/** Put the children of a node in layers, and set the sizes and places of all below it. */
function arrange(node, edges, known) {
  node.children = node.open ? node.inside : [];
  node.own = [];
  for (const child of node.children) arrange(child, edges, known);
  if (!node.children.length) {
    node.width = Math.max(84, Math.min(230, labelOf(node).length * LETTER + 28));
    node.height = LINE;
    return;
  }
  const own = ownEdges(node, edges, known);
  const layers = layersOf(node.children, own);
  const widths = layers.map((layer) => layer.reduce((sum, each) => sum + each.width, 0) + SIDE * (layer.length - 1));
  const back = own.some((each) => each.back);
  const labels = own.filter((each) => each.label && !each.back).map((each) => 2 * Math.min(each.label.length, MOST_LABEL) * 6.2 + 12);
  const inner = Math.max(...widths, ...labels, node.bare ? 0 : node.name.length * LETTER);
  const gap = GAP + (labels.length ? 10 : 0);
  const pad = node.bare ? 4 : PAD;
  let y = node.bare ? 4 : HEAD + 8;
  for (const [place, layer] of layers.entries()) {
    const tallest = Math.max(...layer.map((each) => each.height));
    let x = pad + (back ? ARC : 0) + (inner - widths[place]) / 2;
    for (const child of layer) {
      child.x = x;
      child.y = y + (tallest - child.height) / 2;
      x += child.width + SIDE;
    }
    y += tallest + gap;
  }
  node.own = own;
  node.width = inner + 2 * pad + (back ? 2 * ARC : 0);
  node.height = y - gap + pad;
}

/** The edges between children of a node; the ends of deeper ones are lifted to them. An edge to what
 * leads to its own beginning goes back. */
function ownEdges(node, edges, known) {
  const inside = new Map(node.children.map((each) => [each.address, each]));
  const lift = (address) => {
    for (let at = known.get(address); at; at = at.parent !== at.address ? known.get(at.parent) : undefined) {
      if (inside.has(at.address)) return inside.get(at.address);
    }
    return null;
  };
  const seen = new Map();
  const after = new Map(node.children.map((each) => [each, new Set([each])]));
  for (const edge of edges) {
    const [from, to] = [lift(edge.from), lift(edge.to)];
    if (!from || !to || (from === to && !(edge.back && edge.from === edge.to))) continue;
    const key = `${from.address}>${to.address}`;
    if (seen.has(key)) continue;
    const back = Boolean(edge.back) || after.get(to).has(from);
    seen.set(key, { from, to, back, label: edge.label || "" });
    if (back) continue;
    for (const reached of after.values()) if (reached.has(from)) for (const each of after.get(to)) reached.add(each);
  }
  const found = [...seen.values()];
  return found.filter((each) => each.from !== each.to || !found.some((other) => other !== each && other.back && other.to === each.to));
}

/** The children in layers, each below all that lead to it; those without edges come last. */
function layersOf(children, edges) {
  const ways = edges.filter((each) => !each.back);
  const depth = new Map(children.map((each) => [each, 0]));
  for (let round = 0; round < children.length; round += 1) {
    for (const { from, to } of ways) depth.set(to, Math.max(depth.get(to), depth.get(from) + 1));
  }
  const joined = new Set(edges.flatMap((each) => [each.from, each.to]));
  const loose = joined.size ? Math.max(...depth.values()) + 1 : 0;
  const layers = [];
  for (const child of children) (layers[joined.has(child) ? depth.get(child) : loose] ||= []).push(child);
  return layers.filter(Boolean).flatMap(rows);
}

/** A wide layer in several rows, so that it stays readable on a narrow page. */
function rows(layer) {
  const most = 440;
  const found = [[]];
  let width = 0;
  for (const each of layer) {
    if (width && width + each.width > most) {
      found.push([]);
      width = 0;
    }
    found[found.length - 1].push(each);
    width += each.width + SIDE;
  }
  return found;
}

function draw(node, x, y, into, drawing, depth) {
  if (!node.bare) {
    const opened = node.children.length > 0;
    const group = svg("g", { "data-kind": opened ? `composite deep${depth % 2}` : node.inside.length ? "leaf folded" : "leaf" },
      svg("title", {}, [node.name, node.flow].filter(Boolean).join(" · ")),
      svg("rect", { x, y, width: node.width, height: node.height, rx: opened ? 10 : 7 }),
      svg("text", opened ? { x: x + PAD, y: y + 20 } : { x: x + node.width / 2, y: y + LINE / 2 + 4.5, "text-anchor": "middle" }, cut(labelOf(node), node.width)));
    group.setAttribute("class", `node ${group.dataset.kind}`);
    into.append(group);
    drawing.boxes.set(node.address, group);
    if (node.inside.length) makeButton(group, node, drawing.toggle);
  }
  for (const child of node.children) draw(child, x + child.x, y + child.y, into, drawing, depth + 1);
  let arcs = 0;
  for (const edge of node.own || []) into.append(...edgeOf(edge, node, x, y, drawing.id, edge.back ? arcs++ : 0));
}

function makeButton(group, node, toggle) {
  const named = { role: "button", tabindex: "0", "aria-expanded": String(Boolean(node.open)), "aria-label": `${node.name}, ${partsOf(node)} parts` };
  for (const [name, value] of Object.entries(named)) group.setAttribute(name, value);
  group.addEventListener("click", () => toggle(node));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle(node);
  });
}

const cut = (text, width) => (text.length * LETTER > width ? `${text.slice(0, Math.floor((width - 16) / LETTER))}…` : text);

function edgeOf({ from, to, back, label }, node, x, y, arrow, arcs) {
  const middle = (each) => x + each.x + each.width / 2;
  if (back) {
    const right = x + node.width - (node.bare ? 4 : PAD) - 2 - Math.min(arcs * 5, 15);
    const [start, end] = [y + from.y + from.height / 2, y + to.y + to.height / 2];
    const [one, other] = [x + from.x + from.width, x + to.x + to.width];
    const path = from === to
      ? `M${one} ${start - 6}h8a6 6 0 0 1 0 12h-8`
      : `M${one} ${start}H${right - 8}Q${right} ${start} ${right} ${start - 8}V${end + 8}Q${right} ${end} ${right - 8} ${end}H${other + 2}`;
    return [svg("path", { d: path, class: "edge back", "marker-end": `url(#${arrow})` })];
  }
  const [ax, ay] = [middle(from), y + from.y + from.height];
  const [bx, by] = [middle(to), y + to.y - 2];
  const half = (ay + by) / 2;
  const path = Math.abs(ax - bx) < 1 ? `M${ax} ${ay}V${by}` : `M${ax} ${ay}C${ax} ${half} ${bx} ${half} ${bx} ${by}`;
  const made = [svg("path", { d: path, class: "edge", "marker-end": `url(#${arrow})` })];
  if (label) made.push(svg("text", { x: (ax + bx) / 2 + 6, y: half + 4, class: "edge-label" }, label.length > MOST_LABEL ? `${label.slice(0, MOST_LABEL - 1)}…` : label));
  return made;
}
