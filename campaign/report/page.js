"use strict";
(function () {
  var form = document.getElementById("filter");
  var findings = Array.prototype.slice.call(document.querySelectorAll("#all-findings .finding"));
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
    if (!at || !(at.classList.contains("finding") || at.classList.contains("fault-entry"))) { return; }
    if (at.hidden) { form.reset(); filter(); }
    at.firstElementChild.open = true;
    for (var p = at.parentElement; p; p = p.parentElement) { if (p.tagName === "DETAILS") { p.open = true; } }
    at.scrollIntoView();
  }
  if (form) {
    form.addEventListener("input", filter);
    form.addEventListener("submit", function (e) { e.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(filter); });
    filter();
    if (findings.length === 1) { findings[0].firstElementChild.open = true; }
  }
  function showFault(e) { // scrolls a long trace to the call that shows the fault
    var trace = e.target.querySelector(".trace"), line = trace && trace.querySelector(".l.fault");
    if (line) { trace.scrollTop = line.offsetTop - trace.offsetTop - trace.clientHeight / 2; }
  }
  document.querySelectorAll(".fault-entry > details").forEach(function (d) {
    d.addEventListener("toggle", showFault);
    showFault({ target: d });
  });
  function copied(button, done) { button.textContent = done ? "copied" : "press Ctrl-C"; }
  document.querySelectorAll(".copy").forEach(function (button) {
    button.addEventListener("click", function (e) {
      e.preventDefault();
      var text = button.parentElement.nextElementSibling;
      var range = document.createRange();
      if (button.parentElement.tagName === "SUMMARY") { button.parentElement.parentElement.open = true; }
      range.selectNodeContents(text);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (navigator.clipboard) {
        navigator.clipboard.writeText(text.textContent).then(function () { copied(button, true); },
          function () { copied(button, document.execCommand("copy")); });
      } else {
        copied(button, document.execCommand("copy"));
      }
    });
  });
  window.addEventListener("hashchange", openTarget);
  openTarget();
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (d) { d.open = true; });
  });
})();
