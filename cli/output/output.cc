#include "output/output.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

constexpr std::size_t kWriteSize = std::size_t{64} << 10;

}  // namespace

void throw_output_error(int error) {
  if (error == EPIPE) throw OutputClosed();
  throw IoError("standard output cannot be written: " + std::generic_category().message(error));
}

Output::Output() : is_terminal_(::isatty(STDOUT_FILENO) == 1) {}

void Output::end_line() {
  text_.push_back('\n');
  if (text_.size() >= kWriteSize) flush();
}

void Output::append_as_is(std::string_view text) {
  make_harmless();
  text_ += text;
  harmless_size_ = text_.size();
}

void Output::make_harmless() {
  if (!is_terminal_) return;
  const std::size_t done = std::min(harmless_size_, text_.size());
  text_.replace(done, std::string::npos, terminal_text(std::string_view(text_).substr(done)));
  harmless_size_ = text_.size();
}

void Output::flush() {
  make_harmless();
  const bool is_written = std::fwrite(text_.data(), 1, text_.size(), stdout) == text_.size() &&
                          std::fflush(stdout) == 0;
  const int reason = errno;
  if (is_written) bytes_ += static_cast<std::int64_t>(text_.size());
  text_.clear();
  harmless_size_ = 0;
  if (!is_written) throw_output_error(reason);
}

}  // namespace sheaf::cli
