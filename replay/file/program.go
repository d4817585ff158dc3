package file

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A program is one run of a file target on one formula.
type program struct {
	process.Child
	stdout  *os.File
	tree    process.Family
	limits  replay.Limits
	closing sync.Once
	// mostFiles limits the bytes of the files in its directory, that of the formula among them; 0 is no limit.
	mostFiles uint64

	end     atomic.Int32 // why the watchdog ended the process: a trace.End
	stopped atomic.Bool  // ipafuzz told it to stop, as it tells anytime solvers
	peakKB  atomic.Uint64
}

// solveFile runs the program on a formula, in the directory of the queue. The result is nil if
// the run failed; run.End then says how.
func (q *queue) solveFile(formula *format.Formula, t *trace.Trace, run *trace.Run) (*result, error) {
	text, offset, err := q.driver.text(formula, t)
	if err != nil {
		return nil, err
	}
	c := q.driver.command(q.target, q.dir)
	if err := process.Empty(q.dir); err != nil {
		return nil, fmt.Errorf("cannot remove the files of a solver's last run: %w", err)
	}
	if err := os.WriteFile(c.file, text, 0o644); err != nil {
		return nil, fmt.Errorf("cannot write the file for a solver: %w", err)
	}
	p := &program{limits: *q.limits.Load()}
	stopAfter := q.driver.allowStop(text, &p.limits)
	if p.limits.Output > 0 {
		p.mostFiles = process.FilesPerOutput*p.limits.Output + uint64(len(text))
	}
	if q.driver.proof != "" && p.mostFiles > 0 {
		p.mostFiles += mostProof
	}
	p.Fixed, p.Uncontained, p.Yields = p.limits.Fixed, p.limits.Uncontained || q.target.Uncontained, p.limits.Yields
	if _, err := p.ContainIn(q.dir); err != nil {
		return nil, err
	}
	p.OnViolation = func(string) { p.end.CompareAndSwap(int32(trace.Finished), int32(trace.Trespassed)) }
	if err := p.start(q.target, c); err != nil {
		return nil, err
	}
	defer p.close()
	q.begun(p)
	p.Guard(p.watch)
	if q.driver.effort == anytime {
		late := time.AfterFunc(stopAfter, p.stop)
		defer late.Stop()
	}
	<-p.Exited
	if q.isInterrupted() {
		return nil, replay.ErrInterrupted
	}
	if err := p.Broken(); err != nil {
		return nil, err
	}
	if p.limits.Output > 0 && p.printed() > p.limits.Output { // it ended before the watchdog's next look
		p.end.CompareAndSwap(int32(trace.Finished), int32(trace.OutOfOutput))
	}
	output := p.answer()
	run.Usage.CPUNanos += uint64(p.CPU())
	run.Usage.PeakKB = max(run.Usage.PeakKB, p.peakKB.Load())
	written, err := readUpTo(c.out, p.limits.Output)
	if err != nil {
		return nil, err
	}
	if q.driver.dialect.ofOut && !c.hasOut {
		output, written = nil, output
	}
	r := &result{formula: formula, columns: columnsFor(q.driver.format, formula)}
	q.driver.dialect.read(r, output, written)
	r.settle(offset)
	q.driver.unread.note(r)
	r = p.verdict(q.driver, r, run)
	if r == nil || !q.driver.proves(r) {
		return r, nil
	}
	proof, err := readProof(c.proof)
	proof.Call, proof.Format = formula.Call, q.driver.proof
	if proof.Format == trace.VeriPB {
		proof.Formula, proof.Extension, proof.Offset = text, q.driver.extension(), offset
		proof.Stated = r.statedCosts()
	}
	run.Proofs = append(run.Proofs, proof)
	return r, err
}

// text returns the file for a program: the one that the trace was read from or, if its calls have changed or there is
// none in the format, one that is made from the calls. The cost is the objective value of the file plus the offset.
func (f *driver) text(formula *format.Formula, t *trace.Trace) (text []byte, offset uint64, err error) {
	if given := t.Given(string(f.format)); given != nil {
		return given, 0, nil
	}
	var made bytes.Buffer
	calls := &trace.Trace{Model: t.Model, Calls: t.Calls, Lits: t.Lits}
	offset, err = format.WriteFormula(&made, f.format, formula, calls)
	return made.Bytes(), offset, err
}

func columnsFor(f format.Format, formula *format.Formula) []int32 {
	if f == format.MPS {
		return formula.Columns()
	}
	return nil
}

// readUpTo reads at most limit bytes of a file that the program may have written.
func readUpTo(name string, limit uint64) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil // there is no such file: the dialect will report that the answer is missing
	}
	defer file.Close()
	if stat, err := file.Stat(); err != nil || !stat.Mode().IsRegular() {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(min(limit, math.MaxInt32))))
	if err != nil {
		return nil, fmt.Errorf("cannot read the output file of a solver: %w", err)
	}
	return text, nil
}

// verdict decides whether the run ended as it should. It returns nil if the run failed. If
// ipafuzz cut the run short, the output until then counts.
func (p *program) verdict(d *driver, r *result, run *trace.Run) *result {
	end := trace.End(p.end.Load())
	wait := p.Status()
	switch {
	case p.cutShort(d, end, wait):
		if !r.hasStatus { // the output may end in the middle of a line, which is not a fault
			return &result{formula: r.formula}
		}
		if r.fault == faultTooFew {
			r.fault = ""
		}
	case end != trace.Finished:
		run.End, run.Death.Output = end, p.Violation()
	case wait.Signaled():
		run.End, run.Death = process.Death(wait)
	case !p.stopped.Load() || wait.ExitStatus() != 128+int(syscall.SIGTERM):
		judgeExit(d, r, wait.ExitStatus(), run)
	}
	if run.End == trace.Finished && r.fault != "" {
		run.End, run.Death.Fault, run.Death.Output = trace.OddOutput, r.fault, r.where
	}
	if run.End != trace.Finished {
		run.Death.Stderr = p.Explain(0)
		return nil
	}
	// Of stdout only errors count as output: it is the answer, and dialects allow any other lines there.
	if text := p.HeadAndTail(0, p.OutputSize()) + string(p.errorLines()); text != "" {
		run.Output = trace.Output{Text: run.Output.Text + text, Of: 1}
	}
	return r
}

// mostErrors bounds the bytes of errorLines.
const mostErrors = 4 << 10

// errorLines returns the first lines of stdout that may state an error. The oracle decides whether they do.
func (p *program) errorLines() (found []byte) {
	for line := range bytes.Lines(p.answer()) {
		if len(found)+len(line) <= mostErrors && mayStateError.Match(line) {
			found = append(append(found, bytes.TrimRight(line, "\n")...), '\n')
		}
	}
	return found
}

var mayStateError = regexp.MustCompile(`(?i)error|exception|assert|abort|fatal|panic`)

// cutShort reports whether the program ended because ipafuzz told it to stop, or because an
// anytime solver reached a limit. Neither is a failure of the target.
func (p *program) cutShort(d *driver, end trace.End, wait syscall.WaitStatus) bool {
	if d.effort == anytime && (end == trace.OutOfTime || end == trace.OutOfCPU || end == trace.OutOfMemory) {
		return true
	}
	obeyed := wait.Signaled() && (wait.Signal() == syscall.SIGTERM || wait.Signal() == syscall.SIGKILL)
	return p.stopped.Load() && (end != trace.Finished || obeyed)
}

// judgeExit checks the exit code of a program that ended by itself.
func judgeExit(d *driver, s *result, code int, run *trace.Run) {
	d.exit.answers(s, code)
	verdict := d.exit.judge(s.status, code)
	switch {
	case verdict == codeOfSignal:
		run.End, run.Death.Signal = trace.Killed, code-128
	case verdict == codeOfDeath, !s.hasStatus && s.fault == "" && verdict != codeFits:
		run.End, run.Death.ExitCode = trace.Exited, code
	case !s.hasStatus && s.fault == "" && d.effort == exact:
		s.fault = faultNoStatus
		s.where = fmt.Sprintf("it ended with exit code %d and printed no status%s", code, s.missing(d.dialect))
	case verdict == codeContradicts && s.fault == "":
		s.fault, s.where = faultExit, fmt.Sprintf("its status is %d, its exit code %d", s.status, code)
	}
}

func (p *program) start(t *replay.Target, c command) error {
	path, err := t.Program()
	if err != nil {
		return replay.Unusable(t.Name, "%v", err)
	}
	if err := p.MakeOutput(); err != nil {
		return err
	}
	if p.stdout, err = process.MemoryFile("stdout"); err != nil {
		p.Output.Close()
		return err
	}
	p.Cmd = exec.Command(path, c.args[1:]...)
	p.Cmd.Args[0], p.Cmd.Dir = c.args[0], t.Dir
	p.Cmd.Stdout, p.Cmd.Stderr = p.stdout, p.Output
	p.Ward.CPU = process.LastResort(p.limits.CPU)
	p.Ward.SharedMemory = p.limits.Memory
	if c.onStdin {
		in, err := os.Open(c.file)
		if err != nil {
			p.Output.Close()
			p.stdout.Close()
			return fmt.Errorf("cannot read the file for a solver: %w", err)
		}
		defer in.Close()
		p.Cmd.Stdin = in
	}
	if err := p.Launch(func() {}); err != nil {
		p.Output.Close()
		p.stdout.Close()
		return replay.Unusable(t.Name, "cannot be started: %v", err)
	}
	p.tree.Warden = p.Cmd.Process.Pid
	return nil
}

// watch enforces the limits. They bound each run of the program, not the whole trace: a program
// may take a second just to start.
func (p *program) watch() {
	ticker := time.NewTicker(process.WatchInterval)
	defer ticker.Stop()
	var clock process.WatchClock
	var wall process.WallLimit
	files := process.DirWatch{Dir: p.Ward.Directory}
	begun := clock.Now()
	for {
		select {
		case <-p.Exited:
			return
		case <-ticker.C:
			moment := clock.Now() // read it before the look, which takes time
			cpu, resident := p.tree.Look()
			p.peakKB.Store(max(p.peakKB.Load(), resident>>10))
			end := trace.Finished
			switch l := &p.limits; {
			case l.Memory > 0 && resident > l.Memory:
				end = trace.OutOfMemory
			case l.Output > 0 && p.printed() > l.Output, files.Exceeds(p.mostFiles):
				end = trace.OutOfOutput
			case wall.Exceeded(moment.Sub(begun), l.Wall, p.tree.Processes()...):
				end = trace.OutOfTime
			case l.CPU > 0 && cpu > l.CPU:
				end = trace.OutOfCPU
			}
			if end != trace.Finished {
				p.end.CompareAndSwap(int32(trace.Finished), int32(end))
				p.Kill()
				return
			}
		}
	}
}

// stop tells an anytime solver to stop, and ends it if it does not.
func (p *program) stop() {
	p.Signal(syscall.SIGTERM, func() { p.stopped.Store(true) })
	select {
	case <-p.Exited:
	case <-time.After(stopGrace):
		p.Kill()
	}
}

// printed returns how many bytes the program has printed.
func (p *program) printed() uint64 { return uint64(process.Size(p.stdout) + p.OutputSize()) }

// answer returns the program's stdout, up to the output limit.
func (p *program) answer() []byte {
	size := uint64(process.Size(p.stdout))
	if p.limits.Output > 0 {
		size = min(size, p.limits.Output)
	}
	text := make([]byte, size)
	n, _ := p.stdout.ReadAt(text, 0)
	return text[:n]
}

// close ends the process and frees its resources.
func (p *program) close() {
	p.closing.Do(func() {
		p.Kill()
		<-p.Exited
		p.AwaitGuards()
		p.Output.Close()
		p.stdout.Close()
	})
}
