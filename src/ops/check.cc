// All threads read units. Each unit collects its own findings, which are then added up in the order
// of the file.

#include "sheaf/check.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/scan_data.h"

#include "base/text.h"
#include "dataset/member_locations.h"
#include "dataset/part_data.h"
#include "ops/check_parts.h"
#include "ops/stream_findings.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using internal::StreamFindings;

// How many errors and warnings of one unit are described at once. A unit with more is read again in
// parts, so that a file full of errors does not fill the memory.
constexpr std::int64_t kDescribedMax = 4096;

std::int64_t limit_of(const CheckOptions& options) {
  if (options.limit < 0) {
    throw ConfigError(formatted("limit is 0 or more: got {}", options.limit));
  }
  return options.limit;
}

bool is_warning(const Diagnostic& diagnostic) noexcept {
  return diagnostic.severity == Severity::warning;
}

bool is_missing_stream(const Diagnostic& diagnostic) {
  return !is_warning(diagnostic) && !diagnostic.stream.empty() &&
         diagnostic.code.ends_with("-missing-stream");
}

/// The findings in one unit.
class Findings {
 public:
  explicit Findings(std::int64_t limit) : limit_(limit) {}

  void add(const Diagnostic& diagnostic) {
    CheckedErrors& errors = is_warning(diagnostic) ? counts_.warnings : counts_.errors;
    errors.count += diagnostic.count;
    const auto [same, is_new] = errors.by_code.try_emplace(diagnostic.code);
    if (is_new) same->second.first = diagnostic;
    same->second.count += diagnostic.count;
    if (is_missing_stream(diagnostic)) ++counts_.missing_streams[diagnostic.stream];
    if (errors.described == limit_) return;
    ++errors.described;
    described_.push_back(diagnostic);
  }

  void add(std::span<const Diagnostic> found) {
    for (const Diagnostic& each : found) add(each);
  }

  void read(const Deserializer& data, const ScanUnit& unit, const ChunkRange& range) {
    Diagnostics diagnostics(range.count > 1 ? kDescribedMax
                                            : std::numeric_limits<std::int64_t>::max());
    const Chunk chunk = data.read(range, diagnostics);
    const std::int64_t error_count = std::ssize(diagnostics.entries());
    if (error_count > std::ssize(diagnostics.described())) {
      const std::int64_t parts = std::min(range.count, 1 + 2 * error_count / kDescribedMax);
      for (std::int64_t i = 0; i < parts; ++i) {
        const std::int64_t first = range.count * i / parts;
        const std::int64_t end = range.count * (i + 1) / parts;
        read(data, unit, {range.chunk, range.first + first, end - first});
      }
      return;
    }
    add(diagnostics.described());
    add(internal::findings_of(data.streams(), chunk, range.chunk, range.first));
    const std::int64_t holes = std::ssize(chunk.holes());
    counts_.holes += holes;
    counts_.sequences += chunk.sequence_count() - holes;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (!chunk.is_hole(i)) counts_.samples += unit.sequences->sample_count(range.first + i);
    }
  }

  // Adds the findings about each stream in the following data.
  void add(std::vector<StreamFindings> later) {
    streams_.resize(later.size());
    for (std::size_t s = 0; s < later.size(); ++s) streams_[s].add(std::move(later[s]));
  }

  [[nodiscard]] CheckReport& counts() noexcept { return counts_; }
  [[nodiscard]] std::vector<StreamFindings>& streams() noexcept { return streams_; }
  [[nodiscard]] std::vector<Diagnostic>& described() noexcept { return described_; }

 private:
  std::int64_t limit_;
  CheckReport counts_;
  std::vector<Diagnostic> described_;    // of errors and warnings together
  std::vector<StreamFindings> streams_;  // one for each stream; empty until the first chunk is read
};

/// Adds up findings and describes the requested number of errors and warnings.
class Checker {
 public:
  explicit Checker(const CheckOptions& options) : options_(options), limit_(limit_of(options)) {}

  // `members` are the members of a join; empty for other data.
  void check(const NamedData& named, std::span<const OpenedData> members, Executor& executor) {
    const Deserializer& data = *named.data;
    report_.streams.assign(data.streams().begin(), data.streams().end());
    const ScanWork work = [&](const ScanUnit& unit) {
      const auto findings = std::make_shared<Findings>(limit_);
      findings->read(data, unit, unit.range);
      return [this, findings, end = unit.stored_bytes] {
        add(*findings);
        if (options_.run.progress) options_.run.progress(end);
      };
    };
    try {
      scan_data(data, executor, work, options_.run.memory_limit_bytes);
    } catch (const DataError& error) {
      add(error.diagnostics());
    }
    add(data.warnings());
    std::vector<CheckedStream> streams;
    for (std::size_t i = 0; i < streams_.size(); ++i) streams.push_back(checked(i, named, members));
    add(streams);
    if (const internal::PartData* const part = internal::part_in(data)) {
      report_.part = {.part = part->part(),
                      .source = part->whole()->fingerprint(),
                      .limit = limit_,
                      .streams = std::move(streams)};
    }
  }

  void add(std::span<const Diagnostic> found) {
    Findings findings(limit_);
    findings.add(found);
    add(findings);
  }

  [[nodiscard]] CheckReport take() { return std::move(report_); }

 private:
  void add(Findings& findings) {
    CheckReport& counts = findings.counts();
    report_.sequences += counts.sequences;
    report_.samples += counts.samples;
    report_.holes += counts.holes;
    add(report_.errors, counts.errors);
    add(report_.warnings, counts.warnings);
    for (const auto& [stream, count] : counts.missing_streams) {
      report_.missing_streams[stream] += count;
    }
    std::vector<StreamFindings>& streams = findings.streams();
    streams_.resize(std::max(streams_.size(), streams.size()));
    for (std::size_t s = 0; s < streams.size(); ++s) streams_[s].add(std::move(streams[s]));
    for (Diagnostic& each : findings.described()) describe(std::move(each), counts);
  }

  // The result points to the first non-finite value of the stream.
  [[nodiscard]] CheckedStream checked(std::size_t s, const NamedData& data,
                                      std::span<const OpenedData> members) {
    StreamFindings& found = streams_[s];
    CheckedStream stream{.non_finite = found.non_finite,
                         .non_finite_sequences = found.non_finite_sequences,
                         .samples_max = found.samples_max,
                         .shorter = found.shorter,
                         .missing_max = found.missing_max,
                         .shorter_by = std::move(found.shorter_by)};
    if (!found.first_non_finite) return stream;
    const internal::NonFiniteValue& first = *found.first_non_finite;
    Diagnostic location = internal::location_of(data, {first.chunk, first.sequence});
    if (!members.empty()) {  // an offset in a join is not an offset in a file
      location.path = file_of(report_.streams[s].name, members, data.name);
      location.line = 0;
      location.byte_offset = Diagnostic::kNoOffset;
    }
    location.stream = report_.streams[s].name;
    location.found = formatted("{} in sample {} of sequence {}", first.value, first.sample,
                               location.sequence_key);
    stream.first_non_finite = std::move(location);
    return stream;
  }

  // Adds one warning for each stream with non-finite values.
  void add(const std::vector<CheckedStream>& streams) {
    for (const CheckedStream& stream : streams) {
      if (stream.non_finite == 0) continue;
      const Diagnostic warning = internal::non_finite_warning(stream);
      add(std::span(&warning, 1));
    }
    for (std::size_t s = 0; s < streams.size(); ++s) {
      std::optional<LengthDifference> difference =
          internal::length_difference(streams[s], report_.streams[s].name);
      if (difference) report_.length_differences.push_back(*std::move(difference));
    }
  }

  // Returns the name of the member that has the stream, or `otherwise` if a transform made the
  // stream.
  static std::string file_of(const std::string& stream, std::span<const OpenedData> members,
                             const std::string& otherwise) {
    const auto member = std::ranges::find_if(members, [&](const OpenedData& each) {
      const std::span<const Stream> streams = each.data->streams();
      return std::ranges::find(streams, stream, &Stream::name) != streams.end();
    });
    return member != members.end() ? member->name : otherwise;
  }

  static void add(CheckedErrors& all, CheckedErrors& more) {
    all.count += more.count;
    for (auto& [code, part] : more.by_code) {
      const auto [known, is_new] = all.by_code.try_emplace(code);
      if (is_new) known->second.first = std::move(part.first);
      known->second.count += part.count;
    }
  }

  // Returns whether an error adds nothing to an earlier one: most sequences of the unit lack the
  // same stream.
  bool is_repeated(const Diagnostic& diagnostic, const CheckReport& unit) {
    if (options_.limit == kAll || !is_missing_stream(diagnostic)) return false;
    const std::int64_t count = unit.missing_streams.at(diagnostic.stream);
    return 2 * count > unit.sequences + unit.holes && !told_.insert(diagnostic.stream).second;
  }

  void describe(Diagnostic diagnostic, const CheckReport& unit) {
    CheckedErrors& errors = is_warning(diagnostic) ? report_.warnings : report_.errors;
    if (errors.described == limit_) return;
    ++errors.described;
    if (options_.described) {
      const bool repeated = is_repeated(diagnostic, unit);
      options_.described(diagnostic, repeated);
    } else {
      errors.first.push_back(std::move(diagnostic));
    }
  }

  const CheckOptions& options_;
  std::int64_t limit_;
  CheckReport report_;
  std::vector<StreamFindings> streams_;
  std::set<std::string> told_;  // streams that most sequences of a unit lack
};

}  // namespace

CheckReport check(const OpenedData& data, const CheckOptions& options) {
  Checker checker(options);
  checker.check({data.data, data.name}, data.members,
                internal::OperationThreads(options.run).executor());
  return checker.take();
}

CheckReport check(const Deserializer& data, const CheckOptions& options) {
  // Does not own the data: the caller keeps them alive.
  return check({.data = std::shared_ptr<const Deserializer>(std::shared_ptr<void>(), &data)},
               options);
}

CheckReport check(const DataSpec& data, const CheckOptions& options, OpenContext context) try {
  const internal::OperationThreads threads(options.run);
  context.executor = &threads.executor();
  context.memory_limit_bytes = options.run.memory_limit_bytes;
  const OpenedData opened = open(data, context);
  CheckOptions own = options;
  own.run.executor = context.executor;
  return check(opened, own);
} catch (const DataError& error) {
  CheckReport report = check(error, options);
  if (data.part) {
    report.part = {.part = *data.part, .limit = options.limit, .is_open = false};
  }
  return report;
}

CheckReport check(const DataError& error, const CheckOptions& options) {
  Checker checker(options);
  checker.add(error.diagnostics());
  return checker.take();
}

}  // namespace sheaf
