package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
)

type defectsCommand struct {
	JSON bool
}

func (c *defectsCommand) Run() error {
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(ref.Defects())
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tNAME\tMODEL\tCLASS\tWHAT GOES WRONG")
	for _, d := range ref.Defects() {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", d.Number, d.Name, d.Model, d.Class, d.Doc)
	}
	fmt.Fprintln(table, "\nPlant one with --target ref:defect=NUMBER or ref:defect=NAME.")
	return table.Flush()
}
