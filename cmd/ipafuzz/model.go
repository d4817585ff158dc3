package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

type modelCommand struct {
	Name     string `arg:"" optional:"" placeholder:"MODEL"`
	Dot      bool   `xor:"form"`
	Markdown bool   `xor:"form"`
	JSON     bool   `xor:"form"`
}

// Run runs the command.
func (c *modelCommand) Run() error {
	if c.Name == "" {
		if c.Dot || c.Markdown {
			return exit.Misusef("name a model: %s", apimodel.Names())
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(apimodel.AllModels())
		}
		list := ""
		for _, m := range apimodel.AllModels() {
			list += fmt.Sprintf("%s  %s, %d calls\n", m.Name, m.Title, len(m.Calls))
		}
		return printText(list)
	}
	m := apimodel.ByName(c.Name)
	switch {
	case m == nil:
		return exit.Misusef("there is no API model %q; there are %s", c.Name, apimodel.Names())
	case c.Dot:
		return printText(m.Dot())
	case c.JSON:
		return writeJSON(os.Stdout, m)
	default:
		return printText(m.Markdown())
	}
}

// printText writes to stdout and reports a full disk as an error.
func printText(text string) error {
	_, err := os.Stdout.WriteString(text)
	return err
}
