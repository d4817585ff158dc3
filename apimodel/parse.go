package apimodel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a description. It may come from a library that has bugs, so everything in it is
// limited.
const (
	MaxDescription = 1 << 20 // bytes of a description
	maxLine        = 4096    // bytes of a line before its comment
	maxDoc         = 1024    // bytes that are kept of a comment
	maxWord        = 256     // bytes of a name or a value
	maxOptions     = 2000
	maxExclusions  = 2000
	maxTogether    = 16 // number of settings in one exclusion
)

// ParseDescription reads the text form of a description:
//
//	# a comment; at the end of an option line it is the option's documentation
//	model NAME
//	lacks CAPABILITY
//	option NAME bool DEFAULT [when=start|anytime]  start, the default: before any other call
//	option NAME int MIN MAX DEFAULT [when=...]
//	option NAME real MIN MAX DEFAULT [when=...]
//	option NAME choice A|B|C DEFAULT [when=...] [checks=VALUE]
//	fixed NAME ...                      like option, but only the user sets it
//	exclude NAME=VALUE NAME=VALUE ...   these must not hold together
//	policy NAME=VALUE
//	max-vars N                          a bound of all traces, those of conform too; also max-calls, max-weight, max-sum
func ParseDescription(text string) (*Description, error) {
	if len(text) > MaxDescription {
		return nil, fmt.Errorf("description: %d bytes, more than the %d that are read", len(text), MaxDescription)
	}
	d := &Description{}
	var excludedAt []int
	number := 0
	for line := range strings.Lines(text) {
		number++
		before := len(d.Exclusions)
		if err := d.parseLine(line); err != nil {
			return nil, fmt.Errorf("description: line %d: %w", number, err)
		}
		if len(d.Exclusions) > before {
			excludedAt = append(excludedAt, number)
		}
	}
	for i, exclusion := range d.Exclusions { // options may follow the exclusions that name them
		if err := d.checkExclusion(exclusion); err != nil {
			return nil, fmt.Errorf("description: line %d: %w", excludedAt[i], err)
		}
	}
	return d, nil
}

func (d *Description) parseLine(line string) error {
	statement, comment, _ := strings.Cut(line, "#")
	if len(statement) > maxLine {
		return fmt.Errorf("longer than %d bytes", maxLine)
	}
	words := strings.Fields(statement)
	if len(words) == 0 {
		return nil
	}
	for _, word := range words {
		if err := checkWord(word); err != nil {
			return err
		}
	}
	args := words[1:]
	switch words[0] {
	case "model":
		return d.parseModel(args)
	case "lacks":
		return d.parseLacks(args)
	case "option", "fixed":
		return d.parseOption(words[0] == "fixed", args, comment)
	case "exclude":
		return d.parseExclude(args)
	case "policy":
		return d.parsePolicy(args)
	}
	if known, err := d.parseBound(words[0], args); known {
		return err
	}
	return fmt.Errorf("unknown word %s; a line begins with model, lacks, option, fixed, exclude, policy, "+
		"max-vars, max-calls, max-weight or max-sum", quote(words[0]))
}

// checkWord refuses words that the text of a trace or a C string cannot hold. Each of the
// choices in a word with '|' has a limit of its own.
func checkWord(word string) error {
	if len(word) > maxWord && !strings.Contains(word, "|") {
		return fmt.Errorf("%s is longer than %d bytes", quote(word), maxWord)
	}
	if !utf8.ValidString(word) {
		return fmt.Errorf("%s is not UTF-8", quote(word))
	}
	for _, r := range word {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%s holds the unprintable character %U", quote(word), r)
		}
	}
	return nil
}

func (d *Description) parseModel(args []string) error {
	if len(args) != 1 {
		return errors.New("want: model NAME")
	}
	if ByName(args[0]) == nil {
		return fmt.Errorf("unknown model %s", quote(args[0]))
	}
	return addNew(&d.Models, "model", args[0])
}

func (d *Description) parseLacks(args []string) error {
	if len(args) != 1 {
		return errors.New("want: lacks CAPABILITY")
	}
	if CapabilityNamed(args[0]) == nil {
		return fmt.Errorf("unknown capability %s; the capabilities are %s", quote(args[0]),
			strings.Join(CapabilityNames(), ", "))
	}
	return addNew(&d.Lacks, "capability", args[0])
}

func addNew(list *[]string, what, name string) error {
	if slices.Contains(*list, name) {
		return fmt.Errorf("%s %s is named twice", what, name)
	}
	*list = append(*list, name)
	return nil
}

func (d *Description) parseOption(fixed bool, args []string, comment string) error {
	if len(d.Options) == maxOptions {
		return fmt.Errorf("more than %d options", maxOptions)
	}
	o := Option{Fixed: fixed, Doc: cleanDoc(comment)}
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "checks=") {
		o.Checks, args = strings.TrimPrefix(args[n-1], "checks="), args[:n-1]
		if o.Checks == "" {
			return errors.New("want: checks=VALUE")
		}
	}
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "when=") {
		switch args[n-1] {
		case "when=start":
			o.When = WhenStart
		case "when=anytime":
			o.When = Anytime
		default:
			return fmt.Errorf("%s: an option is set when=start or when=anytime", quote(args[n-1]))
		}
		args = args[:n-1]
	}
	if len(args) < 3 {
		return errors.New("want: option NAME KIND ... DEFAULT")
	}
	if strings.HasPrefix(args[len(args)-1], "when=") {
		return errors.New("when= stands twice")
	}
	o.Name = args[0]
	if strings.Contains(o.Name, "=") {
		return fmt.Errorf("the name %s holds '='", quote(o.Name))
	}
	if d.Option(o.Name) != nil {
		return fmt.Errorf("option %s is described twice", o.Name)
	}
	if err := o.parseKind(args[1], args[2:]); err != nil {
		return err
	}
	if err := o.Accepts(o.Default); err != nil {
		return fmt.Errorf("the default is out of range: %w", err)
	}
	if err := o.acceptsChecks(); err != nil {
		return err
	}
	d.Options = append(d.Options, o)
	return nil
}

// acceptsChecks returns an error if the value of checks= makes no sense.
func (o *Option) acceptsChecks() error {
	if o.Checks == "" {
		return nil
	}
	if o.Fixed || o.Same(o.Checks, o.Default) {
		return fmt.Errorf("option %s: checks= is for a value that generators set and that is not the default", o.Name)
	}
	return o.Accepts(o.Checks)
}

func (o *Option) parseKind(kind string, args []string) error {
	o.Default = args[len(args)-1]
	bounds := args[:len(args)-1]
	wrong := func(form string) error { return fmt.Errorf("want: option %s %s", o.Name, form) }
	switch kind {
	case "bool":
		o.Kind = Bool
		if len(bounds) != 0 {
			return wrong("bool DEFAULT")
		}
	case "int":
		o.Kind = Int
		if len(bounds) != 2 {
			return wrong("int MIN MAX DEFAULT")
		}
		var errMin, errMax error
		o.Min, errMin = strconv.ParseInt(bounds[0], 10, 64)
		o.Max, errMax = strconv.ParseInt(bounds[1], 10, 64)
		if errMin != nil || errMax != nil {
			return fmt.Errorf("option %s: MIN and MAX are integers from -2^63 to 2^63-1", o.Name)
		}
		if o.Min > o.Max {
			return fmt.Errorf("option %s: MIN %d is above MAX %d", o.Name, o.Min, o.Max)
		}
	case "real":
		o.Kind = Real
		if len(bounds) != 2 {
			return wrong("real MIN MAX DEFAULT")
		}
		var okMin, okMax bool
		o.MinReal, okMin = parseReal(bounds[0])
		o.MaxReal, okMax = parseReal(bounds[1])
		if !okMin || !okMax {
			return fmt.Errorf("option %s: MIN and MAX are finite decimal numbers", o.Name)
		}
		if o.MinReal > o.MaxReal {
			return fmt.Errorf("option %s: MIN %s is above MAX %s", o.Name, bounds[0], bounds[1])
		}
	case "choice":
		o.Kind = Choice
		if len(bounds) != 1 {
			return wrong("choice A|B|C DEFAULT")
		}
		for choice := range strings.SplitSeq(bounds[0], "|") {
			if choice == "" || len(choice) > maxWord {
				return fmt.Errorf("option %s: a choice is empty or longer than %d bytes", o.Name, maxWord)
			}
			if err := addNew(&o.Choices, "choice", choice); err != nil {
				return fmt.Errorf("option %s: %w", o.Name, err)
			}
		}
	default:
		return fmt.Errorf("option %s: unknown kind %s; the kinds are bool, int, real and choice", o.Name, quote(kind))
	}
	return nil
}

// cleanDoc turns a comment into one printable line. Parsing that line gives the same text.
func cleanDoc(comment string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, comment)
	doc := strings.Join(strings.Fields(printable), " ")
	if len(doc) > maxDoc {
		doc = strings.TrimSpace(strings.ToValidUTF8(doc[:maxDoc], ""))
	}
	return doc
}

func (d *Description) parseExclude(args []string) error {
	if len(args) < 2 || len(args) > maxTogether {
		return fmt.Errorf("want: exclude NAME=VALUE NAME=VALUE ..., 2 to %d of them", maxTogether)
	}
	if len(d.Exclusions) == maxExclusions {
		return fmt.Errorf("more than %d exclusions", maxExclusions)
	}
	var exclusion Exclusion
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%s is not of the form NAME=VALUE", quote(arg))
		}
		for _, s := range exclusion {
			if s.Name == name {
				return fmt.Errorf("option %s stands twice in one exclusion: that can never hold", name)
			}
		}
		exclusion = append(exclusion, Setting{name, value})
	}
	d.Exclusions = append(d.Exclusions, exclusion)
	return nil
}

func (d *Description) checkExclusion(exclusion Exclusion) error {
	for _, s := range exclusion {
		o := d.Option(s.Name)
		if o == nil {
			return fmt.Errorf("the exclusion names %s, which is not an option", quote(s.Name))
		}
		if err := o.Accepts(s.Value); err != nil {
			return err
		}
	}
	if d.holds(exclusion, nil) {
		return fmt.Errorf("the defaults themselves are excluded: %s", exclusion)
	}
	return nil
}

func (d *Description) parsePolicy(args []string) error {
	if len(args) != 1 {
		return errors.New("want: policy NAME=VALUE")
	}
	name, value, ok := strings.Cut(args[0], "=")
	if !ok {
		return errors.New("want: policy NAME=VALUE")
	}
	if err := CheckPolicy(name, value); err != nil {
		return err
	}
	if _, twice := d.Policies[name]; twice {
		return fmt.Errorf("policy %s is set twice", name)
	}
	if d.Policies == nil {
		d.Policies = make(map[string]string)
	}
	d.Policies[name] = value
	return nil
}
