// Command generate writes the files that package apimodel generates. 'go generate ./apimodel'
// starts it in the package's folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

func main() {
	for _, page := range apimodel.Pages() {
		if err := os.WriteFile(filepath.Join("..", filepath.FromSlash(page.Path)), page.Text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}
