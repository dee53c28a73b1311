#include "sheaf/format.h"

#include <algorithm>
#include <cctype>

#include "sheaf/compressed.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

// Of "train.ctf.gz", the extension is "ctf".
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

/// "ctf (.ctf, .txt)" for each.
std::string listed(std::span<const Format> formats) {
  std::string text;
  for (const Format& format : formats) {
    if (!text.empty()) text += ", ";
    std::string extensions;
    for (const std::string_view extension : format.extensions) {
      extensions += formatted("{}.{}", extensions.empty() ? "" : ", ", extension);
    }
    text += formatted("{} ({})", format.name, extensions);
  }
  return text;
}

const Format& find(std::string_view path, const std::string& name,
                   std::span<const Format> formats) {
  if (!name.empty()) {
    const auto found = std::ranges::find(formats, name, &Format::name);
    if (found == formats.end()) {
      throw ConfigError(formatted("format: \"{}\" is not one of {}", name, listed(formats)));
    }
    return *found;
  }
  const std::string extension = extension_of(path);
  const auto found = std::ranges::find_if(formats, [&](const Format& format) {
    return std::ranges::find(format.extensions, extension) != format.extensions.end();
  });
  if (found == formats.end()) {
    throw ConfigError(
        formatted("{}: the name does not tell the format; give it by the option `format`: {}", path,
                  listed(formats)));
  }
  return *found;
}

}  // namespace

const Format& find_format(std::string_view path, const FormatOptions& options,
                          std::span<const Format> formats) {
  return find(path, options.format, formats);
}

const Format& find_writable_format(std::string_view path, const SerializerOptions& options,
                                   std::span<const Format> formats) {
  if (compression_of_name(path) != Compression::none) {
    throw ConfigError(formatted("{}: compressed files are not written; write {}, and compress that",
                                path, name_without_compression(path)));
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
