package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// licences are those that the binary may contain, each with words of its text in order.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms … neither the name"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy … without restriction"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
}

// copyleft are words of licences that would bind whoever hands the binary on.
var copyleft = []string{"gnu general public license", "gnu lesser general public", "gnu affero", "mozilla public license", "eclipse public license", "server side public license", "business source license"}

// licenceOf reads the files of a module. The second result says what is wrong.
func licenceOf(text string) (name, wrong string) {
	plain := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(text, ",", ", "))), " ")
	for _, words := range copyleft {
		if strings.Contains(plain, words) {
			return "", "names the " + words
		}
	}
	for _, l := range licences {
		rest, found := plain, true
		for _, words := range strings.Split(strings.Join(strings.Fields(strings.ReplaceAll(l.words, ",", ", ")), " "), " … ") {
			_, rest, found = strings.Cut(rest, words)
			if !found {
				break
			}
		}
		if found {
			return l.name, ""
		}
	}
	return "", "is not known"
}

// TestEveryLicenceIsKnown lists the modules that the binary is made of, with their licences.
func TestEveryLicenceIsKnown(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}", "../../cmd/plimsoll").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen, counts := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || seen[fields[0]] { // ours has no version
			continue
		}
		seen[fields[0]] = true
		text := ""
		for _, pattern := range []string{"LICEN[CS]E*", "licen[cs]e*", "COPYING*"} {
			files, _ := filepath.Glob(filepath.Join(fields[2], pattern)) // the pattern is sound
			for _, name := range files {
				// A list of what a module's own tools are made of is not about the binary.
				if data, err := os.ReadFile(name); err == nil && !strings.Contains(name, "3RD-PARTY") {
					text += string(data) + "\n"
				}
			}
		}
		name, wrong := licenceOf(text)
		if wrong != "" {
			t.Errorf("the licence of %s %s %s", fields[0], fields[1], wrong)
		}
		counts[name]++
		t.Logf("%-12s %s %s", name, fields[0], fields[1])
	}
	if len(seen) < 10 {
		t.Errorf("only %d modules were found", len(seen))
	}
	t.Logf("%d modules: %v", len(seen), counts)
}

func TestALicenceThatBindsOthersIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"GNU GENERAL PUBLIC LICENSE\n Version 3": "names the gnu general public license", "Mozilla Public License Version 2.0": "names the mozilla public license", "All rights reserved.": "is not known", "": "is not known",
	} {
		if _, wrong := licenceOf(text); wrong != want {
			t.Errorf("%q: %q, want %q", text, wrong, want)
		}
	}
}
