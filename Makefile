# The common jobs. Two of them set up a fresh Debian 12 machine by themselves:
#   make demo     build, record a bundled parallel program, print its report and write its page
#   make test     build, and run the gate: the tests whose verdict is right on any machine
# The rest:
#   make          build into build/, binaries in build/bin
#   make demo-metrics  build, and measure metrics described in a text file, and MPI messages, on programs as they are
#   make demo-ring  four hosts on this machine, an MPI program on them, and all of it live and recorded (network namespaces)
#   make touched  build, and run those tests of the gate that the change since main can break; it says what it leaves out
#   make test-statistics  what live runs must show: findings, shares, times; each decided by several runs, on a calm machine (hours; ONLY=REGEX for some, LEFT=1 to go on)
#   make test-nightly     the gate's tests in all modes, the long ones, the address sanitizer, the fuzz drivers' inputs (an hour)
#   make test-guests  Debian's own programs at real jobs under Kymo: the same output and status, and what it costs (ten minutes)
#   make bench    benchmarks, with the peers beside
#   make check    formatting, commit subjects, clang-tidy, forbidden includes
#   make format   format our sources in place
#   make sanitize address + undefined behaviour, then thread sanitizer: build and test
#   make fuzz     every fuzz driver for FUZZ_SECONDS seconds each (default 10)
#   make install  into PREFIX (default /usr/local); DESTDIR is honoured
#   make package  Debian packages and a tarball, into build/
#   make clean

BUILD        ?= build
PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 10
# Tests share the machine: two at a time on small machines, never more than there are processors.
JOBS         ?= $(shell nproc)
DEMO_OUTPUT  ?=

.DEFAULT_GOAL := build
.PHONY: build configured demo demo-metrics demo-ring test touched test-statistics test-nightly test-guests bench format check sanitize fuzz install package clean

build: configured
	cmake --build $(BUILD)

configured:
	scripts/configure $(BUILD)

demo:
	scripts/setup demo
	$(MAKE) --no-print-directory configured
	cmake --build $(BUILD) --target kymo kymo_monitor kymo-demo
	scripts/demo $(BUILD) $(DEMO_OUTPUT)

demo-metrics:
	scripts/setup build
	$(MAKE) --no-print-directory configured
	cmake --build $(BUILD) --target kymo kymo_monitor kymo-exchange
	if cmake --build $(BUILD) --target help | grep -q kymo-halo; then cmake --build $(BUILD) --target kymo_mpi kymo-halo; fi
	scripts/demo-metrics $(BUILD)

demo-ring:
	scripts/setup ring
	$(MAKE) --no-print-directory configured
	cmake --build $(BUILD) --target kymo kymo_monitor
	if cmake --build $(BUILD) --target help | grep -q kymo-halo; then cmake --build $(BUILD) --target kymo_mpi kymo-halo; fi
	if cmake --build $(BUILD) --target help | grep -q kymo_ring_channels; then cmake --build $(BUILD) --target kymo_ring_channels; fi
	scripts/demo-ring $(BUILD) $(DEMO_OUTPUT)

test:
	scripts/setup test
	$(MAKE) --no-print-directory build
	scripts/run-tests $(BUILD) gate -j $(JOBS)

touched:
	$(MAKE) --no-print-directory configured
	scripts/touched $(BUILD) $(BASE)

test-statistics:
	scripts/setup test
	$(MAKE) --no-print-directory build
	python3 tests/statistics/judge.py $(BUILD) $(if $(ONLY),--only '$(ONLY)') $(if $(LEFT),--left)

test-nightly:
	scripts/setup test
	$(MAKE) --no-print-directory build
	cmake --build $(BUILD) --target fuzz_drivers
	scripts/configure $(BUILD)/asan --preset guest-asan
	cmake --build $(BUILD)/asan --target tests/unit/all
	scripts/run-tests $(BUILD) nightly -j $(JOBS)

test-guests:
	scripts/setup bench
	$(MAKE) --no-print-directory build
	python3 tests/strangers/run.py $(BUILD)

bench:
	scripts/setup bench
	$(MAKE) --no-print-directory build
	cmake --build $(BUILD) --target bench/all generate_job
	scripts/bench $(BUILD)

format:
	scripts/setup tools
	scripts/format

check:
	scripts/setup tools
	$(MAKE) --no-print-directory build
	scripts/format --check
	scripts/check-subjects
	scripts/tidy $(BUILD)
	ctest --test-dir $(BUILD) --output-on-failure --no-label-summary -L layers

sanitize:
	scripts/setup test
	scripts/sanitize asan $(JOBS)
	scripts/sanitize tsan $(JOBS)

fuzz:
	scripts/setup tools
	scripts/fuzz $(FUZZ_SECONDS)

# The time in the packages is the commit's, so that whoever builds it gets the same bytes.
package:
	scripts/setup package
	$(MAKE) --no-print-directory configured
	cmake --build $(BUILD) --target packaged
	cd $(BUILD) && SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)} cpack

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) build-debug build-asan build-tsan build-fuzz
