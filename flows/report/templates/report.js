(function () {
  "use strict";
  var root = document.documentElement;
  var prefers = window.matchMedia("(prefers-color-scheme: dark)");
  var printing = false;

  // A page that is opened as a file may have no storage: the choice then holds until it is closed.
  function stored(value) {
    try {
      if (value !== undefined) window.localStorage.setItem("flows-report-theme", value);
      return window.localStorage.getItem("flows-report-theme");
    } catch (error) {
      return null;
    }
  }

  function isDark() {
    if (printing) return false;
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : prefers.matches;
  }

  var button = document.getElementById("theme");
  function showTheme() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Show the page in " + (isDark() ? "light" : "dark"));
    drawAll();
  }

  // Charts: the figures as they were checked, in the colours of the page.
  var plots = Array.prototype.slice.call(document.querySelectorAll(".plot"));

  function colour(name) {
    return window.getComputedStyle(document.body).getPropertyValue(name).trim();
  }

  function themed(figure) {
    var layout = JSON.parse(JSON.stringify(figure.layout || {}));
    var ink = colour("--ink"), soft = colour("--soft"), line = colour("--line");
    var narrow = window.innerWidth < 640;
    layout.paper_bgcolor = "rgba(0,0,0,0)";
    layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.autosize = true;
    layout.font = Object.assign({}, layout.font, {
      color: ink, size: narrow ? 11 : 12, family: window.getComputedStyle(document.body).fontFamily
    });
    layout.colorway = layout.colorway || (isDark() ?
      ["#74a7e4", "#e79b57", "#6bb98a", "#b98fd0", "#dd7f8d", "#55bcc2", "#c9a95a", "#9dabb9"] :
      ["#3f74b5", "#d98032", "#4d9a6a", "#9a6bb0", "#c2566a", "#2f9aa0", "#a8873a", "#7d8a99"]);
    layout.margin = { l: 56, r: 16, t: 12, b: 48 };
    layout.hoverlabel = {
      bgcolor: colour("--card"), bordercolor: line, font: { color: ink }, namelength: 40
    };
    layout.legend = Object.assign({}, layout.legend, {
      bgcolor: "rgba(0,0,0,0)", font: { color: ink }
    });
    if (narrow) Object.assign(layout.legend, { orientation: "h", y: -0.25, x: 0, xanchor: "left" });
    if (window.matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    ["xaxis", "yaxis"].forEach(function (name) { layout[name] = layout[name] || {}; });
    Object.keys(layout).forEach(function (name) {
      if (/^[xy]axis\d*$/.test(name) && layout[name] && typeof layout[name] === "object") {
        layout[name] = Object.assign({}, layout[name], {
          gridcolor: line, zerolinecolor: soft, linecolor: line, tickcolor: line, automargin: true
        });
        layout[name].tickfont = Object.assign({}, layout[name].tickfont, { color: soft });
        var title = layout[name].title;
        if (typeof title === "string") title = { text: title };
        if (title) layout[name].title = Object.assign({}, title, { font: { color: soft }, standoff: 12 });
      }
      if (/^polar\d*$/.test(name) && layout[name]) {
        layout[name] = Object.assign({}, layout[name], { bgcolor: "rgba(0,0,0,0)" });
      }
    });
    if (layout.annotations) layout.annotations.forEach(function (each) {
      if (each) { each.font = Object.assign({}, each.font, { color: ink }); each.arrowcolor = soft; }
    });
    return { data: JSON.parse(JSON.stringify(figure.data)), layout: layout };
  }

  function draw(plot) {
    var figure = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
    var shown = themed(figure);
    return window.Plotly.react(plot, shown.data, shown.layout, {
      responsive: true, displayModeBar: false, displaylogo: false, showSendToCloud: false,
      showLink: false, editable: false, scrollZoom: false
    }).catch(function () { plot.textContent = "This chart cannot be drawn."; });
  }

  function drawAll() {
    if (window.Plotly) plots.forEach(draw);
  }

  // Numbers: the table is opened, the cells are marked, and there is a way back.
  var back = document.getElementById("back");
  var from = null;

  function open(element) {
    for (var at = element; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
  }

  function target() {
    var id = decodeURIComponent(window.location.hash.slice(1));
    return id ? document.getElementById(id) : null;
  }

  function land(marks) {
    document.querySelectorAll(".marked").forEach(function (each) { each.classList.remove("marked"); });
    var element = target();
    if (!element) return;
    open(element);
    marks.concat(element.tagName === "TD" ? [element.id] : []).forEach(function (id) {
      var cell = id && document.getElementById(id);
      if (cell) cell.classList.add("marked");
    });
    // What made a table is shown with it.
    var table = element.closest("details.table");
    if (table) table.querySelectorAll(".origin details").forEach(function (each) { each.open = true; });
    if (element.tagName !== "TD") {
      element.scrollIntoView();
      return;
    }
    element.scrollIntoView({ block: "center", inline: "center" });
    element.focus({ preventScroll: true });
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[href^='#']");
    if (!link || link === back) return;
    from = link.matches("a.num, .ledger a") ? link : null;
    back.hidden = !from;
    if (!from) return;
    // Not left to the browser, whose own scrolling may come after that of `land`.
    event.preventDefault();
    if (window.location.hash !== link.getAttribute("href")) {
      window.history.pushState(null, "", link.getAttribute("href"));
    }
    land((link.dataset.marks || "").split(" "));
  });
  window.addEventListener("hashchange", function () { land([]); });
  back.addEventListener("click", function (event) {
    event.preventDefault();
    back.hidden = true;
    if (!from) return;
    open(from);
    from.scrollIntoView({ block: "center" });
    from.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !back.hidden) back.click();
  });

  // Paper: everything is open, and light.
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (each) { each.open = true; });
    printing = true;
    drawAll();
  });
  window.addEventListener("afterprint", function () {
    closed.forEach(function (each) { each.open = false; });
    printing = false;
    drawAll();
  });

  var known = stored();
  if (known === "dark" || known === "light") root.setAttribute("data-theme", known);
  button.hidden = false;
  button.addEventListener("click", function () {
    var chosen = isDark() ? "light" : "dark";
    root.setAttribute("data-theme", chosen);
    stored(chosen);
    showTheme();
  });
  prefers.addEventListener("change", showTheme);
  showTheme();
  root.classList.add("scripted");
  land([]);
})();
