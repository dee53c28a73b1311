// Options of token files.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::megatron {

inline constexpr std::array<std::string_view, 2> kTokensValues = {"beside", "FILE"};
inline constexpr FormatOption kTokensOption = {
    .name = "megatron.tokens",
    .values = kTokensValues,
    .help = "the file with the tokens: FILE.bin beside FILE.idx, or another file",
    .takes_any = true,
    .is_path = true};
inline constexpr std::array kReadOptions = {kTokensOption};

inline constexpr std::string_view kListExtension = ".idx";
inline constexpr std::string_view kTokensExtension = ".bin";

/// The checked options.
struct ReadOptions {
  std::string stream_name;
  std::optional<ElementType> dtype;  // nothing: the type of the file
  bool defines_minibatch_size = false;
  std::string tokens_path;  // if empty, the file beside the list
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
};

/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

/// Returns the path of the tokens beside a list. The list may be compressed, but the tokens are
/// not.
///
/// Throws: ConfigError unless the name of the list ends in ".idx".
[[nodiscard]] std::string tokens_path_beside(std::string_view list_path);

}  // namespace sheaf::megatron
