# stopover: everything one types. The work is done by CMake (CMakePresets.json) and by scripts/.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30
export JOBS FUZZ_SECONDS

.DEFAULT_GOAL := help
.PHONY: help help-all deps extras build demo browser python-env test wheel wheels python deb image test-image test-wheels test-arm test-reproducible prove prove-hygiene prove-serve
.PHONY: bench bench-accuracy bench-cells bench-coverage bench-limits bench-page bench-serve test-spark test-sources results audit mutants asan tsan
.PHONY: fuzz tidy format coverage install clean site test-site r test-r test-qgis

# One # more before what a target does: it is shown by help-all alone.
help: ### the everyday targets
	@awk -F ':.*[^#]## ' '/^[a-z-]+:.*[^#]## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

help-all: ## every target
	@awk -F ':.*##+ ' '/^[a-z-]+:.*##+ /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what is missing (packages, DuckDB's library)
	@scripts/install-deps
	@scripts/get-duckdb

extras: deps ### install also what asan, tsan, tidy, fuzz, coverage need
	@scripts/install-deps --extras

build: deps ## build/release/stopover, stopover-lab and the tests
	@scripts/build release

demo: deps ## a synthetic city, its release and a picture, in out/demo
	@scripts/build release stopover-demo
	@scripts/demo out/demo

browser: deps ### install what the page's tests need: Chromium
	@scripts/install-deps --browser

python-env: deps ### the Python environment of the tests, in .deps/
	@scripts/python-env

test: browser python-env build ## all tests but the long ones
	@ctest --preset release -j $(JOBS)

wheel: python-env ## wheels for this kind of machine that need nothing, in out/
	@scripts/install-deps --packaging
	@scripts/wheel

wheels: python-env ### the same for x86-64 and aarch64
	@scripts/install-deps --packaging
	@scripts/wheel x86_64 aarch64

python: wheel ### the old name of wheel

test-wheels: ### the wheels of out/ in clean environments of every Python that is found, from 3.10 on
	@scripts/test-wheels

deb: deps ### Debian packages stopover, python3-stopover, libstopover-dev, in out/
	@scripts/install-deps --packaging
	@scripts/deb

test-arm: deps ### the suite under qemu, cross-compiled for aarch64 (no browsers, no benchmarks)
	@scripts/install-deps --packaging
	@scripts/test-aarch64

test-reproducible: python-env ### two builds in two folders, compared byte for byte, in build/twice (40 minutes of processor time)
	@scripts/install-deps --packaging
	@scripts/test-reproducible build/twice

test-image: image ### the image as a chroot, as its own user (needs root)
	@scripts/test-image

image: deps ### an OCI image as a tar file, in out/
	@scripts/install-deps --packaging
	@scripts/image

prove: build ## the long privacy proofs: replay, exhaustive, audit
	@ctest --preset prove -j $(JOBS)

bench: build ## speed: noise, mechanisms, queries
	@scripts/bench

bench-accuracy: build ### errors beside daf-entropy's and the peers' (long)
	@scripts/bench-accuracy

bench-coverage: build ### how often intervals hold, by kind of questions
	@scripts/bench-coverage

bench-limits: build ### how near to what theory allows: docs/internals/limits.md (an hour)
	@scripts/bench-limits

bench-serve: build ### box questions per second over HTTP (installs wrk)
	@scripts/bench-serve

bench-page: browser build ### how soon the explorer's page shows and follows the hand
	@scripts/bench-page

prove-hygiene: build ### file modes, leftovers after signals, core limits, full disks; as root also as a plain user
	@scripts/prove-hygiene

prove-serve: build ### the server under slow, broken and long load (15 minutes; installs wrk)
	@scripts/prove-serve

test-spark: build ### Spark's cells against DuckDB's, its counts against the kernel's own (installs pyspark)
	@scripts/test-spark

test-sources: build ### the same release from memory, files and Spark with 1e6 and 1e7 trips (half an hour)
	@scripts/test-sources

results: build ### every mechanism on every data set: docs/internals/results.md (an hour)
	@scripts/results

bench-cells: build ### cells of ROWS (10000000) trips against DuckDB's grouping
	@scripts/bench-cells

audit: build ### black-box audit of every mechanism
	@scripts/audit

mutants: build ### break the privacy code on purpose: the tests must notice
	@scripts/mutants

asan: extras ## the tests under address and undefined sanitizers
	@scripts/build asan
	@ctest --preset asan -j $(JOBS)

tsan: extras ### the tests under the thread sanitizer
	@scripts/get-tsan-tbb
	@scripts/build tsan
	@ctest --preset tsan -j $(JOBS)

fuzz: extras ## FUZZ_SECONDS (30) of fuzzing for each parser
	@scripts/fuzz

tidy: extras ## clang-tidy over the sources
	@scripts/tidy

format: extras ## clang-format over the C++ sources, prettier over the page's, in place
	@git ls-files '*.h' '*.cc' | xargs clang-format-19 -i
	@npx --yes prettier@3.9.10 --print-width 120 --log-level warn --write $$(git ls-files '*.ts' '*.tsx' '*.mjs')

coverage: extras ### line coverage, build/coverage/report.txt
	@scripts/coverage

site: deps python-env ### the guide as a site of static pages, with search and the live demo, in out/site
	@scripts/build release stopover
	@scripts/site out/site build/release/stopover

test-site: browser site ### the site in headless Chromium: search, colours, a phone, accessibility
	@node tests/site/browser_test.mjs out/site web

r: build ### the R package as a source package, in out/ (r/README.md)
	@scripts/r-package build

test-r: build ### R CMD check of the R package, and its digits against the command line's (needs R)
	@scripts/r-package check

test-qgis: build ### the QGIS plugin in a headless QGIS (needs QGIS)
	@scripts/test-qgis

install: build ## into PREFIX (/usr/local): programs, library, headers
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/ and out/ (keeps .deps/)
	@rm -rf build out
