#include "sheaf/report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "ops/report/comparison.h"
#include "ops/report/data_numbers.h"
#include "ops/report/sections.h"
#include "ops/report/stream_roles.h"
#include "ops/report/verdict.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using internal::Json;

constexpr std::size_t kDuplicateExamplesMax = 5;
constexpr std::size_t kFindingsMax = 100;

OpenContext with_threads(OpenContext context, const OperationOptions& run, Executor& executor) {
  context.executor = &executor;
  context.memory_limit_bytes = run.memory_limit_bytes;
  return context;
}

void check_against(const ReportOptions& options) {
  if (options.against && options.against_opened) {
    throw ConfigError("against and against_opened both name data to compare with: leave one out");
  }
}

bool compares(const ReportOptions& options) {
  return options.against.has_value() || options.against_opened.has_value();
}

Json options_json(const ReportOptions& options) {
  Json json = {{"values", options.shows_values}};
  if (compares(options)) json["against"] = options.against_path;
  return json;
}

/// Makes the report of open data.
class Reporter {
 public:
  Reporter(const OpenedData& data, const ReportOptions& options, const OpenContext& context)
      : data_(data), options_(options), context_(context) {}

  DataReport report(std::string_view path, Executor& executor) {
    internal::DataNumbers numbers =
        numbers_of(*data_.data, internal::label_streams(data_.data->streams()), executor);
    const internal::ReportSource source{data_, numbers, options_.shows_values};
    Json json = {{"report", 1}, {"path", path}};  // the first field marks a report file
    if (!data_.format.empty()) json["format"] = data_.format;
    json["options"] = options_json(options_);
    json["verdict"] = Json::array();  // reserves its position; the other sections come first
    json["data"] = internal::data_section(source);
    json["streams"] = internal::streams_section(source);
    json["lengths"] = internal::lengths_section(source);
    json["order"] = internal::order_section(source);
    json["labels"] = internal::labels_section(source);
    std::vector<internal::HashedSequence> hashes = numbers.hashes.take();
    json["duplicates"] = internal::duplicates_section(
        source, internal::duplicates_of(hashes, kDuplicateExamplesMax));
    json["keys"] = internal::keys_section(source);
    if (options_.shows_values) json["sequences"] = internal::sequences_section(source);
    json["storage"] = internal::storage_section(source);
    DataReport report;
    if (compares(options_)) {
      internal::ComparedData compared = compare(source, std::move(hashes), executor);
      report.against = std::move(compared.found);
      json["against"] = std::move(compared.section);
    }
    report.verdict = internal::verdict_of(json);
    if (report.verdict.size() > kFindingsMax) report.verdict.resize(kFindingsMax);
    json["verdict"] = internal::verdict_json(report.verdict);
    report.json = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    report.error_count = numbers.error_count;
    report.warning_count = numbers.warning_count;
    return report;
  }

 private:
  internal::DataNumbers numbers_of(const Deserializer& data, std::vector<bool> labels,
                                   Executor& executor) {
    internal::PassOptions pass{.memory_limit_bytes = options_.run.memory_limit_bytes};
    std::int64_t pass_bytes = 0;  // of the files; numbers.bytes counts decoded bytes of containers
    if (options_.run.progress) {
      pass.progress = [this, &pass_bytes](std::int64_t bytes) {
        pass_bytes = bytes;
        options_.run.progress(done_bytes_ + bytes);
      };
    }
    internal::DataNumbers numbers =
        internal::numbers_of_data(data, std::move(labels), executor, pass);
    done_bytes_ += pass_bytes;
    return numbers;
  }

  internal::ComparedData compare(const internal::ReportSource& source,
                                 std::vector<internal::HashedSequence> hashes, Executor& executor) {
    const OpenedData other =
        options_.against_opened
            ? *options_.against_opened
            : open(*options_.against, with_threads(context_, options_.run, executor));
    internal::DataNumbers others = numbers_of(
        *other.data, internal::same_labels(source.numbers, other.data->streams()), executor);
    return internal::compared_data(source, std::move(hashes), other, others, options_.against_path);
  }

  const OpenedData& data_;
  const ReportOptions& options_;
  const OpenContext& context_;
  std::int64_t done_bytes_ = 0;  // bytes of the data sets that are done
};

}  // namespace

std::string_view to_string(FindingLevel level) noexcept {
  switch (level) {
    case FindingLevel::error:
      return "error";
    case FindingLevel::warning:
      return "warning";
    case FindingLevel::notice:
      return "notice";
    case FindingLevel::good:
      break;
  }
  return "good";
}

DataReport report(const OpenedData& data, std::string_view path, const ReportOptions& options,
                  const OpenContext& context) {
  check_against(options);
  const internal::OperationThreads threads(options.run);
  return Reporter(data, options, context).report(path, threads.executor());
}

DataReport report(const DataSpec& data, std::string_view path, const ReportOptions& options,
                  const OpenContext& context) {
  check_against(options);  // before the data are opened
  const internal::OperationThreads threads(options.run);
  ReportOptions own = options;
  own.run.executor = &threads.executor();
  const OpenedData opened = open(data, with_threads(context, options.run, threads.executor()));
  return report(opened, path, own, context);
}

}  // namespace sheaf
