package replay_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/direct"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/native"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/replay/pipe/serve"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// The test binary is also the runners that the tests of pipe targets start:
// TEST-BINARY runner NAME.

const runnerWord = "runner"

func runnerSpec(name string) string { return pipe.Prefix + os.Args[0] + " " + runnerWord + " " + name }

// servesPrefix begins the name of a runner that serves a library for IPASIR, whose path follows.
const servesPrefix = "serves-"

func serveLibrary(target *replay.Target) {
	table, err := native.Load(target)
	if err != nil {
		panic(err)
	}
	r := serve.Runner{Library: direct.New(table), Model: target.Model.Name}
	if err := r.Serve(os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
}

func beRunner(name string) {
	if path, ok := strings.CutPrefix(name, servesPrefix); ok {
		target, err := targets.Resolve(path, "ipasir", nil)
		if err != nil {
			panic(err)
		}
		serveLibrary(target)
		return
	}
	switch name {
	case "serve-ipasir", "serve-ipamir", "serve-qbf":
		m := apimodel.ByName(strings.TrimPrefix(name, "serve-"))
		serveLibrary(&replay.Target{Kind: replay.BuiltIn, Model: m})
	case "spin":
		spin()
	case "eat":
		eat()
	case "sleep":
		time.Sleep(time.Hour)
	case "starts-one":
		p := process.Child{Cmd: exec.Command("/proc/self/exe", runnerWord, "sleep")}
		if err := p.Launch(func() {}); err != nil {
			panic(err)
		}
		fmt.Println(p.PID)
		<-p.Exited
	default:
		if text, ok := hellos[name]; ok {
			fmt.Print(text)
			os.Stderr.WriteString("from the runner\n")
			if strings.HasSuffix(name, "and-waits") {
				time.Sleep(time.Hour)
			}
			return
		}
		misbehave(name)
	}
}

// hellos are runners that say something wrong, and end.
var hellos = map[string]string{
	"silent":              "",
	"version-2":           "ipafuzz-runner 2\nmodel ipamir\nready\n",
	"solver":              "c a solver, not a runner\ns UNKNOWN\n",
	"solver-and-waits":    "c a solver, not a runner\n",
	"cut-off":             "ipafuzz-runner 1\nmodel ipamir\n",
	"no-model":            "ipafuzz-runner 1\nlacks learn\nready\n",
	"unknown-model":       "ipafuzz-runner 1\nmodel pb\nready\n",
	"bad-option":          "ipafuzz-runner 1\nmodel ipamir\noption level int 1 x 3\nready\n",
	"binary":              "\x7fELF\x02\x00\x00\x00\n",
	"endless":             "ipafuzz-runner 1\n" + strings.Repeat("# more\n", (apimodel.MaxDescription+4096)/5),
	"long-line":           strings.Repeat("x", 1<<20),
	"healthy-in-its-word": "ipafuzz-runner 1\r\nmodel ipasir\r\nready\r\n",
}

func spin() {
	for n := uint64(1); n != 0; {
		n += 2
	}
}

var eaten [][]byte

func eat() {
	for range 100 {
		block := make([]byte, 32<<20)
		for i := range block {
			block[i] = 1
		}
		eaten = append(eaten, block)
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(time.Hour)
}

func startSelf(name string, attributes *syscall.SysProcAttr, inherit bool) {
	cmd := exec.Command("/proc/self/exe", runnerWord, name)
	cmd.SysProcAttr = attributes
	if inherit {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// misbehave serves traces without a solver. Once it has been given the clause
// 666 it does at the next solve what its name says.
func misbehave(name string) {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	fmt.Fprint(out, "ipafuzz-runner 1\nmodel ipasir\nmodel ipamir\nsignature calm\nlacks options\n")
	if name == "repeatable" {
		fmt.Fprintln(out, "repeatable")
	}
	fmt.Fprintln(out, "ready")
	provoked, thrown, traces := false, false, 0
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		fields := strings.Fields(line)
		answer := "="
		switch fields[0] {
		case "ipafuzz":
			if traces++; strings.HasPrefix(name, "throws") {
				provoked, thrown = false, false
			}
		case "end":
			answer = "end"
			if name == "ends-after-a-trace" {
				fmt.Fprintln(out, answer)
				out.Flush()
				return
			}
		case "hard":
			provoked = provoked || fields[1] == "666"
			switch {
			case !provoked:
			case name == "dies-unflushed":
				os.Stderr.WriteString("cannot take it\n")
				os.Exit(7)
			case name == "answers-more-than-nothing":
				answer = "= 10"
			case name == "lacks-clauses":
				answer = "= ?"
			}
		case "solve":
			answer = "= 30"
			if provoked {
				answer = provoke(name, out)
			}
		case "obj":
			answer = "= 7"
			if name == "repeatable" {
				answer = fmt.Sprint("= ", traces)
			}
		case "model":
			answer = "= 2 -1 99"
			if provoked && name == "contradicts-itself" {
				answer = "= 1 -2 -1"
			}
		}
		if answer == "" {
			continue
		}
		if thrown && answer != "end" {
			answer = "= ?"
		}
		thrown = thrown || strings.HasPrefix(answer, "threw")
		fmt.Fprintln(out, answer)
		if provoked && name == "late" {
			time.Sleep(20 * time.Millisecond)
			out.Flush()
		}
	}
}

// provoke returns the answer to solve, if it comes to that.
func provoke(name string, out *bufio.Writer) string {
	stderr := func(text string) { os.Stderr.WriteString(text) }
	switch name {
	case "throws":
		return `threw "java.lang.NullPointerException\x0a\tat org.x.Y.f(Y.java:12)"`
	case "throws-badly":
		return "threw up"
	case "exits":
		out.Flush()
		stderr("assertion failed\n")
		os.Exit(7)
	case "ends":
		out.Flush()
		os.Exit(0)
	case "killed":
		out.Flush()
		stderr("about to fall\n")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "partial-line":
		fmt.Fprint(out, "= 3")
		out.Flush()
		os.Exit(7)
	case "partial-line-and-hang":
		fmt.Fprint(out, "= 3")
		out.Flush()
		time.Sleep(time.Hour)
	case "hangs":
		out.Flush()
		time.Sleep(time.Hour)
	case "spins":
		out.Flush()
		spin()
	case "child-spins":
		out.Flush()
		startSelf("spin", nil, false)
		time.Sleep(time.Hour)
	case "child-eats":
		out.Flush()
		startSelf("eat", nil, false)
		time.Sleep(time.Hour)
	case "leaves-child":
		out.Flush()
		startSelf("sleep", &syscall.SysProcAttr{Setsid: true}, true)
		os.Exit(7)
	case "closes-stdout":
		out.Flush()
		syscall.Close(1)
		time.Sleep(time.Hour)
	case "ends-slowly": // as on a busy machine
		out.Flush()
		syscall.Close(1)
		for begun := time.Now(); time.Since(begun) < 2*time.Second; {
		}
		os.Exit(7)
	case "closes-both":
		out.Flush()
		syscall.Close(0)
		syscall.Close(1)
		time.Sleep(time.Hour)
	case "floods-stderr":
		out.Flush()
		block := strings.Repeat("no end\n", 1000)
		for {
			stderr(block)
		}
	case "floods-line":
		block := strings.Repeat("= 30 ", 1000)
		for {
			out.WriteString(block)
		}
	case "floods-lines":
		for {
			out.WriteString("= 30\n")
		}
	case "says":
		stderr("ERROR: wrong\n")
	case "garbage":
		return "c restarts: 3"
	case "blank-lines":
		return "\n= 30"
	case "no-number":
		return "= SATISFIABLE"
	case "too-large":
		return "= 99999999999"
	case "trailing":
		return "= 30 and more"
	case "withholds":
		return "= -"
	case "lacks-solve":
		return "= ?"
	case "nul":
		return "= 3\x000"
	case "answers-twice":
		return "= 30\n= 30"
	case "answers-not":
		return ""
	case "ends-early":
		return "end"
	case "odd-status":
		return "= 77"
	case "with-effort":
		return "= 30 nanos=5 polls=3 polls-after-stop=2 learned=1 too-long=0 others-polls=2 others-learned=0 # a comment"
	case "bad-effort":
		return "= 30 polls=many"
	}
	return "= 30"
}
