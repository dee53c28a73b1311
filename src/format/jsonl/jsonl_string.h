// Strings of JSON that are written.

#pragma once

#include <string_view>

#include "core/text_buffer.h"

namespace sheaf::jsonl {

/// Appends a text with quotes and escapes. Characters beyond ASCII stay as they are.
///
/// Pre: the text is UTF-8.
void append_json_string(std::string_view text, internal::TextBuffer& buffer);

}  // namespace sheaf::jsonl
