package live

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestMetrics compares the text with the file in testdata, and asks a server for it.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := sampleAt(10)
	s.Targets[0].Name = "a \"quoted\\ name\"\n"
	text := AppendMetrics(nil, &s)
	if *update {
		if err := os.WriteFile("testdata/metrics.txt", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/metrics.txt")
	if err != nil || string(want) != string(text) {
		t.Errorf("%v; metrics:\n%s", err, text)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String() + "/metrics"
	stop := Serve(listener, func() Sample { return s })
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || string(body) != string(text) || !strings.HasPrefix(answer.Header.Get("Content-Type"),
		"text/plain; version=0.0.4") {
		t.Errorf("served: %v, %s\n%s", err, answer.Header.Get("Content-Type"), body)
	}
	stop()
	if _, err := http.Get(address); err == nil {
		t.Error("stop does not end the server")
	}
}
