# On a Debian or Ubuntu machine with Go, git and make, `make demo` and
# `make test` do everything; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

PREFIX  ?= /usr/local
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

UNCHOKE := bin/unchoke
TOOL    := go tool -modfile=tools/go.mod

# The platforms that must build beside this one, as GOOS/GOARCH.
PLATFORMS := darwin/amd64 windows/amd64 linux/arm64 linux/mipsle

# How long each fuzz target runs in `make fuzz`.
FUZZTIME ?= 10s

.DEFAULT_GOAL := help

##@ Using it

.PHONY: demo
demo: lab ## run the whole workflow on a slow lab path: check it, predict what helps, prove it, fix it, check again
	@scripts/demo $(CURDIR)/$(UNCHOKE)

# Functions begin at multiples of 8 bytes in place of 32: a hundredth smaller. Shapes of
# generic types have a hash for a name: 100 KB less.
.PHONY: build
build: ## build bin/unchoke, static
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -gcflags all=-d=maxshapelen=40 -ldflags '-s -w -funcalign=8 -X unchoke/cmd/unchoke/internal/cli.version=$(VERSION)' -o $(UNCHOKE) ./cmd/unchoke

# The slim build for routers: what each takes beside GOOS=linux. Without inlining
# it is a fourteenth smaller, and what it computes is little.
# Routers' kernels for mipsle have pages of 4 or 16 KiB: segments that begin at a
# multiple of the latter, and not of 64 KiB, leave out a sixtieth of padding. The
# garbage collector of Go 1.25 is smaller than the one for many cores. A threshold
# of 0 leaves out the code that keeps short slices of a length known at run time on
# the stack, and shapes of generic types with a hash for a name leave out theirs: 20 KB
# each.
SLIM := mipsle:GOARCH=mipsle,GOMIPS=softfloat armv5:GOARCH=arm,GOARM=5 armv7:GOARCH=arm,GOARM=7 arm64:GOARCH=arm64
SLIM_BUILD := GOEXPERIMENT=nogreenteagc go build -tags slim -gcflags 'all=-l -d=variablemakethreshold=0,maxshapelen=40' -trimpath -buildvcs=false
SLIM_MOST := 6000000

.PHONY: slim
slim: ## build bin/slim/unchoke-ARCH for routers: check, serve, watch and record, without the lab, pages, tune and near ends over SSH
	@mkdir -p bin/slim
	@for build in $(SLIM); do \
		env CGO_ENABLED=0 GOOS=linux $$(tr , ' ' <<<"$${build#*:}") $(SLIM_BUILD) \
			-ldflags "-s -w $$(case $$build in mipsle:*) echo -R 0x4000;; esac) -X unchoke/cmd/unchoke/internal/cli.version=$(VERSION)" -o bin/slim/unchoke-$${build%%:*} ./cmd/unchoke; \
	done

.PHONY: lab
lab: requirements-lab build ## build the lab kernel where there is none
	@$(UNCHOKE) lab kernel info >/dev/null 2>&1 || \
		{ echo 'unchoke: building the lab kernel, this once; it takes some minutes'; $(UNCHOKE) lab kernel build; }

.PHONY: transfers
transfers:
	@scripts/requirements transfers

.PHONY: requirements-lab
requirements-lab: ## install what the demo and the lab kernel's build need
	@scripts/requirements lab

.PHONY: requirements
requirements: ## install what the tests need as well
	@scripts/requirements

.PHONY: tailnet
tailnet: ## build Tailscale for the tests of real networks, into the user's cache
	@scripts/tailnet

.PHONY: ansible-core
ansible-core: ## fetch ansible-core for the tests of the collection, pinned, into the user's cache
	@scripts/ansible >/dev/null

.PHONY: ansible
ansible: ansible-core ## build the Ansible collection into out/ansible
	@mkdir -p out/ansible
	@"$$(scripts/ansible)/ansible-galaxy" collection build --force --output-path out/ansible ansible

.PHONY: completion
completion: build ## write the shells' completion scripts into out/completion
	@mkdir -p out/completion
	@for shell in bash zsh fish powershell; do $(UNCHOKE) completion $$shell > out/completion/unchoke.$$shell; done

.PHONY: install
install: build completion ## install under PREFIX (/usr/local), DESTDIR before it
	install -D -m 755 $(UNCHOKE) $(DESTDIR)$(PREFIX)/bin/unchoke
	install -D -m 644 out/completion/unchoke.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/unchoke
	install -D -m 644 out/completion/unchoke.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_unchoke
	install -D -m 644 out/completion/unchoke.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/unchoke.fish

##@ Releasing it

.PHONY: packages
packages: requirements ## build deb, rpm, apk and tar.gz for all targets, and the lab kernel's, into out/packages
	@go run ./internal/tools/packages -out out/packages -kernel
	@cat out/packages/SHA256SUMS

.PHONY: test-packages
test-packages: requirements ## build packages twice, install, upgrade, remove and purge them on booted Debian 12 and 13, and with rpm; takes root
	@go test ./internal/tools/packages -count=1 -timeout=60m -v -run '^TestLong' -long

.PHONY: bench-packages
bench-packages: requirements ## how long it takes on a fresh Debian, booted and not, from the packages of out/packages to a verdict; takes root
	@test -e out/packages/SHA256SUMS || $(MAKE) --no-print-directory packages
	@scripts/fresh-debian out/packages
	@go run ./internal/tools/fresh -packages out/packages

.PHONY: docs
docs: build ## make the documentation and the manual pages into out/site, and check every link in it
	@go run ./internal/tools/site -mdbook "$$(scripts/mdbook)" -unchoke $(UNCHOKE) -out out/site

##@ Working on it

.PHONY: check
check: lint ## the developer's gate, in seconds: format, vet, staticcheck, quick tests, other platforms
	@go test -short ./...
	@$(MAKE) --no-print-directory cross

# What tests longest begins first, so that no core waits for it at the end.
LONGEST := ./internal/tools/tailscale ./cmd/unchoke ./internal/lab/conformance ./internal/tools/cpubound

# What only computes starts no goroutine: the race detector finds nothing there,
# and makes its tests several times slower, and each of their programs a second's
# link longer. None of these reaches a package that starts one in a test.
PURE := compare|diagnose|finding|fleet|flow|hint|lab/(analysis|preset|reference|sweep/(grid|language))|live/(livetest|table|tape)|ls|path|probe/load
PURE := $(PURE)|record|report/(check|compare|fleet|manual|predict|render|rendertest|vantage|watch)|state|stats|theory
PURE := $(PURE)|tools/(diagnosis/draw|schema|sensitivity)|tune/(disk|ledger|sysctld)|twin|unit|vantage|words
RACING = $$(go list ./... | grep -vxE 'unchoke/internal/($(PURE))(/.*)?' | tr '\n' ' ')

.PHONY: test-ansible
test-ansible: requirements ## the Ansible collection: units, sanity, lint, and playbooks on five hosts with sshd; takes root
	@scripts/test-ansible

# Tests often wait, for real time or for one lab machine: three packages at a time
# keep two cores busy. Lint has vetted them. A program with the race detector waits
# at its end for the races of what still runs, a second unless told otherwise: tests
# start hundreds of them.
.PHONY: test
test: requirements lab tailnet ansible-core lint cross ## all tests: the gate, the race detector, the lab
	@go run ./internal/tools/testrun \
		"CGO_ENABLED=1 GORACE=atexit_sleep_ms=100 -p=3 -vet=off -race -short -count=1 $(LONGEST) $(RACING)" \
		'CGO_ENABLED=0 -p=3 -vet=off -count=1 -timeout=15m $(LONGEST) ./...' \
		'CGO_ENABLED=0 -tags slim -count=1 ./internal/pack ./internal/tunnel'

.PHONY: lint
lint: ## gofumpt, go vet, staticcheck, go fix
	@unformatted=$$($(TOOL) gofumpt -l .); \
	if [ -n "$$unformatted" ]; then echo "not as gofumpt writes it:"; echo "$$unformatted"; exit 1; fi
	@go vet ./...
	@$(TOOL) staticcheck ./...
	@go fix -diff ./...

.PHONY: fmt
fmt: ## format the code as lint wants it
	@$(TOOL) gofumpt -w .

# Go list compiles every package and links none: of the programs only unchoke is.
# Trimmed paths let one clone use what another has compiled.
CROSS := CGO_ENABLED=0 GOMIPS=softfloat GOFLAGS='-trimpath -buildvcs=false'

.PHONY: cross
cross: ## build for the other platforms
	@for platform in $(PLATFORMS); do \
		export $(CROSS) GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		go list -export ./... >/dev/null && go build -o /dev/null ./cmd/unchoke || { echo "does not build for $$platform"; exit 1; }; \
	done
	@$(CROSS) GOOS=linux GOARCH=mipsle go build -tags slim -o /dev/null ./cmd/unchoke || { echo "the slim build does not build"; exit 1; }

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (10s)
	@go list -f '{{$$dir := .Dir}}{{range .TestGoFiles}}{{$$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$dir}}/{{.}} {{end}}' ./... \
	| xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' \
	| while IFS=: read -r file target; do \
		go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")"; \
	done

.PHONY: clean
clean: ## remove what was built; the lab kernel stays in the user's cache
	rm -rf bin out

##@ Figures

.PHONY: bench
bench: bench-binary bench-slim bench-lab-exec bench-check bench-iperf3 bench-cpu bench-vantage bench-watch bench-diagnosis bench-live bench-live-places bench-flow bench-live-cliff bench-tailscale bench-articles bench-ab bench-lab ## print all figures

STOPWATCH := go run ./internal/tools/stopwatch

.PHONY: bench-binary
bench-binary: build ## the binary's size: 20 MB was the aim before it had a terminal, a page and an exporter
	@stat --format '$(UNCHOKE): %s bytes, limit 24000000' $(UNCHOKE)
	@test "$$(stat --format %s $(UNCHOKE))" -lt 24000000

# A router has 64 MB of memory; the Go runtime is told so, as its owner would.
.PHONY: bench-slim
bench-slim: requirements lab slim ## the slim build's size for each router, and the memory of its check of a 100 Mbit/s path, of 64 MB
	@stat --format '%n: %s bytes, limit $(SLIM_MOST)' bin/slim/unchoke-*
	@for file in bin/slim/unchoke-*; do test "$$(stat --format %s $$file)" -le $(SLIM_MOST); done
	@CGO_ENABLED=0 $(SLIM_BUILD) -o bin/slim-here ./cmd/unchoke
	@CGO_ENABLED=0 go build -buildvcs=false -o bin/stopwatch ./internal/tools/stopwatch
	@$(UNCHOKE) lab exec --path rtt=20ms,rate=100mbit --far 'iperf3 -s' -- \
		env GOMEMLIMIT=48MiB $(CURDIR)/bin/stopwatch -name 'slim check' -runs 1 -most-memory 64MiB $(CURDIR)/bin/slim-here check far

.PHONY: bench-lab-exec
bench-lab-exec: requirements lab ## how long the lab takes to start and end
	@$(STOPWATCH) -name 'lab exec -- true' -runs 9 -limit 600ms $(UNCHOKE) lab exec --path rtt=50ms -- true

.PHONY: bench-lab
bench-lab: bench-lab-speed bench-lab-agreement ## the lab's experiments: how fast, and how they agree

# The last line of each run has the factor.
.PHONY: bench-lab-speed
bench-lab-speed: requirements lab ## how much faster than real time the lab passes the article's 1640 runs, and bulk traffic
	@rm -rf out/lab/article out/lab/bulk
	@for sweep in article internal/tools/agreement/bulk.yaml; do \
		$(UNCHOKE) lab run $$sweep --out out/lab/$$(basename $$sweep .yaml); \
	done

# A sweep that was stopped goes on where it was.
.PHONY: bench-lab-agreement
bench-lab-agreement: requirements lab ## the article's 1640 runs and long bulk transfers, beside the article and theory
	@$(UNCHOKE) lab run article --out out/lab/article
	@$(UNCHOKE) lab run internal/tools/agreement/loss.yaml --out out/lab/loss
	@$(UNCHOKE) lab run internal/tools/agreement/theory.yaml --out out/lab/theory
	@go run ./internal/tools/agreement -unchoke $(UNCHOKE) out/lab/loss
	@go run ./internal/tools/agreement -unchoke $(UNCHOKE) out/lab/article out/lab/theory

# The inner stopwatch runs in the lab: its seconds are the path's.
.PHONY: bench-check
bench-check: requirements lab ## how long a check of a 100 Mbit/s path takes, and its memory
	@$(STOPWATCH) -name 'check of a 100 Mbit/s path' -runs 5 -limit 5s \
		$(UNCHOKE) lab exec --path rtt=20ms,rate=100mbit --far 'iperf3 -s' -- $(CURDIR)/$(UNCHOKE) check far
	@CGO_ENABLED=0 go build -buildvcs=false -o bin/stopwatch ./internal/tools/stopwatch
	@$(UNCHOKE) lab exec --path rtt=20ms,rate=100mbit --far 'iperf3 -s' -- \
		$(CURDIR)/bin/stopwatch -name 'its path time' -runs 1 $(CURDIR)/$(UNCHOKE) check far

.PHONY: bench-iperf3
bench-iperf3: requirements ## package iperf3 beside stock iperf3: rates, CPU seconds a gigabyte
	@go test ./iperf3 -run '^TestBench$$' -count=1 -v -bench-pairs 5

.PHONY: bench-cpu
bench-cpu: requirements build ## ten ceilings of a tunnel program's processor time, beside stock iperf3, and ten checks without one; takes root
	@go run ./internal/tools/cpubound -unchoke $(UNCHOKE) -most 0.15

.PHONY: bench-vantage
bench-vantage: requirements lab ## eleven topologies, ten of them with a cause in a known place: where comparisons of places find it; takes root
	@CGO_ENABLED=0 go build -buildvcs=false -o bin/vantage ./internal/tools/vantage
	@bin/vantage -unchoke $(UNCHOKE)

.PHONY: bench-fleet
bench-fleet: build ansible-core ## 50 hosts with sshd, 6 of them broken, one slower, 20 killed rollouts, and fleet plan beside ansible -m setup; HOSTS=12 KILLS=3 for fewer; stopped, it goes on where it was; takes root
	@CGO_ENABLED=0 go build -buildvcs=false -o bin/fleet ./internal/tools/fleet
	@bin/fleet -unchoke $(UNCHOKE) -hosts $(or $(HOSTS),50) -kills $(or $(KILLS),20) -save out/fleet -ansible "$$(scripts/ansible)/ansible"

.PHONY: bench-watch
bench-watch: requirements ## what it costs to watch 10,000 connections, beside ss, and whether short ones are missed; takes root
	@go run ./internal/tools/watching

# Outcomes are kept below out/diagnosis: a run that was stopped goes on there,
# and `-replay` diagnoses its records again. Publish draws nobody has looked at.
DRAW      ?= 1
DIAGNOSIS := go run ./internal/tools/diagnosis

.PHONY: bench-tailscale
bench-tailscale: requirements lab tailnet ## 40 real Tailscale networks: who carries the packets, and the verdict
	@go run ./internal/tools/tailscale -unchoke $(UNCHOKE)

.PHONY: bench-diagnosis
bench-diagnosis: bench-diagnosis-single bench-diagnosis-double ## how often a check is right, its truth by stock iperf3 without what impairs the path; DRAW=SEED

.PHONY: bench-diagnosis-single
bench-diagnosis-single: requirements lab ## 250 lab paths with one impairment each
	@$(DIAGNOSIS) -unchoke $(UNCHOKE) -draw $(DRAW) -n 250 -save out/diagnosis/single \
		-least-paths 250 -least 0.95 -least-cause 0.85 -most-sure-wrong 0.02 -least-sure 0.9 -most-miscalibrated 0.05

.PHONY: bench-diagnosis-double
bench-diagnosis-double: requirements lab ## 100 lab paths with two impairments each
	@$(DIAGNOSIS) -unchoke $(UNCHOKE) -draw $(DRAW) -n 100 -double -save out/diagnosis/double \
		-least-paths 100 -least 0.85 -least-both 0.8

.PHONY: bench-diagnosis-places
bench-diagnosis-places: requirements lab ## 64 lab paths of the other hand, by where users are
	@$(DIAGNOSIS) -unchoke $(UNCHOKE) -hand places -draw $(DRAW) -n 64 -save out/diagnosis/places \
		-least-paths 64 -least 0.95 -most-sure-wrong 0.02

PATHS ?= internal/tools/diagnosis/paths/engineer.json

.PHONY: bench-diagnosis-written
bench-diagnosis-written: requirements lab ## the lab paths that a file lists, yours or those that an engineer wrote down; PATHS=FILE
	@$(DIAGNOSIS) -unchoke $(UNCHOKE) -paths $(PATHS) -draw $(DRAW) -seconds 15 -save out/diagnosis/$(basename $(notdir $(PATHS)))

.PHONY: bench-ssh
bench-ssh: requirements lab ## verdicts of checks over SSH on 60 lab paths whose far end has nothing but sshd; DRAW=SEED
	@go run ./internal/tools/diagnosis -unchoke $(UNCHOKE) -draw $(DRAW) -n 60 -save out/ssh -ssh -least-paths 60 -least 0.97

.PHONY: bench-sessions
bench-sessions: requirements ## 100 checks over SSH ended at random moments: ^C, near, ssh or far killed, link down; what is left
	@go test ./cmd/unchoke -run '^TestNothingIsLeft$$' -count=1 -v -timeout 60m -ssh-sessions 100

.PHONY: bench-tune-far
bench-tune-far: ## tune on a far Debian that is booted, over its sshd: the link cut, the power cut, confirmed and reverted; makes an image once
	@go test ./cmd/unchoke -run '^TestLongTuneOnABootedHost$$' -count=1 -v -timeout 20m -long

.PHONY: bench-live
bench-live: requirements lab ## verdicts of watch on flows of real programs on 80 lab paths, from both ends; DRAW=SEED
	@go run ./internal/tools/live -unchoke $(UNCHOKE) -draw $(DRAW) -n 80 -save out/live -truths out/diagnosis/single \
		-least-paths 80 -least-sending 0.9 -least-receiving 0.75 -most-false 0.001

.PHONY: bench-live-places
bench-live-places: lab transfers ## the same on 80 paths of the other hand, with curl from nginx, rsync over ssh, ffmpeg and iperf3; DRAW=SEED
	@go run ./internal/tools/live -unchoke $(UNCHOKE) -hand places -transfers -draw $(DRAW) -n 80 -save out/live-places \
		-least-paths 80 -least-sending 0.9 -least-receiving 0.75 -most-false 0.001

.PHONY: bench-flow
bench-flow: lab transfers ## verdicts of check --flow on transfers of curl, rsync, ffmpeg and iperf3 on 60 lab paths, from both ends, by what iperf3 and what each transfer gains, and what a look costs the program; DRAW=SEED
	@go run ./internal/tools/live -unchoke $(UNCHOKE) -attach -own -draw $(DRAW) -n 60 -save out/flow -truths out/diagnosis/single \
		-least-paths 60 -least-sending 0.92 -least-receiving 0.8
	@go run ./internal/tools/live -unchoke $(UNCHOKE) -cost 10

.PHONY: bench-live-cliff
bench-live-cliff: requirements lab ## the chaos zone's warning on the grid of the preset jitter-cliff
	@go run ./internal/tools/live -unchoke $(UNCHOKE) -cliff -n 3 -least-precision 0.9 -least-recall 0.9 -most-false 0.001

.PHONY: bench-url
bench-url: requirements lab ## verdicts of checks of a URL on 40 lab paths against nginx, Caddy and a program that paces; DRAW=SEED
	@go run ./internal/tools/fetching -unchoke $(UNCHOKE) -draw $(DRAW) -n 40 -save out/url/$(DRAW) -least 0.9 -most-wrong 0.05

.PHONY: bench-predict
bench-predict: requirements lab ## what predict says of 40 lab paths beside what stock iperf3 carries there; DRAW=SEED
	@go run ./internal/tools/prediction -unchoke $(UNCHOKE) -draw $(DRAW) -n 40 -save out/prediction/$(DRAW) \
		-least-rates 0.85 -least-gains 0.9 -least-held 0.9

KEPT ?= out/diagnosis/single

.PHONY: bench-roundtrip
bench-roundtrip: ## how often the intervals of a fit hold the lab path's own parameters, of checks that bench-diagnosis kept; KEPT="DIR…"
	@go run ./internal/tools/roundtrip -least 0.9 $(KEPT)

RECORDS ?= internal/diagnose/testdata

.PHONY: bench-sensitivity
bench-sensitivity: ## which verdicts of recorded checks turn where a threshold of the diagnosis changes by ± 30 %; RECORDS=DIR
	@go run ./internal/tools/sensitivity -records $(RECORDS)

.PHONY: bench-articles
bench-articles: requirements lab ## what articles reported, measured again in the lab, and the page loads of one
	@go run ./internal/tools/articles -unchoke $(UNCHOKE) -pages -published docs/articles.md

.PHONY: bench-articles-predict
bench-articles-predict: requirements lab ## what a check alone predicts for the articles' paths, beside what they reported
	@go run ./internal/tools/articles -unchoke $(UNCHOKE) -predict

.PHONY: bench-ab
bench-ab: requirements lab ## how often a comparison errs: simulated, then 600 in the lab of known truth
	@go run ./internal/tools/comparison -simulated 1000 -published docs/comparison.md
	@go run ./internal/tools/comparison -unchoke $(UNCHOKE) -same 400 -different 200 -max-blocks 20

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
