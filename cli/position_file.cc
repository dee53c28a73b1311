#include "position_file.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

constexpr mode_t kMode = 0666;  // less the process's umask

[[noreturn]] void fail(const std::string& path, const char* what, int reason) {
  throw IoError(path + ": " + what + ": " + std::generic_category().message(reason));
}

// Write all of `text` and see it on disk; 0, or the error.
int write_and_sync(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = ::write(file, text.data() + done, text.size() - done);
    if (size < 0 && errno != EINTR) return errno;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

}  // namespace

Position load_position(const std::string& path) {
  const auto source = open_file(path);
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  try {
    return position_from_json(text);
  } catch (const ConfigError& error) {
    throw ConfigError(path + ": " + error.what());
  }
}

void save_position(const std::string& path, const Position& position) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (file < 0) fail(temporary, "cannot be created", errno);
  int error = write_and_sync(file, to_json(position) + "\n");
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    std::remove(temporary.c_str());
    fail(path, "the position cannot be saved", error);
  }
}

}  // namespace sheaf::cli
