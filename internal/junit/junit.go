// Package junit writes the results of tests as JUnit XML. The elements and attributes are
// those of the schema that came with Ant and Maven and that CI systems read.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// A Report is a list of suites. The counts and times are added up by Add.
type Report struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suites []*Suite `xml:"testsuite"`
}

// A Suite is a group of cases.
type Suite struct {
	counts
	Cases []Case `xml:"testcase"`
}

type counts struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
}

// A Case is one test: it failed, was skipped, or passed.
type Case struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Time    seconds `xml:"time,attr"`
	Failure *Reason `xml:"failure,omitempty"`
	Skipped *Reason `xml:"skipped,omitempty"`
	Out     string  `xml:"system-out,omitempty"`
	Err     string  `xml:"system-err,omitempty"`
}

// A Reason says why a test failed or was skipped.
type Reason struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type seconds time.Duration

// MarshalText returns seconds with six decimals.
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.6f", time.Duration(s).Seconds()), nil
}

// New returns a report without suites.
func New(name string) *Report { return &Report{counts: counts{Name: name}} }

// Add adds a case and its duration to the suite of its class: the last suite, if it has
// that class, or a new one.
func (r *Report) Add(c Case, took time.Duration) {
	if n := len(r.Suites); n == 0 || r.Suites[n-1].Name != c.Class {
		r.Suites = append(r.Suites, &Suite{counts: counts{Name: c.Class}})
	}
	suite := r.Suites[len(r.Suites)-1]
	c.Time = seconds(took)
	suite.Cases = append(suite.Cases, c)
	suite.count(&c)
	r.count(&c)
}

func (n *counts) count(c *Case) {
	n.Tests++
	n.Time += c.Time
	if c.Failure != nil {
		n.Failures++
	}
	if c.Skipped != nil {
		n.Skipped++
	}
}

// Write writes the report as a document.
func (r *Report) Write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
