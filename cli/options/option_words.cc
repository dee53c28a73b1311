#include "options/option_words.h"

#include <algorithm>
#include <array>

namespace sheaf::cli {
namespace {

struct Words {
  std::string_view library;
  std::string_view command;
};

constexpr std::array kWords = {Words{"memory_limit_bytes:", "--memory-limit:"},
                               Words{"threads:", "--threads:"},
                               Words{"noise_of ", "--noise-of "},
                               Words{"index_dir ", "--index-dir "},
                               Words{"cache_limit:", "--cache-limit:"},
                               Words{"cache:", "--cache:"},
                               Words{"part:", "--part:"},
                               Words{"part and shards ", "--part and --shards "},
                               Words{"part ", "--part "},
                               Words{"shards ", "--shards "},
                               Words{"split:", "--split:"},
                               Words{"split ", "--split "},
                               Words{"share ", "--select-share "},
                               Words{"keys:", "--select-keys:"}};

}  // namespace

std::optional<std::string> in_option_words(std::string_view text) {
  for (const Words& words : kWords) {
    if (!text.starts_with(words.library)) continue;
    std::string own(words.command);
    own += text.substr(words.library.size());
    constexpr Words kChunk{"chunk_size_bytes", "--chunk-size"};
    if (const std::size_t at = own.find(kChunk.library); at != std::string::npos) {
      own.replace(at, kChunk.library.size(), kChunk.command);
    }
    return own;
  }
  return std::nullopt;
}

std::string option_text(std::string_view name, std::string_view value) {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  if (!value.empty()) text += ' ' + std::string(value);
  return text;
}

}  // namespace sheaf::cli
