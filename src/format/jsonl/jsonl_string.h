// Writes strings of JSON.

#pragma once

#include <string_view>

#include "core/text_buffer.h"

namespace sheaf::jsonl {

/// Appends a text with quotes and escapes. Leaves characters beyond ASCII unchanged.
///
/// Pre: the text is UTF-8.
void append_json_string(std::string_view text, internal::TextBuffer& buffer);

}  // namespace sheaf::jsonl
