#include "cntk/loader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "base/text.h"
#include "cntk/comments.h"
#include "cntk/sections.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kInclude = "include=";
constexpr std::int64_t kIncludeDepthMax = 100;

[[noreturn]] void fail_to_read(const std::string& path, std::string_view why) {
  throw IoError(formatted("{}: cannot be read: {}", path, why));
}

// Returns whether a path is a pipe or a terminal, which cannot be read like a file. Devices have no
// end, and opening a pipe that nobody writes to waits forever. So the user may name a pipe or a
// terminal, such as /dev/stdin, but an included file must be a regular one.
bool is_pipe(const std::string& path, bool is_included) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail_to_read(path, error.message());
  if (std::filesystem::is_directory(status)) fail_to_read(path, "it is a folder");
  if (std::filesystem::is_regular_file(status)) return false;
  if (is_included) fail_to_read(path, "it is no regular file");
  if (std::filesystem::is_fifo(status)) return true;
  constexpr std::string_view kStandardInput[] = {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  if (std::ranges::find(kStandardInput, path) != std::end(kStandardInput) && isatty(0) == 1) {
    return true;
  }
  fail_to_read(path, "it is no regular file, and no pipe");
}

/// Returns the first bytes of a file: at most `size_max`, and one more.
std::string file_start(const ByteSource& source, std::size_t size_max) {
  const auto size = static_cast<std::uint64_t>(source.size());
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, size_max + 1)), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Returns the first bytes of a pipe: at least `size_max` and one more, if it has that many.
std::string pipe_start(const std::string& path, std::size_t size_max) {
  std::ifstream file(path, std::ios::binary);
  while (!file.is_open() && errno == EINTR) file.open(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 14> part{};
  while (text.size() <= size_max && (file.read(part.data(), part.size()) || file.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) fail_to_read(path, std::strerror(errno));
  return text;
}

/// Splits "A+B" into A and B.
std::vector<TextSlice> parts_of(const TextSlice& list) {
  std::vector<TextSlice> parts;
  const std::string_view view = list.view();
  for (std::size_t begin = 0; begin <= view.size();) {
    const std::size_t end = std::min(view.find('+', begin), view.size());
    parts.push_back(trimmed(list.part(begin, end)));
    begin = end + 1;
  }
  return parts;
}

class Loader {
 public:
  explicit Loader(ConfigState& state) : state_(state) {}

  void read_word(const std::string& word) {
    constexpr std::string_view kFile = "configFile=";
    constexpr std::string_view kDirectory = "currentDirectory=";
    const std::int32_t source =
        state_.sources.add(std::string(ConfigSource::kWordsPath), word, ++word_count_);
    if (begins_ignoring_case(word, kFile)) {
      const auto text = std::make_shared<LocatedText>();
      text->append(word, {.source = source});
      const TextSlice list{.text = text, .begin = kFile.size(), .end = word.size()};
      for (const TextSlice& path : parts_of(list)) read_named_file(path);
      return;
    }
    if (begins_ignoring_case(word, kDirectory)) {
      const std::filesystem::path directory = word.substr(kDirectory.size());
      state_.directory = (std::filesystem::path(state_.directory) / directory).string();
    }
    append_source(state_, source, true, text_);
  }

  void read_text(std::string_view text, std::string_view path) {
    append_source(state_, state_.sources.add(std::string(path), std::string(text)), false, text_);
  }

  void finish() {
    const auto text = std::make_shared<LocatedText>();
    append_included(std::exchange(text_, {}), 0, *text);
    const TextSlice all{.text = text, .begin = 0, .end = text->view().size()};
    state_.root.location = all.part(0, 0);
    read_settings(state_, state_.root, all);
  }

 private:
  void read_named_file(const TextSlice& path) {
    if (!paths_.insert(std::string(path.view())).second) {
      state_.fail(path, "file", "each file once", quoted(path.view()));
    }
    read_file(path, false, text_);
  }

  void read_file(const TextSlice& named, bool is_included, LocatedText& text) {
    const std::string path(named.view());
    const std::string in_directory = std::filesystem::path(state_.directory) / path;
    const std::size_t size_max = kConfigSizeMax - state_.source_bytes;
    FileSystem* const files = state_.options.files;
    std::string bytes;
    if (files == nullptr && is_pipe(in_directory, is_included)) {
      bytes = pipe_start(in_directory, size_max);
    } else {
      bytes =
          file_start(*(files != nullptr ? *files : system_files()).open(in_directory), size_max);
    }
    if (bytes.size() > size_max) {
      state_.fail(named, "size", formatted("files of at most {} bytes together", kConfigSizeMax),
                  formatted("more, with {}", quoted(named.view())));
    }
    state_.source_bytes += bytes.size();
    append_source(state_, state_.sources.add(path, std::move(bytes)), false, text);
  }

  /// Appends `from`, and replaces each include line by the included files.
  void append_included(const LocatedText& from, std::int64_t depth, LocatedText& to) {
    const std::string_view view = from.view();
    const auto source = std::make_shared<const LocatedText>(from);
    std::size_t done = 0;
    for (std::size_t at = 0; at < view.size();) {
      const std::size_t newline = std::min(view.find('\n', at), view.size());
      if (view.substr(at).starts_with(kInclude)) {
        to.append(from, done, at);
        done = newline;
        include({.text = source, .begin = at + kInclude.size(), .end = newline}, depth, to);
      } else {
        warn_of_setting({.text = source, .begin = at, .end = newline});
      }
      at = newline + 1;
    }
    to.append(from, std::min(done, view.size()), view.size());
  }

  void include(TextSlice list, std::int64_t depth, LocatedText& to) {
    list = trimmed(list);
    if (list.view().starts_with('"') && list.view().ends_with('"') && list.size() > 1) {
      list = list.part(1, list.size() - 1);
    }
    if (depth >= kIncludeDepthMax) {
      state_.fail(list, "depth", formatted("at most {} files that include files", kIncludeDepthMax),
                  "one more");
    }
    for (const TextSlice& path : parts_of(list)) {
      if (path.view().find('$') != std::string_view::npos) {
        state_.fail(path, "include", "a path without names", quoted(path.view()),
                    "files are included before names are known");
      }
      if (!paths_.insert(std::string(path.view())).second) {
        state_.warn(state_.diagnostic(path, "include", "each file once", quoted(path.view()),
                                      "it was read before, and is not read again"));
        continue;
      }
      LocatedText text;
      read_included(path, text);
      append_included(text, depth + 1, to);
    }
  }

  void read_included(const TextSlice& path, LocatedText& text) {
    try {
      read_file(path, true, text);
    } catch (const IoError& error) {
      const std::string location = location_text(location_of(state_, path));
      throw IoError(formatted("{}: included at {}", error.what(), location));
    }
  }

  // " include = x" is a setting, since it does not stand at the beginning of a line.
  void warn_of_setting(const TextSlice& line) {
    const TextSlice text = trimmed(line);
    if (!text.view().starts_with("include")) return;
    const TextSlice rest = trimmed(text.part(7, text.size()));
    if (!rest.view().starts_with('=')) return;
    state_.warn(state_.diagnostic(text, "include", "include=FILE at the beginning of a line",
                                  quoted(text.view()), "with blanks it is a setting like others"));
  }

  ConfigState& state_;
  LocatedText text_;
  std::int64_t word_count_ = 0;
  std::set<std::string> paths_;
};

}  // namespace

void load_words(ConfigState& state, std::span<const std::string> words) {
  Loader loader(state);
  for (const std::string& word : words) loader.read_word(word);
  loader.finish();
}

void load_text(ConfigState& state, std::string_view text, std::string_view path) {
  Loader loader(state);
  loader.read_text(text, path);
  loader.finish();
}

}  // namespace sheaf::internal
