// Reader sections as text.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sheaf/config_reader.h"
#include "sheaf/extend/config.h"

namespace sheaf::testing {

inline constexpr std::string_view kInput = "input=[x=[dim=2;format=dense]]";

/// A stand-alone reader of text with these settings besides.
inline std::string text_section(std::string_view settings) {
  return "r=[readerType=CNTKTextFormatReader\nfile=f\n" + std::string(kInput) + '\n' +
         std::string(settings) + "\n]";
}

/// A composite reader of one text file with these settings besides.
inline std::string composite_section(std::string_view settings) {
  return "r=[deserializers=([type=CNTKTextFormatDeserializer;module=CNTKTextFormatReader;file=f;" +
         std::string(kInput) + "])\n" + std::string(settings) + "\n]";
}

/// What the section `r` of a text asks for.
inline ConfiguredReader reader_of(std::string_view text,
                                  std::span<const Format> formats = builtin_formats()) {
  return configured_reader(Config::from_text(text, "a.cntk").section_at("r"), formats);
}

}  // namespace sheaf::testing
