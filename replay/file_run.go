package replay

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A program is one run of a file target on one formula.
type program struct {
	child
	stdout *os.File
	tree   family
	limits Limits

	end     atomic.Int32 // what it was ended for: a trace.End
	stopped atomic.Bool  // it was told to stop, as anytime solvers are
	peakKB  atomic.Uint64
}

// solveFile runs the program on a formula in the directory. The answer is nil
// when the program died or went beyond a limit; then run says how.
func (q *fileQueue) solveFile(formula *format.Formula, t *trace.Trace, run *trace.Run) (*said, error) {
	f := q.target.file
	var text bytes.Buffer
	offset, err := format.WriteFormula(&text, f.format, formula, &trace.Trace{Model: t.Model, Calls: t.Calls, Lits: t.Lits})
	if err != nil {
		return nil, err
	}
	args, file, out, onStdin := q.target.commandFor(q.dir)
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return nil, fmt.Errorf("cannot write the file for a solver: %w", err)
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, fmt.Errorf("cannot remove what the last run of a solver has written: %w", err)
	}
	p := &program{limits: *q.limits.Load()}
	if err := p.start(q.target, args, file, onStdin); err != nil {
		return nil, err
	}
	defer p.close()
	q.begun(p)
	p.guard(p.watch)
	if f.effort == anytime {
		hash := fnv.New64a()
		hash.Write(text.Bytes())
		late := time.AfterFunc(f.timeFor(hash.Sum64()), p.stop)
		defer late.Stop()
	}
	<-p.exited
	if q.isInterrupted() {
		return nil, errInterrupted
	}
	if err := p.broken(); err != nil {
		return nil, err
	}
	output := p.all(p.stdout)
	run.Usage.CPUNanos += uint64(p.state.UserTime() + p.state.SystemTime())
	run.Usage.PeakKB = max(run.Usage.PeakKB, p.peakKB.Load())
	written, err := readUpTo(out, p.limits.Output)
	if err != nil {
		return nil, err
	}
	s := &said{formula: formula, columns: columnsFor(f.format, formula)}
	f.dialect.hear(s, output, written)
	s.settle(offset)
	return p.verdict(f, s, run), nil
}

func columnsFor(f format.Format, formula *format.Formula) []int32 {
	if f == format.MPS {
		return formula.Columns()
	}
	return nil
}

// readUpTo reads a file that the program may have written.
func readUpTo(name string, limit uint64) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil // there is none, or it is something else: the dialect misses it
	}
	defer file.Close()
	if stat, err := file.Stat(); err != nil || !stat.Mode().IsRegular() {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(min(limit, math.MaxInt32))))
	if err != nil {
		return nil, fmt.Errorf("cannot read what a solver has written: %w", err)
	}
	return text, nil
}

// verdict decides whether the run ended as it should. A program that ipafuzz
// ended, or told to stop, is judged by what it had said until then.
func (p *program) verdict(f *fileTarget, s *said, run *trace.Run) *said {
	end := trace.End(p.end.Load())
	wait := p.state.Sys().(syscall.WaitStatus)
	stopped := p.stopped.Load()
	if stopped && (end != trace.Finished || wait.Signaled() && (wait.Signal() == syscall.SIGTERM || wait.Signal() == syscall.SIGKILL)) ||
		f.effort == anytime && (end == trace.OutOfTime || end == trace.OutOfCPU || end == trace.OutOfMemory) {
		if !s.hasStatus { // half a line of values is no fault then
			return &said{formula: s.formula}
		}
		end, stopped = trace.Finished, true
	} else if end != trace.Finished {
		run.End = end
	} else if wait.Signaled() {
		run.End, run.Death = deathOf(wait)
	} else {
		stopped = stopped && wait.ExitStatus() == 128+int(syscall.SIGTERM)
		p.judge(f, s, wait.ExitStatus(), stopped, run)
	}
	if run.End == trace.Finished && s.fault != "" {
		run.End, run.Death.Fault, run.Death.Output = trace.OddOutput, s.fault, s.where
	}
	if run.End != trace.Finished {
		run.Death.Stderr = p.tail(0, toTheEnd)
		return nil
	}
	if text := p.headAndTail(0, p.outputSize()); text != "" { // of stderr: stdout is the answer, in a dialect that may say anything
		run.Output = trace.Output{Text: run.Output.Text + text, Of: 1}
	}
	return s
}

// judge looks at the exit code of a program that ended by itself.
func (p *program) judge(f *fileTarget, s *said, code int, stopped bool, run *trace.Run) {
	verdict := f.exit.judge(s.status, code)
	switch {
	case stopped:
	case verdict == codeOfSignal:
		run.End, run.Death.Signal = trace.Killed, code-128
	case verdict == codeOfDeath, !s.hasStatus && s.fault == "" && verdict != codeFits:
		run.End, run.Death.ExitCode = trace.Exited, code
	case !s.hasStatus && s.fault == "" && f.effort == exact:
		s.fault, s.where = faultNoStatus, fmt.Sprintf("it ended with exit code %d and said no status", code)
	case verdict == codeContradicts && s.fault == "":
		s.fault, s.where = faultExit, fmt.Sprintf("its status is %d, its exit code %d", s.status, code)
	}
}

func (p *program) start(t *Target, args []string, file string, onStdin bool) error {
	path, err := t.lookCommand()
	if err != nil {
		return unusable(t.Name, "%v", err)
	}
	if err := p.makeOutput(); err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("ipafuzz stdout", unix.MFD_CLOEXEC)
	if err != nil {
		p.output.Close()
		return fmt.Errorf("cannot make a file for the target's output: %w", err)
	}
	p.stdout = os.NewFile(uintptr(fd), "stdout of the target")
	p.cmd = exec.Command(path, args[1:]...)
	p.cmd.Args[0], p.cmd.Dir = args[0], t.dir
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.output
	if onStdin {
		in, err := os.Open(file)
		if err != nil {
			p.output.Close()
			p.stdout.Close()
			return fmt.Errorf("cannot read the file for a solver: %w", err)
		}
		defer in.Close()
		p.cmd.Stdin = in
	}
	if err := p.launch(func() {}); err != nil {
		p.output.Close()
		p.stdout.Close()
		return unusable(t.Name, "cannot be started: %v", err)
	}
	p.tree.root = p.cmd.Process.Pid
	return nil
}

// watch enforces the limits. They are for a run of the program and not for a
// trace: a program that takes a second to start is not slow.
func (p *program) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	begun := time.Now()
	for {
		select {
		case <-p.exited:
			return
		case now := <-ticker.C:
			cpu, resident := p.tree.look()
			p.peakKB.Store(max(p.peakKB.Load(), resident>>10))
			end := trace.Finished
			switch l := &p.limits; {
			case l.Memory > 0 && resident > l.Memory:
				end = trace.OutOfMemory
			case l.Output > 0 && p.size(p.stdout)+p.size(p.output) > l.Output:
				end = trace.OutOfOutput
			case l.Wall > 0 && now.Sub(begun) > l.Wall:
				end = trace.OutOfTime
			case l.CPU > 0 && cpu > l.CPU:
				end = trace.OutOfCPU
			}
			if end != trace.Finished {
				p.end.CompareAndSwap(int32(trace.Finished), int32(end))
				p.kill()
				return
			}
		}
	}
}

// stop tells an anytime solver that its time is over.
func (p *program) stop() {
	p.ending.Lock()
	if p.reaped {
		p.ending.Unlock()
		return
	}
	p.stopped.Store(true)
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	p.ending.Unlock()
	select {
	case <-p.exited:
	case <-time.After(stopGrace):
		p.kill()
	}
}

func (p *program) size(file *os.File) uint64 {
	stat, err := file.Stat()
	if err != nil {
		return 0
	}
	return uint64(stat.Size())
}

// all returns what was written, up to the output limit.
func (p *program) all(file *os.File) []byte {
	size := p.size(file)
	if p.limits.Output > 0 {
		size = min(size, p.limits.Output)
	}
	text := make([]byte, size)
	n, _ := file.ReadAt(text, 0)
	return text[:n]
}

// close frees what belongs to the run, which has ended.
func (p *program) close() {
	p.closing.Do(func() {
		p.kill()
		<-p.exited
		p.watched.Wait()
		p.output.Close()
		p.stdout.Close()
	})
}
