package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	anchors = regexp.MustCompile(`href="#([^"]*)"`)
	ids     = regexp.MustCompile(` id="([^"]*)"`)
	outside = regexp.MustCompile(`(?i)(src|href|action|data)\s*=\s*"?(https?:|//|file:)|@import|url\(`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	page := pageOf(t, read(t))
	known := make(map[string]bool)
	for _, m := range ids.FindAllStringSubmatch(page, -1) {
		if known[m[1]] {
			t.Errorf("two elements have the id %s", m[1])
		}
		known[m[1]] = true
	}
	links := anchors.FindAllStringSubmatch(page, -1)
	for _, m := range links {
		if !known[m[1]] {
			t.Errorf("a link leads to %s, which does not exist", m[1])
		}
	}
	if len(links) < 15 {
		t.Errorf("only %d links", len(links))
	}
	if m := outside.FindString(page); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

// driver runs in the page. It uses the filter and a link.
const driver = `<script>
window.addEventListener("load", function () {
  var said = [];
  function shown() { return document.querySelectorAll(".finding:not([hidden])").length; }
  function set(id, value) {
    var e = document.getElementById(id);
    e.value = value;
    e.dispatchEvent(new Event("input", {bubbles: true}));
  }
  said.push("all=" + shown());
  set("f-class", "1.6"); said.push("crashes=" + shown());
  set("f-text", "no such text"); said.push("none=" + shown());
  document.querySelector(".t-matrix td a").click();
  setTimeout(function () {
    said.push("afterlink=" + shown());
    said.push("open=" + document.querySelectorAll(".finding > details[open]").length);
    said.push("wide=" + (document.documentElement.scrollWidth > window.innerWidth + 1));
    window.dispatchEvent(new Event("beforeprint"));
    said.push("closed=" + document.querySelectorAll("details:not([open])").length);
    document.body.textContent = "SAID " + said.join(" ") + " END";
  }, 500);
});
</script>`

// TestBrowser opens the report in Chromium without a network. The console stays empty,
// the filter works, a link opens its finding, and nothing is wider than the window.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal("chromium is not installed (scripts/setup installs it)")
		}
		t.Skip("chromium is not installed")
	}
	if testing.Short() {
		t.Skip("starts a browser")
	}
	d := read(t)
	crashes := 0
	for _, f := range d.Findings {
		if f.Class == "1.6" {
			crashes++
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	page := strings.Replace(pageOf(t, d), "</body>", driver+"</body>", 1)
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, size := range []string{"390,800", "1300,900"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
			"--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
			"--user-data-dir="+filepath.Join(dir, "profile-"+size), "--window-size="+size,
			"--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", "file://"+path)
		var dom, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &dom, &log
		err := cmd.Run()
		cancel()
		if err != nil {
			t.Fatalf("chromium: %v\n%s", err, log.String())
		}
		want := fmt.Sprintf("SAID all=%d crashes=%d none=0 afterlink=%d open=1 wide=false closed=0 END", len(d.Findings),
			crashes, len(d.Findings))
		if !strings.Contains(dom.String(), want) {
			said := dom.String()
			if at := strings.Index(said, "SAID"); at >= 0 {
				said = said[at:]
			}
			t.Errorf("%s: the page says %.200s\nwant %s", size, said, want)
		}
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "CONSOLE") {
				t.Errorf("%s: on the console: %s", size, line)
			}
		}
	}
}

// TestSeveralTargets: a campaign of several targets and profiles has a row for each pair.
