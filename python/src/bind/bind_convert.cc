// Bindings of convert() and merge().

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "sheaf/convert.h"
#include "sheaf/merge.h"

#include "bind/bindings.h"
#include "data.h"
#include "element_types.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

// The name of a stream, its name in the file, and the type to write, or none.
using Choice = std::tuple<std::string, std::string, std::optional<std::string>>;

ConvertOptions options_of(std::int64_t shards, const std::string& split) {
  ConvertOptions options;
  if (shards != 0) options.shards = shards;  // Python passes 0 for a single file
  if (!split.empty()) options.split = parse_split(split);
  return options;
}

std::vector<WrittenStream> written_streams(const std::vector<Choice>& choices) {
  std::vector<WrittenStream> written;
  for (const auto& [name, alias, dtype] : choices) {
    written.push_back({.name = name, .alias = alias});
    if (dtype) written.back().dtype = element_type_named(*dtype);
  }
  return written;
}

Selection selection_of(std::optional<std::vector<std::string>> keys, std::int64_t min_length,
                       std::optional<std::int64_t> max_length, const std::string& share) {
  Selection selected{.keys = std::move(keys), .min_length = min_length};
  if (max_length) selected.max_length = *max_length;
  if (!share.empty()) selected.share = parse_share(share);
  return selected;
}

nb::dict report_dict(const ConvertReport& report) {
  nb::list files;
  for (const WrittenFile& file : report.files) {
    files.append(nb::make_tuple(file.path, file.bytes, file.sequences, file.samples));
  }
  std::vector<Diagnostic> warnings = report.warnings;
  for (Diagnostic& each : warnings) {
    if (each.code == "convert-range") each.hint = "dtype=\"float64\" writes them as they are";
  }
  nb::dict dict;
  dict["files"] = files;
  dict["holes"] = report.holes;
  dict["error_count"] = report.error_count;
  dict["diagnostics"] = to_python(report.diagnostics);
  dict["warnings"] = to_python(warnings);
  return dict;
}

nb::dict convert(const Data& data, const std::string& path, const std::vector<Choice>& choices,
                 const std::string& format, Settings extra, std::int64_t chunk_size_bytes,
                 bool overwrite, bool in_own_steps, std::int64_t shards, const std::string& split,
                 std::optional<std::vector<std::string>> keys, std::int64_t min_length,
                 std::optional<std::int64_t> max_length, const std::string& share, bool for_merge) {
  ConvertOptions options = options_of(shards, split);
  options.for_merge = for_merge;
  options.writer = writer_options(format, std::move(extra), chunk_size_bytes, overwrite);
  options.writer.streams = written_streams(choices);
  options.selected = selection_of(std::move(keys), min_length, max_length, share);
  options.order = data.plan().spec.read.order;
  options.max_errors = data.max_errors();
  options.run = data.operation();
  const ConvertReport report = [&] {
    const FreeGil free;
    if (!in_own_steps) return sheaf::convert(data.shared_deserializer(), path, options);
    options.run.memory_limit_bytes.reset();  // the reader has the limit
    Reader reader = data.run(data.begin_of(0), nullptr, true);
    return sheaf::convert(reader, path, options);
  }();
  return report_dict(report);
}

nb::dict merge(const std::string& path, const std::vector<std::string>& parts,
               const std::string& format, bool overwrite, int num_threads,
               std::int64_t memory_limit) {
  return report_dict([&] {
    const FreeGil free;
    const std::unique_ptr<Executor> threads = start_threads(unless_zero(num_threads));
    return sheaf::merge(
        path, parts,
        {.format = format,
         .existing = overwrite ? Existing::replace : Existing::refuse,
         .run = {.memory_limit_bytes = unless_zero(memory_limit), .executor = threads.get()}});
  }());
}

std::string merge_reports(const std::vector<std::string>& reports) {
  const FreeGil free;
  std::vector<NamedReport> named;
  for (const std::string& json : reports) {
    named.push_back({.name = "report " + std::to_string(named.size()), .json = json});
  }
  return sheaf::merge_reports(named);
}

}  // namespace

void bind_convert(nb::module_& module) {
  module.def("merge", merge, nb::arg("path"), nb::arg("parts"), nb::arg("format"),
             nb::arg("overwrite"), nb::arg("num_threads"), nb::arg("memory_limit"),
             nb::sig("def merge(path: str, parts: collections.abc.Sequence[str], format: str, "
                     "overwrite: bool, num_threads: int, memory_limit: int) -> dict[str, "
                     "typing.Any]"),
             "Write one file from all parts of a conversion.");
  module.def(
      "merge_reports", merge_reports, nb::arg("reports"),
      "Return the report about the whole data as JSON, made from the reports about all parts.");
  module.def(
      "output_paths",
      [](const std::string& path, std::int64_t shards, const std::string& split) {
        return output_paths(path, options_of(shards, split));
      },
      nb::arg("path"), nb::arg("shards"), nb::arg("split"),
      "Return the paths of all files that a conversion writes.");
  module.def("convert", convert, nb::arg("data"), nb::arg("path"), nb::arg("choices"),
             nb::arg("format"), nb::arg("format_options"), nb::arg("chunk_size_bytes"),
             nb::arg("overwrite"), nb::arg("in_own_steps"), nb::arg("shards"), nb::arg("split"),
             nb::arg("keys").none(), nb::arg("min_length"), nb::arg("max_length").none(),
             nb::arg("share"), nb::arg("for_merge"),
             nb::sig("def convert(data: Data, path: str, choices: "
                     "collections.abc.Sequence[tuple[str, str, str | None]], format: str, "
                     "format_options: collections.abc.Mapping[str, str], chunk_size_bytes: int, "
                     "overwrite: bool, in_own_steps: bool, shards: int, split: str, keys: "
                     "collections.abc.Sequence[str] | None, min_length: int, max_length: int | "
                     "None, share: str, for_merge: bool) -> dict[str, typing.Any]"),
             "Write selected sequences. Each choice has the name of a stream, its name in the "
             "file, and its dtype.");
}

}  // namespace sheaf::python
