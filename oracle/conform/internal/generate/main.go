// Command generate writes docs/conformance.md. 'go generate ./oracle/conform' starts it
// in the package's folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/oracle/conform"
)

func main() {
	if err := os.WriteFile(filepath.Join("..", "..", "docs", "conformance.md"), conform.Page(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
