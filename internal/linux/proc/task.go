package proc

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/ls"
)

// Task is a process, or one thread of it.
type Task struct {
	ID     int
	Name   string        // at most 15 bytes
	Parent int           // the process that made it
	Kernel bool          // a thread of the kernel's
	Time   time.Duration // on a core, since it began; of a process all its threads'
	Core   int           // on which it ran last
	// Waited is how long it was ready to run while its core ran something else;
	// of a thread alone, and 0 where the kernel does not tell.
	Waited time.Duration
}

// Fields of /proc/PID/stat after the name, which may hold anything
// (proc_pid_stat(5)).
const (
	fieldParent    = 1
	fieldFlags     = 6
	fieldUser      = 11
	fieldSystem    = 12
	fieldProcessor = 36
)

// pfKthread marks a kernel thread (PF_KTHREAD, linux/sched.h).
const pfKthread = 0x0020_0000

// Processes lists all that can be seen. Those that end meanwhile are left out.
func Processes(tree fs.FS) ([]Task, error) {
	return tasks(tree, ".")
}

// Threads lists a process's threads. Their times are exact where the kernel
// keeps them so (schedstat), else counted in hundredths of a second.
func Threads(tree fs.FS, pid int) ([]Task, error) {
	dir := strconv.Itoa(pid) + "/task"
	all, err := tasks(tree, dir)
	for i, t := range all {
		text, err := fs.ReadFile(tree, fmt.Sprintf("%s/%d/schedstat", dir, t.ID))
		if err != nil {
			continue
		}
		words := strings.Fields(string(text))
		if len(words) < 2 {
			continue
		}
		run, err1 := strconv.ParseInt(words[0], 10, 64) // nanoseconds
		wait, err2 := strconv.ParseInt(words[1], 10, 64)
		if err1 == nil && err2 == nil && run > 0 {
			all[i].Time, all[i].Waited = time.Duration(run), time.Duration(wait)
		}
	}
	return all, err
}

func tasks(tree fs.FS, dir string) ([]Task, error) {
	entries, err := ls.Dir(tree, dir)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	out := make([]Task, 0, len(entries))
	for _, e := range entries {
		if name := e.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		file := e.Name() + "/stat"
		if dir != "." {
			file = dir + "/" + file
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			continue // it has ended
		}
		t, err := parseTask(string(text))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func parseTask(text string) (Task, error) {
	// PID (NAME) STATE …: a name may hold spaces and brackets.
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Task{}, errMalformed
	}
	id, err := strconv.Atoi(strings.TrimSpace(text[:open]))
	if err != nil {
		return Task{}, errMalformed
	}
	t := Task{ID: id, Name: text[open+1 : end]}
	fields := strings.Fields(text[end+1:])
	if len(fields) <= fieldProcessor {
		return Task{}, errMalformed
	}
	number := func(i int) (n int64) {
		v, e := strconv.ParseInt(fields[i], 10, 64)
		if e != nil {
			err = errMalformed
		}
		return v
	}
	t.Parent = int(number(fieldParent))
	t.Kernel = number(fieldFlags)&pfKthread != 0
	t.Time = time.Duration(number(fieldUser)+number(fieldSystem)) * tick
	t.Core = int(number(fieldProcessor))
	return t, err
}
