package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// commits measures the messages of the commits in dir, or of those that the revision since does not contain.
func commits(dir, since string) ([]figure, error) {
	revisions := "HEAD"
	if since != "" {
		revisions = since + "..HEAD"
	}
	lines, err := git(dir, "log", "--format=%s%x00%b%x01", revisions)
	if err != nil {
		return nil, err
	}
	all, long, bodies := 0, 0, 0
	for _, message := range strings.Split(strings.Join(lines, "\n"), "\x01") {
		subject, body, ok := strings.Cut(strings.TrimPrefix(message, "\n"), "\x00")
		if !ok {
			continue
		}
		all++
		if utf8.RuneCountInString(subject) > maxSubject {
			long++
		}
		if strings.TrimSpace(body) != "" {
			bodies++
		}
	}
	return []figure{
		{fmt.Sprintf("commit subjects over %d characters", maxSubject), share(long, all)},
		{"commits with a body", share(bodies, all)},
	}, nil
}
