package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// A figure is a chart in SVG. Its colours come from the style of the page, so that it suits light and dark
// pages and paper. Plotting libraries would fix the colours.
type figure struct {
	Name, Title, Note string
	Table             string // the name of the table with its numbers
	X, Y              string // titles of the axes
	LogX, LogY        bool
	Diagonal          bool
	Series            []*series
}

type series struct {
	Name   string
	Points []point
	labels []string // of the points, shown under the mouse
	Kind   kind
	Strong bool
}

type point struct{ X, Y float64 }

type kind int

const (
	steps kind = iota
	line
	dots
)

const (
	width, height                    = 640, 360
	left, right, top, bottom         = 58, 14, 12, 44
	plotWidth, plotHeight            = width - left - right, height - top - bottom
	shades                           = 8 // number of colours in page.css
	mostLabels                       = 7
	leastX                   float64 = 1e-6
)

// An axis maps numbers to coordinates.
type axis struct {
	log      bool
	from, to float64
	length   float64
}

func newAxis(values []float64, log bool, length float64) axis {
	a := axis{log: log, length: length, from: math.Inf(1), to: math.Inf(-1)}
	for _, v := range values {
		if log {
			v = max(v, leastX)
		}
		a.from, a.to = min(a.from, v), max(a.to, v)
	}
	if math.IsInf(a.from, 0) {
		a.from, a.to = 0, 1
	}
	if log {
		a.from, a.to = math.Pow(10, math.Floor(math.Log10(a.from))), math.Pow(10, math.Ceil(math.Log10(a.to)))
		if a.from == a.to {
			a.to *= 10
		}
		return a
	}
	a.from = min(a.from, 0)
	if a.to <= a.from {
		a.to = a.from + 1
	}
	step := a.step()
	a.to = math.Ceil(a.to/step) * step
	return a
}

// step returns the distance between the ticks of a linear axis: 1, 2 or 5 times a power of ten.
func (a axis) step() float64 {
	rough := (a.to - a.from) / mostLabels
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*power >= rough {
			return m * power
		}
	}
	return 10 * power
}

func (a axis) at(v float64) float64 {
	if a.log {
		return a.length * (math.Log10(max(v, leastX)) - math.Log10(a.from)) / (math.Log10(a.to) - math.Log10(a.from))
	}
	return a.length * (v - a.from) / (a.to - a.from)
}

func (a axis) ticks() (ticks []float64) {
	if a.log {
		for t := a.from; t <= a.to*1.001; t *= 10 {
			ticks = append(ticks, t)
		}
		return ticks
	}
	for i := 0.0; ; i++ {
		t := a.from + i*a.step()
		if t > a.to*1.0001 {
			return ticks
		}
		ticks = append(ticks, t)
	}
}

func (f *figure) svg() string {
	var xs, ys []float64
	for _, s := range f.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	if f.Diagonal {
		xs = append(xs, ys...)
		ys = xs
	}
	x, y := newAxis(xs, f.LogX, plotWidth), newAxis(ys, f.LogY, plotHeight)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %d %d" role="img" aria-labelledby="t-%s">`, width, height, f.Name)
	fmt.Fprintf(&out, `<title id="t-%s">%s</title>`, f.Name, html.EscapeString(f.Title))
	px := func(v float64) float64 { return left + x.at(v) }
	py := func(v float64) float64 { return top + plotHeight - y.at(v) }
	out.WriteString(`<g class="grid">`)
	for _, t := range x.ticks() {
		fmt.Fprintf(&out, `<path d="M%.1f %dV%d"/><text x="%.1f" y="%d" class="mid">%s</text>`,
			px(t), top, height-bottom, px(t), height-bottom+16, tick(t))
	}
	for _, t := range y.ticks() {
		fmt.Fprintf(&out, `<path d="M%d %.1fH%d"/><text x="%d" y="%.1f" class="end">%s</text>`,
			left, py(t), width-right, left-6, py(t)+4, tick(t))
	}
	out.WriteString(`</g>`)
	fmt.Fprintf(&out, `<text x="%d" y="%d" class="mid">%s</text>`, left+plotWidth/2, height-8, html.EscapeString(f.X))
	fmt.Fprintf(&out, `<text transform="translate(14 %d) rotate(-90)" class="mid">%s</text>`,
		top+plotHeight/2, html.EscapeString(f.Y))
	if f.Diagonal {
		fmt.Fprintf(&out, `<path class="diagonal" d="M%.1f %.1fL%.1f %.1f"/>`, px(x.from), py(x.from), px(x.to), py(x.to))
	}
	for i, s := range f.Series {
		s.draw(&out, i%shades, px, py, px(x.to))
	}
	out.WriteString(`</svg>`)
	return out.String()
}

func (s *series) draw(out *strings.Builder, shade int, px, py func(float64) float64, end float64) {
	if len(s.Points) == 0 {
		return
	}
	class := fmt.Sprintf("s%d", shade)
	if s.Strong {
		class += " strong"
	}
	if s.Kind != dots {
		var d strings.Builder
		for i, p := range s.Points {
			switch {
			case i == 0 && s.Kind == steps:
				fmt.Fprintf(&d, "M%.1f %.1fV%.1f", px(p.X), py(0), py(p.Y))
			case i == 0:
				fmt.Fprintf(&d, "M%.1f %.1f", px(p.X), py(p.Y))
			case s.Kind == steps:
				fmt.Fprintf(&d, "H%.1fV%.1f", px(p.X), py(p.Y))
			default:
				fmt.Fprintf(&d, "L%.1f %.1f", px(p.X), py(p.Y))
			}
		}
		if s.Kind == steps {
			fmt.Fprintf(&d, "H%.1f", end)
		}
		fmt.Fprintf(out, `<path class="line %s" d="%s"/>`, class, d.String())
		return
	}
	for i, p := range s.Points {
		label := s.Name
		if i < len(s.labels) {
			label = s.labels[i]
		}
		fmt.Fprintf(out, `<circle class="dot %s" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`,
			class, px(p.X), py(p.Y), html.EscapeString(label))
	}
}

func tick(v float64) string {
	if v != 0 && (math.Abs(v) >= 1e5 || math.Abs(v) < 1e-3) {
		return fmt.Sprintf("10^%d", int(math.Round(math.Log10(math.Abs(v)))))
	}
	return fmt.Sprintf("%.4g", v)
}
