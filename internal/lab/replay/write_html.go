package replay

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"count":   grouped,
	"percent": func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) },
	"share":   func(x *float64) string { return orDash("%.1f %%", x) },
	"ratio":   func(x float64) string { return fmt.Sprintf("%.3f", x) },
	"signed":  func(x *float64) string { return orDash("%+.2f %%", x) },
}).Parse(pageText))

// orDash writes a share as percent, and a dash where there is none.
func orDash(format string, x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf(format, 100**x)
}

// WriteHTML writes a page with the table, the plots and the assumptions. It needs no
// other file and no network.
func (r *Report) WriteHTML(w io.Writer) error {
	type row struct {
		Name   string
		Colour int
		PolicyResult
	}
	var data struct {
		*Report
		Rows     []row
		Scatters []scatter
		Courses  []course
	}
	data.Report = r
	for i, name := range r.Order {
		data.Rows = append(data.Rows, row{name, i % colours, r.Policies[name]})
	}
	data.Scatters = r.scatters()
	for _, p := range r.byLength()[:min(plots, len(r.Played))] {
		data.Courses = append(data.Courses, r.course(p))
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// grouped writes a number with a comma before every three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
