#include "position_file.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

constexpr mode_t kMode = 0666;  // less the process's umask

constexpr const char* kOutputBytes = "output_bytes";
constexpr const char* kPosition = "position";
constexpr std::uint64_t kBytesMax = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(const std::string& path, const char* what, int reason) {
  throw IoError(path + ": " + what + ": " + std::generic_category().message(reason));
}

// Its result, a negative number for an error, once no signal interrupts it.
template <typename Call>
int uninterrupted(const Call& call) {
  int result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Write all of `text`; 0, or the error.
int write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = ::write(file, text.data() + done, text.size() - done);
    if (size < 0 && errno != EINTR) return errno;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  return 0;
}

// See the names of a folder's files on disk, where the file system can do that.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int folder = uninterrupted([&] {
    return ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (folder < 0) return;
  static_cast<void>(uninterrupted([&] { return ::fsync(folder); }));
  ::close(folder);
}

// What to_json() makes.
SavedPosition saved_position_from_json(const std::string& text) {
  using Json = nlohmann::ordered_json;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(kPosition)) return {position_from_json(text), 0};
  const auto bytes = json.find(kOutputBytes);
  const bool is_count = bytes != json.end() && bytes->is_number_integer() &&
                        (!bytes->is_number_unsigned() || bytes->get<std::uint64_t>() <= kBytesMax);
  if (!is_count || bytes->get<std::int64_t>() < 0) {
    throw ConfigError(fmt::format("field \"{}\" must be there, a whole number from 0 to {}",
                                  kOutputBytes, kBytesMax));
  }
  for (const auto& [name, value] : json.items()) {
    if (name == kPosition || name == kOutputBytes) continue;
    throw ConfigError(
        fmt::format("field \"{}\" is neither \"{}\" nor \"{}\"", name, kOutputBytes, kPosition));
  }
  return {position_from_json(json.at(kPosition).dump()), bytes->get<std::int64_t>()};
}

}  // namespace

std::string to_json(const SavedPosition& saved) {
  return fmt::format("{{\"{}\":{},\"{}\":{}}}", kOutputBytes, saved.output_bytes, kPosition,
                     to_json(saved.position));
}

SavedPosition load_position(const std::string& path) {
  const auto source = open_file(path);
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  try {
    return saved_position_from_json(text);
  } catch (const ConfigError& error) {
    throw ConfigError(path + ": " + error.what());
  }
}

void save_position(const std::string& path, const SavedPosition& saved, Durability durability) {
  const std::string text = to_json(saved) + "\n";
  const std::string temporary = path + ".tmp";
  const int file = uninterrupted(
      [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode); });
  if (file < 0) fail(temporary, "cannot be created", errno);
  int error = write_all(file, text);
  const bool syncs = durability == Durability::machine && error == 0;
  if (syncs && uninterrupted([&] { return ::fsync(file); }) != 0) error = errno;
  if (::close(file) != 0 && errno != EINTR && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    std::remove(temporary.c_str());
    fail(path, "the position cannot be saved", error);
  }
  if (durability == Durability::machine) sync_folder_of(path);
}

}  // namespace sheaf::cli
