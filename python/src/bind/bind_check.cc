// All of the data once, and what is wrong with them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/parallel_for.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"
#include "waiting.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

// Places of a unit that are described at once. One with more is read in halves, so that a file that
// is all wrong does not fill the memory.
constexpr std::int64_t kDescribedMax = 4096;

// Errors, or warnings.
struct Places {
  std::int64_t count = 0;
  std::map<std::string, std::int64_t> by_code = {};
  std::vector<Diagnostic> first = {};
};

struct Findings {
  std::int64_t sequences = 0;  // good ones
  std::int64_t samples = 0;    // of these
  std::int64_t holes = 0;
  Places errors = {};
  Places warnings = {};

  Places& places_like(const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::warning ? warnings : errors;
  }
};

/// Cuts the chunks of an index into units.
class Units {
 public:
  explicit Units(const Index& index) : index_(index) {}

  /// Throws: as Index::chunk; then there is nothing more.
  std::optional<ChunkRange> next() {
    if (unit_ == counts_.unit_count) {
      const ChunkIndex chunk = std::exchange(next_chunk_, sheaf::next(next_chunk_));
      const std::optional<ChunkCounts> counts = index_.chunk_counts(chunk);
      if (!counts) return std::nullopt;
      chunk_ = chunk;
      counts_ = *counts;
      unit_ = 0;
    }
    const std::int64_t first = begin_of(unit_);
    return ChunkRange{.chunk = chunk_, .first = first, .count = begin_of(++unit_) - first};
  }

 private:
  [[nodiscard]] std::int64_t begin_of(std::int64_t unit) const noexcept {
    return unit * counts_.sequence_count / counts_.unit_count;
  }

  const Index& index_;
  ChunkIndex next_chunk_{};
  ChunkIndex chunk_{};
  ChunkCounts counts_{.unit_count = 0};
  std::int64_t unit_ = 0;
};

/// Reads the units on several threads, and adds up in their order.
class Check {
 public:
  Check(const Data& data, std::int64_t limit)
      : data_(data),
        limit_(limit > 0 ? limit : std::numeric_limits<std::int64_t>::max()),
        units_(data.deserializer().index()) {}

  Findings run() {
    Executor& executor = data_.executor();
    while (!is_over_) {  // few units are ahead of the one that is added next
      found_.clear();
      first_ = taken_;
      parallel_for(&executor, kUnitsAhead * executor.thread_count(),
                   [this](std::int64_t) { read_unit(); });
      for (Findings& each : found_) add(std::move(each));
    }
    if (error_) add_places(*error_);
    for (const Diagnostic& each : data_.deserializer().warnings()) count(all_, each);
    return std::move(all_);
  }

 private:
  static constexpr std::int64_t kUnitsAhead = 16;  // of each thread

  struct Unit {
    ChunkRange range;
    std::size_t number;
  };

  std::optional<Unit> take() {
    const auto lock = lock_interruptibly(mutex_);
    if (is_over_) return {};
    std::optional<ChunkRange> range;
    try {
      range = units_.next();
    } catch (const DataError& error) {
      error_ = error;
    }
    if (!range) {
      is_over_ = true;
      return {};
    }
    found_.emplace_back();
    return Unit{*range, static_cast<std::size_t>(taken_++ - first_)};
  }

  void read_unit() {
    const std::optional<Unit> unit = take();
    if (!unit) return;
    Findings findings;
    read(unit->range, findings);
    const auto lock = lock_interruptibly(mutex_);
    found_[unit->number] = std::move(findings);
  }

  void read(const ChunkRange& range, Findings& findings) const {
    const bool is_one = range.count == 1;
    Diagnostics diagnostics(is_one ? std::numeric_limits<std::int64_t>::max() : kDescribedMax);
    const Chunk chunk = data_.deserializer().read(range, diagnostics);
    if (diagnostics.entries().size() > diagnostics.described().size()) {
      const std::int64_t half = range.count / 2;
      read({range.chunk, range.first, half}, findings);
      read({range.chunk, range.first + half, range.count - half}, findings);
      return;
    }
    for (const Diagnostic& each : diagnostics.described()) count(findings, each);
    const auto holes = static_cast<std::int64_t>(chunk.holes().size());
    findings.holes += holes;
    findings.sequences += chunk.sequence_count() - holes;
    const SampleCounts samples = data_.deserializer().index().sample_counts(range.chunk);
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (!chunk.is_hole(i)) findings.samples += samples[range.first + i];
    }
  }

  void count(Findings& findings, const Diagnostic& diagnostic) const {
    Places& places = findings.places_like(diagnostic);
    ++places.count;
    ++places.by_code[diagnostic.code];
    if (std::ssize(places.first) < limit_) places.first.push_back(diagnostic);
  }

  void add(Findings findings) {
    all_.sequences += findings.sequences;
    all_.samples += findings.samples;
    all_.holes += findings.holes;
    add(all_.errors, std::move(findings.errors));
    add(all_.warnings, std::move(findings.warnings));
  }

  void add(Places& all, Places places) const {
    all.count += places.count;
    for (const auto& [code, count] : places.by_code) all.by_code[code] += count;
    for (Diagnostic& each : places.first) {
      if (std::ssize(all.first) < limit_) all.first.push_back(std::move(each));
    }
  }

  void add_places(const DataError& error) {
    for (const Diagnostic& each : error.diagnostics()) count(all_, each);
  }

  const Data& data_;
  std::int64_t limit_;
  std::timed_mutex mutex_;  // whoever finds the next unit may scan the file for it
  Units units_;
  std::vector<Findings> found_;  // of the units taken since first_
  std::int64_t first_ = 0;
  std::int64_t taken_ = 0;
  bool is_over_ = false;
  std::optional<DataError> error_;  // of finding chunks: the last that there is to say
  Findings all_;
};

nb::dict places_dict(const Places& places) {
  nb::dict dict;
  dict["count"] = places.count;
  dict["by_code"] = places.by_code;
  dict["first"] = to_python(places.first);
  return dict;
}

nb::dict check(const Data& data, std::int64_t limit) {
  const Findings findings = [&] {
    const FreeGil free;
    return Check(data, limit).run();
  }();
  nb::dict dict;
  dict["sequences"] = findings.sequences;
  dict["samples"] = findings.samples;
  dict["holes"] = findings.holes;
  dict["errors"] = places_dict(findings.errors);
  dict["warnings"] = places_dict(findings.warnings);
  return dict;
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("check", check, nb::arg("data"), nb::arg("limit"),
             nb::sig("def check(data: Data, limit: int) -> dict[str, typing.Any]"),
             "Read all of the data, and say what is wrong with them.");
}

}  // namespace sheaf::python
