#include "sheaf/extend/format.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "format/recognition.h"

namespace sheaf {
namespace {

// The names of the option `format` on the command line.
constexpr std::string_view kFormatOptions =
    "--data-format of the command; of convert, --from or --to";

// Returns the lower-case extension of a path: "ctf" for "train.ctf.gz".
std::string extension_of(std::string_view path) {
  path = name_without_compression(path);
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos) return {};
  std::string extension(name.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return extension;
}

// Returns whether a file name has no extension: it has no dot, or only a dot at the front. The
// ending of a compressed file counts as an extension.
bool has_no_extension(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  if (name.empty() || name == ".") return false;  // a folder
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string_view::npos || dot == 0;
}

/// Lists formats as "ctf (.ctf, .txt)" or "NAME (folders)".
std::string listed(std::span<const Format> formats) {
  std::string text;
  for (const Format& format : formats) {
    if (!text.empty()) text += ", ";
    std::string extensions;
    for (const std::string_view extension : format.extensions) {
      extensions += formatted("{}.{}", extensions.empty() ? "" : ", ", extension);
    }
    if (format.opens_folders) {
      extensions += formatted("{}folders", extensions.empty() ? "" : ", ");
    }
    text += formatted("{} ({})", format.name, extensions);
  }
  return text;
}

const Format& named(const std::string& name, std::span<const Format> formats) {
  const auto found = std::ranges::find(formats, name, &Format::name);
  if (found != formats.end()) return *found;
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  const std::string nearest = nearest_name(name, names);
  throw ConfigError(formatted("format: \"{}\" is not one of {}{}", name, listed(formats),
                              nearest.empty() ? "" : formatted("; did you mean {}?", nearest)));
}

// Returns the formats that know the extension, in the order of `formats`.
std::vector<const Format*> by_extension(std::string_view path, std::span<const Format> formats) {
  const std::string extension = extension_of(path);
  std::vector<const Format*> found;
  for (const Format& format : formats) {
    const auto known = std::ranges::find(format.extensions, extension);
    if (known != format.extensions.end()) found.push_back(&format);
  }
  return found;
}

// `more` names further evidence that does not tell the format. `hint` says what the file may be.
[[noreturn]] void throw_unknown(std::string_view path, std::span<const Format> formats,
                                std::string_view more = {}, const std::string& hint = {}) {
  if (extension_of(path) == "parquet") {
    throw ConfigError(
        formatted("{0}: Parquet is read in Python, through pyarrow: sheaf.Reader(\"{0}\"), or "
                  "sheaf.convert(\"{0}\", \"data.arrow\") for a file that all can read; "
                  "pyarrow.table(sheaf.to_arrow(\"data.arrow\")) gives a table that pyarrow writes",
                  path));
  }
  throw ConfigError(formatted(
      "{}: the name does not tell the format{}; give it by the option `format` ({}): {}{}", path,
      more, kFormatOptions, listed(formats), hint));
}

const Format& find(std::string_view path, const std::string& name,
                   std::span<const Format> formats) {
  if (!name.empty()) return named(name, formats);
  const std::vector<const Format*> found = by_extension(path, formats);
  if (found.empty()) throw_unknown(path, formats);
  return *found.front();
}

Recognition recognized(const Format& format, std::string_view bytes) {
  return format.recognize == nullptr ? Recognition::possible : format.recognize(bytes);
}

}  // namespace

std::vector<const Format*> internal::formats_of_name(std::string_view path,
                                                     const FormatOptions& options,
                                                     std::span<const Format> formats) {
  if (!options.format.empty()) return {&named(options.format, formats)};
  return by_extension(path, formats);
}

std::vector<const Format*> internal::formats_of_path(const std::string& path,
                                                     const FormatOptions& options,
                                                     std::span<const Format> formats,
                                                     FileSystem& files) {
  if (options.format.empty() && files.is_folder(path)) {
    for (const Format& format : formats) {
      const auto is_there = [&](std::string_view mark) {
        return files.exists(formatted("{}/{}", path, mark));
      };
      if (std::ranges::any_of(format.folder_marks, is_there)) return {&format};
    }
    const auto row = std::ranges::find(formats, true, &Format::opens_folders);
    if (row != formats.end()) return {&*row};
  }
  std::vector<const Format*> rows = formats_of_name(path, options, formats);
  const bool may_have_mark =
      rows.empty() && has_no_extension(path) && files.exists(path) && !files.is_folder(path);
  if (!may_have_mark) return rows;
  const Format* const certain = certain_format(first_bytes(*files.open(path)), formats);
  if (certain != nullptr) rows.push_back(certain);
  return rows;
}

const Format& find_format(std::string_view path, const FormatOptions& options,
                          std::span<const Format> formats) {
  return find(path, options.format, formats);
}

const Format& find_format(std::string_view path, FileSystem& files, const FormatOptions& options,
                          std::span<const Format> formats) {
  const auto rows = internal::formats_of_path(std::string(path), options, formats, files);
  if (rows.empty()) throw_unknown(path, formats);
  return *rows.front();
}

const Format& find_format(std::string_view path, const ByteSource& source,
                          const FormatOptions& options, std::span<const Format> formats) {
  if (!options.format.empty()) return named(options.format, formats);
  const std::vector<const Format*> found = by_extension(path, formats);
  const std::string bytes = internal::first_bytes(source);
  if (found.empty()) {
    const std::string hint = internal::recognized_hint(bytes, formats);
    if (!has_no_extension(path)) throw_unknown(path, formats, {}, hint);
    const Format* const certain = internal::certain_format(bytes, formats);
    if (certain != nullptr) return *certain;
    throw_unknown(path, formats, ", and the first bytes do not tell it for certain", hint);
  }
  // The first of the formats that fit best.
  const Format& best = **std::ranges::max_element(
      found, {}, [&](const Format* format) { return recognized(*format, bytes); });
  if (recognized(best, bytes) != Recognition::no) return best;
  for (const Format& other : formats) {
    if (other.recognize == nullptr || other.recognize(bytes) != Recognition::certain) continue;
    throw ConfigError(formatted(
        "{}: the name says {}, and the first bytes are those of {} ({}): rename the file, or give "
        "the option `format` ({})",
        path, best.name, other.name, other.description, kFormatOptions));
  }
  return best;
}

const Format& find_writable_format(std::string_view path, const SerializerOptions& options,
                                   std::span<const Format> formats) {
  if (compression_of_name(path) != Compression::none) {
    throw ConfigError(formatted("{}: compressed files are not written; write {}, and compress that",
                                path, name_without_compression(path)));
  }
  const std::vector<const Format*> known = by_extension(path, formats);
  const auto has_writer = [](const Format* row) { return row->create != nullptr; };
  const auto writable_row = std::ranges::find_if(known, has_writer);
  if (options.format.empty() && writable_row != known.end()) return **writable_row;
  if (options.format.empty() && known.empty() && path != "-" && has_no_extension(path)) {
    const auto row = std::ranges::find_if(
        formats, [&](const Format& each) { return each.is_default && has_writer(&each); });
    if (row != formats.end()) return *row;
  }
  const Format& format = find(path, options.format, formats);
  if (format.create == nullptr) {
    std::string writable;
    for (const Format& other : formats) {
      if (other.create == nullptr) continue;
      writable += formatted("{}{}", writable.empty() ? "" : ", ", other.name);
    }
    throw ConfigError(formatted("{}: {} is read only; what can be written: {}", path, format.name,
                                writable.empty() ? "nothing" : writable));
  }
  return format;
}

}  // namespace sheaf
