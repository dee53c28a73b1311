// The fuzz target of configurations. Any text must be read or refused with its location, without a
// finding of a sanitizer.
//
// An input has parts that end with the byte 0x1E: the file "a", the file "b", and then words of a
// command line. The first of these words precedes configFile=a. Parts of the input may be repeated
// (expand.h).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/config.h"
#include "sheaf/extend/file_system.h"

#include "expand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

constexpr char kEnd = '\x1E';

[[noreturn]] void fail(const char* law, std::string_view text) {
  std::fprintf(stderr, "%s:\n%.*s\n", law, static_cast<int>(text.size()), text.data());
  std::abort();
}

struct Input {
  std::vector<std::string> files;  // always two
  std::vector<std::string> words;
};

Input input_of(std::string_view bytes) {
  Input input;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find(kEnd), bytes.size());
    std::vector<std::string>& to = input.files.size() < 2 ? input.files : input.words;
    to.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  input.files.resize(2);
  return input;
}

std::unique_ptr<FileSystem> files_of(const Input& input) {
  std::unique_ptr<FileSystem> files = memory_files();
  for (const std::size_t i : {0U, 1U}) {
    const std::unique_ptr<ByteSink> sink = files->create(i == 0 ? "a" : "b");
    sink->write(std::as_bytes(std::span(input.files[i])));
    sink->finish();
  }
  return files;
}

/// Checks that the text of a value is in the file at the location that the value reports.
void check_location(const Input& input, const ConfigValue& value) {
  const ConfigLocation location = value.location();
  if (location.line == 0) return;
  if (location.column < 1 || location.byte_offset < 0)
    fail("a place without a column", value.path());
  if (location.path != "a" && location.path != "b") return;
  const std::string& file = input.files[location.path == "a" ? 0 : 1];
  const auto offset = static_cast<std::size_t>(location.byte_offset);
  if (offset >= file.size()) fail("a place behind the end of its file", value.path());
  const std::string raw = value.raw();
  // The text may begin with a quote, also after a merge. An implied "true" need not be in the file.
  const bool begins_there =
      raw.empty() || raw.starts_with("true") || file[offset] == '"' || file[offset] == raw.front();
  if (!begins_there) fail("a value that is not where its place says", value.path());
}

/// Visits the whole configuration and appends everything to `seen`.
void walk(const Input& input, const ConfigSection& section, std::string& seen);

void walk(const Input& input, const ConfigValue& value, std::string& seen) {
  check_location(input, value);
  seen += value.path() + '=' + value.raw() + '\n';
  const auto guarded = [](auto&& action) {
    try {
      action();
    } catch (const ConfigTextError& error) {
      if (error.diagnostic().code.empty()) fail("an error without a code", error.what());
    }
  };
  guarded([&] {
    // A section can also be read as an array, but walking both ways takes 2^depth steps.
    if (value.is_section()) return walk(input, value.section(), seen);
    for (const ConfigValue& element : value.elements()) {
      if (element.is_section()) walk(input, element.section(), seen);
    }
  });
  guarded([&] { static_cast<void>(value.as<double>()); });
  guarded([&] { static_cast<void>(value.as<bool>()); });
  guarded([&] { static_cast<void>(value.as_count()); });
}

void walk(const Input& input, const ConfigSection& section, std::string& seen) {
  for (const ConfigValue& value : section.settings()) walk(input, value, seen);
  section.warn_unused();
}

/// Returns the content of a configuration, or "error" if it is refused.
std::string read(const Input& input, const ConfigOptions& options) {
  std::vector<std::string> words = input.words;
  words.insert(words.begin() + (words.empty() ? 0 : 1), "configFile=a");
  std::string seen;
  try {
    const Config config = Config::from_words(words, options);
    walk(input, config.root(), seen);
    static_cast<void>(config.reader_sections());
    for (const Diagnostic& warning : config.warnings()) {
      if (to_string(warning).find('\0') != std::string::npos) fail("a bare NUL", warning.found);
    }
  } catch (const ConfigTextError& error) {
    if (error.diagnostic().line < 1) fail("an error without a place", error.what());
    return "error";
  } catch (const IoError&) {
    return "error";
  }
  return seen;
}

/// Returns whether a text contains nothing that the dialects read differently.
bool is_plain(const Input& input) {
  const auto is_plain_text = [](std::string_view text) {
    for (const char byte : text) {
      const auto code = static_cast<unsigned char>(byte);
      if (code >= 0x7F || (code < 0x20 && byte != '\n')) return false;
    }
    return text.find_first_of("#\"$*") == std::string_view::npos;
  };
  // CNTK drops blank lines, also from a section that is read as text.
  const auto has_empty_line = [](std::string text) {
    std::erase(text, ' ');
    return text.starts_with('\n') || text.find("\n\n") != std::string::npos;
  };
  for (const std::string& file : input.files) {
    if (!is_plain_text(file) || has_empty_line(file)) return false;
  }
  for (const std::string& word : input.words) {
    if (!is_plain_text(word)) return false;
  }
  return true;
}

bool merges_values(const Input& input) {
  try {
    const std::unique_ptr<FileSystem> files = files_of(input);
    const Config config =
        Config::from_words(std::vector<std::string>{"configFile=a"}, {.files = files.get()});
    std::string seen;
    walk(input, config.root(), seen);
    for (const Diagnostic& warning : config.warnings()) {
      if (warning.code == "config-merge") return true;
    }
    return config.warnings_left_out() > 0;
  } catch (const Error&) {
    return true;
  }
}

void check_input(std::string_view bytes) {
  Input input = input_of(bytes);
  const std::unique_ptr<FileSystem> files = files_of(input);
  const ConfigOptions checked = {.files = files.get()};
  const ConfigOptions cntk = {.dialect = ConfigDialect::cntk, .files = files.get()};
  static_cast<void>(read(input, checked));
  static_cast<void>(read(input, cntk));
  static_cast<void>(
      read(input, {.dialect = ConfigDialect::cntk, .resolves_names = false, .files = files.get()}));
  input.words.clear();
  if (!is_plain(input) || merges_values(input)) return;
  const std::string a = read(input, checked);
  const std::string b = read(input, cntk);
  if (a != b) fail("the dialects differ on plain text", a + "---\n" + b);
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(
      sheaf::fuzz::expand(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
