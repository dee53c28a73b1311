// A report may replace only an earlier report. `sheaf report -o train.ctf` must not destroy the
// data.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/report.h"

#include "base/text.h"
#include "ops/report/page.h"

namespace sheaf {
namespace {

constexpr std::string_view kJsonStart = "{\"report\":";

bool is_report(const std::string& path) {
  const std::shared_ptr<const ByteSource> source = system_files().open(path);
  std::string text(std::min(static_cast<std::size_t>(source->size()), internal::kPageStart.size()),
                   ' ');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  return internal::is_page(text) || text.starts_with(kJsonStart);
}

}  // namespace

std::string to_html(const DataReport& report) { return internal::page_of(report.json); }

void check_report_path(const std::string& path, std::span<const std::string> sources,
                       Existing existing) {
  if (!check_output_path(path, sources) || existing == Existing::replace || is_report(path)) return;
  throw ConfigError(formatted(
      "{}: exists already, and is no report: overwrite=true (--overwrite) replaces the file",
      path));
}

void write_report(const DataReport& report, const std::string& path, Existing existing) {
  check_report_path(path, {}, existing);
  const bool is_json = path.ends_with(".json");
  const std::string text = is_json ? report.json : to_html(report);
  const std::unique_ptr<ByteSink> file = create_file(path, {});
  file->write(std::as_bytes(std::span(text)));
  file->finish();
}

}  // namespace sheaf
