// Makes sections of readers as text.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sheaf/config_reader.h"
#include "sheaf/extend/config.h"

namespace sheaf::testing {

inline constexpr std::string_view kInput = "input=[x=[dim=2;format=dense]]";

/// Returns a stand-alone reader of text with extra settings.
inline std::string text_section(std::string_view settings) {
  return "r=[readerType=CNTKTextFormatReader\nfile=f\n" + std::string(kInput) + '\n' +
         std::string(settings) + "\n]";
}

/// Returns a composite reader of one text file with extra settings.
inline std::string composite_section(std::string_view settings) {
  return "r=[deserializers=([type=CNTKTextFormatDeserializer;module=CNTKTextFormatReader;file=f;" +
         std::string(kInput) + "])\n" + std::string(settings) + "\n]";
}

/// Returns the reader that section `r` of a text describes.
inline ConfiguredReader reader_of(std::string_view text,
                                  std::span<const Format> formats = builtin_formats()) {
  return configured_reader(Config::from_text(text, "a.cntk").section_at("r"), formats);
}

}  // namespace sheaf::testing
