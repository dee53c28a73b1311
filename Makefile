# One word for each thing that people do here; `make` alone lists them. The work itself is in
# CMakePresets.json (what is built how), tools/ and .ci/run.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE ?= cmake
CTEST ?= ctest
WHEEL_PYTHON ?= .venv/bin/python
PYTHON_PACKAGE := .venv/sheaf-package

# Sources of the Python package: it is built again when one of them is newer.
PACKAGE_SOURCES = $(shell find include src cli cmake python CMakeLists.txt pyproject.toml \
                    README.md -type f -not -path '*/tests/*' -not -name '*.pyc' 2>/dev/null)
# The package has the library and the command, which are not compiled once more where there is a
# build of them.
BUILT = $(wildcard build/release/build.ninja)
PACKAGE_PARTS = $(if $(BUILT),-C cmake.define.SHEAF_BUILD_CLI=OFF \
                  -C cmake.define.SHEAF_COMMAND=$(abspath build/release/sheaf) \
                  -C cmake.define.SHEAF_LIBRARY=$(abspath build/release/libsheaf.a))
PYTHON_FOLDERS := bench examples python testdata tests tools
CXX_FILES = $(shell find include src cli python examples bench fuzz tests \
              -name '*.h' -o -name '*.cc')

.DEFAULT_GOAL := help
.PHONY: help demo test build wheel sdist docs setup setup-ci setup-docs python check-python bench \
        bench-stages bench-setup format check-format tidy clang-tidy clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup  ## train on real data, in C++ and in Python (sets up the machine first)
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(CMAKE) --build --preset release -j $(JOBS) --target sheaf_cli train_digits
	@$(MAKE) --no-print-directory python
	bash tools/demo.sh

test: build  ## build, and run every test (sets up the machine first)
	$(CTEST) --preset release -j $(JOBS)
	@$(MAKE) --no-print-directory check-python

build: setup  ## build everything optimised; the command line is build/release/sheaf
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(CMAKE) --build --preset release -j $(JOBS)

wheel: setup  ## a Python wheel for machines without a compiler: dist/ (WHEEL_PYTHON=python3.13)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) tools/wheel.sh $(WHEEL_PYTHON)

sdist: setup  ## a source archive that pip builds: dist/
	.venv/bin/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")'

docs: setup-docs  ## build the site of the documents: build/site/index.html
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

bench: build  ## measure speed: whole files, beside limits and other packages
	bench/run.py --json build/benchmarks.json

bench-stages: build  ## measure speed, stage by stage
	build/release/bench/sheaf_bench

bench-setup: setup  ## install the packages that `make bench` compares with
	tools/bench_setup.sh

tidy:  ## check style, layers, links, dead files
	python3 tools/tidy.py

clang-tidy: setup-ci  ## static analysis of src/ and cli/
	tools/clang_tidy.sh $(JOBS)

format: setup-ci  ## lay out C++ and Python files
	@clang-format -i $(CXX_FILES)
	.venv/bin/ruff format $(PYTHON_FOLDERS)

check-format: setup-ci  ## say which files `make format` would change
	@clang-format --version
	@clang-format --dry-run --Werror $(CXX_FILES)
	.venv/bin/ruff format --check $(PYTHON_FOLDERS)

clean:  ## remove what was built; .venv stays
	rm -rf build dist

setup:
	@tools/setup.sh

setup-ci:
	@tools/setup.sh --ci

setup-docs:
	@tools/setup.sh --docs

python: setup
	@$(MAKE) --no-print-directory $(PYTHON_PACKAGE)

check-python: python
	.venv/bin/ruff check $(PYTHON_FOLDERS)
	.venv/bin/mypy
	.venv/bin/python -m pytest -q -n $(JOBS) --dist loadfile python/tests

build/%/build.ninja: CMakePresets.json
	$(CMAKE) --preset $*
	@touch $@

$(PYTHON_PACKAGE): $(PACKAGE_SOURCES)
	$(if $(BUILT),$(CMAKE) --build --preset release -j $(JOBS) --target sheaf sheaf_cli)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) .venv/bin/python -m pip install --quiet \
	  --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
	  -C build-dir=build/python $(PACKAGE_PARTS) .
	@touch $@
