//go:build !slim

package remote

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// program is a program to deliver.
type program struct {
	file string
	data []byte
}

// maxProgram bounds what is read as a program, in bytes.
const maxProgram = 256 << 20

// errNoProgram says that there is no program for the far host.
var errNoProgram = errors.New("no unchoke for it")

// findProgram finds the program for a platform: what the user named, or the
// running one where it fits.
func findProgram(o Options, system, architecture string) (program, error) {
	if o.FarBinary != "" {
		return namedProgram(o.FarBinary, system, architecture)
	}
	if system != runtime.GOOS || architecture != runtime.GOARCH {
		return program{}, fmt.Errorf("%w: this one is built for %s-%s", errNoProgram, runtime.GOOS, runtime.GOARCH)
	}
	file := o.Self
	if file == "" {
		var err error
		if file, err = os.Executable(); err != nil {
			return program{}, fmt.Errorf("find the running program: %w", err)
		}
	}
	return readProgram(file, system, architecture)
}

// namedProgram takes a file, or a directory's unchoke-SYSTEM-ARCHITECTURE.
func namedProgram(name, system, architecture string) (program, error) {
	info, err := os.Stat(name)
	if err != nil {
		return program{}, fmt.Errorf("program for the far host: %w", err)
	}
	if !info.IsDir() {
		return readProgram(name, system, architecture)
	}
	file := filepath.Join(name, "unchoke-"+system+"-"+architecture)
	p, err := readProgram(file, system, architecture)
	if errors.Is(err, fs.ErrNotExist) {
		return program{}, fmt.Errorf("%w: there is no %s", errNoProgram, file)
	}
	return p, err
}

func readProgram(file, system, architecture string) (program, error) {
	f, err := os.Open(file)
	if err != nil {
		return program{}, fmt.Errorf("program for the far host: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxProgram {
		return program{}, fmt.Errorf("program for the far host: %s is not a program", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return program{}, fmt.Errorf("program for the far host: %w", err)
	}
	if err := fits(data, system, architecture); err != nil {
		return program{}, fmt.Errorf("program for the far host: %s: %w", file, err)
	}
	return program{file, data}, nil
}

// machines are ELF's names of architectures: e_machine, bits and byte order.
var machines = map[string]struct {
	machine elf.Machine
	class   elf.Class
	order   elf.Data
}{
	"386":      {elf.EM_386, elf.ELFCLASS32, elf.ELFDATA2LSB},
	"amd64":    {elf.EM_X86_64, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"arm":      {elf.EM_ARM, elf.ELFCLASS32, elf.ELFDATA2LSB},
	"arm64":    {elf.EM_AARCH64, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"loong64":  {elf.EM_LOONGARCH, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"mips":     {elf.EM_MIPS, elf.ELFCLASS32, elf.ELFDATA2MSB},
	"mips64":   {elf.EM_MIPS, elf.ELFCLASS64, elf.ELFDATA2MSB},
	"mips64le": {elf.EM_MIPS, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"mipsle":   {elf.EM_MIPS, elf.ELFCLASS32, elf.ELFDATA2LSB},
	"ppc64le":  {elf.EM_PPC64, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"riscv64":  {elf.EM_RISCV, elf.ELFCLASS64, elf.ELFDATA2LSB},
	"s390x":    {elf.EM_S390, elf.ELFCLASS64, elf.ELFDATA2MSB},
}

// fits refuses a program that is built for something else, as far as its header
// tells: of other systems than Linux and the BSDs it is tried there.
func fits(data []byte, system, architecture string) error {
	if system == "darwin" {
		return nil
	}
	if len(data) < 20 || !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return fmt.Errorf("it is no program of %s", system)
	}
	want, known := machines[architecture]
	if !known {
		return nil
	}
	order := elf.Data(data[elf.EI_DATA])
	var machine elf.Machine
	if order == elf.ELFDATA2MSB {
		machine = elf.Machine(binary.BigEndian.Uint16(data[18:]))
	} else {
		machine = elf.Machine(binary.LittleEndian.Uint16(data[18:]))
	}
	if machine != want.machine || elf.Class(data[elf.EI_CLASS]) != want.class || order != want.order {
		return fmt.Errorf("it is not built for %s-%s", system, architecture)
	}
	return nil
}

// parcel is a program as it is sent.
type parcel struct {
	data []byte
	form string // of data: gzip or plain
	sum  string // SHA-256 of the program, hexadecimal
	need int    // KiB that it takes there, with what is sent
}

func (p program) pack(compressed bool) (parcel, error) {
	sum := sha256.Sum256(p.data)
	out := parcel{data: p.data, form: "plain", sum: hex.EncodeToString(sum[:])}
	if compressed {
		var b bytes.Buffer
		// Fast: on most paths a better one takes longer than it saves.
		z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err != nil {
			return out, err
		}
		if _, err := z.Write(p.data); err != nil {
			return out, err
		}
		if err := z.Close(); err != nil {
			return out, err
		}
		out.data, out.form = b.Bytes(), "gzip"
	}
	out.need = (len(p.data)+len(out.data))>>10 + 64
	return out, nil
}
