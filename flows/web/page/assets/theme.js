// The chosen colours, before anything is drawn.
"use strict";
(function () {
  var chosen = null;
  try {
    chosen = window.localStorage.getItem("flows-theme");
  } catch (error) {
    // A browser without storage follows the system's colours.
  }
  if (chosen === "dark" || chosen === "light") {
    document.documentElement.setAttribute("data-theme", chosen);
  }
})();
