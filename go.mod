module github.com/ipafuzz/ipafuzz

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/alecthomas/kong v1.17.0
	github.com/mitchellh/go-ps v1.0.0
	github.com/prometheus/procfs v0.23.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)
