#include "options/option_words.h"

#include <array>
#include <string>
#include <string_view>

namespace sheaf::cli {
namespace {

struct Words {
  std::string_view library;
  std::string_view command;
};

constexpr std::array kWords = {Words{"memory_limit_bytes:", "--memory-limit:"},
                               Words{"shards ", "--shards "},
                               Words{"parts:", "--split:"},
                               Words{"split ", "--split "},
                               Words{"share ", "--select-share "},
                               Words{"keys:", "--select-keys:"}};

}  // namespace

ConfigError in_option_words(const ConfigError& error) {
  const std::string_view text = error.what();
  for (const Words& words : kWords) {
    if (!text.starts_with(words.library)) continue;
    std::string own(words.command);
    own += text.substr(words.library.size());
    constexpr Words kChunk{"chunk_size_bytes", "--chunk-size"};
    if (const std::size_t at = own.find(kChunk.library); at != std::string::npos) {
      own.replace(at, kChunk.library.size(), kChunk.command);
    }
    return ConfigError(own);
  }
  return error;
}

}  // namespace sheaf::cli
