"use strict";
(function () {
  var form = document.getElementById("filter");
  var findings = Array.prototype.slice.call(document.querySelectorAll(".finding"));
  function value(id) { return document.getElementById(id).value; }
  function filter() {
    var words = value("f-text").toLowerCase().split(/\s+/), shown = 0;
    var want = { "class": value("f-class"), target: value("f-target"), profile: value("f-profile") };
    findings.forEach(function (f) {
      var ok = words.every(function (w) { return f.dataset.search.indexOf(w) >= 0; });
      for (var what in want) { ok = ok && (!want[what] || f.dataset[what] === want[what]); }
      f.hidden = !ok;
      if (ok) { shown++; }
    });
    document.getElementById("f-count").textContent = shown + " of " + findings.length;
  }
  function openTarget() {
    var at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at || !at.classList.contains("finding")) { return; }
    if (at.hidden) { form.reset(); filter(); }
    at.firstElementChild.open = true;
    at.scrollIntoView();
  }
  if (form) {
    form.addEventListener("input", filter);
    form.addEventListener("submit", function (e) { e.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(filter); });
    filter();
    if (findings.length === 1) { findings[0].firstElementChild.open = true; }
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (d) { d.open = true; });
  });
})();
