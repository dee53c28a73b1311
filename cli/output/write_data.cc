#include "output/write_data.h"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <unistd.h>

#include "interrupt.h"
#include "options/system_files.h"
#include "output/output.h"

namespace sheaf::cli {
namespace {

class StandardOutput final : public ByteSink {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "standard output"; }

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        throw_output_error(errno);
      }
    }
  }

  void finish() override {}
};

class FilesAndStandardOutput final : public SystemFiles {
 public:
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    if (path == kStandardStream) return std::make_unique<StandardOutput>();
    return SystemFiles::create(path, options);
  }
};

}  // namespace

ConvertReport write_data(const OpenData& open, const std::string& path, ConvertOptions options,
                         const ShownProgress& shown) {
  Progress progress(shown.console, shown.when, shown.input_bytes);
  progress.begin(*open.data);
  FilesAndStandardOutput files;
  options.writer.files = &files;
  options.run.executor = open.executor.get();
  options.run.progress = [&progress](std::int64_t bytes) { progress.update(bytes); };
  std::optional<InterruptGuard> guard;
  if (path != kStandardStream) guard.emplace();
  ConvertReport report = convert(open.data, path, options);
  for (Diagnostic& warning : report.warnings) {
    if (warning.code == "convert-range") warning.hint = "--dtype float64 writes them as they are";
  }
  progress.finish();
  return report;
}

}  // namespace sheaf::cli
