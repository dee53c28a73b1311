#include "format/kaldi/kaldi_sources.h"

#include "sheaf/extend/compressed.h"
#include "sheaf/extend/interruption.h"

namespace sheaf::kaldi {

std::shared_ptr<const ByteSource> KaldiSources::load(std::string_view name) const {
  check_interruption();
  const bool is_compressed = name.front() == kDecompressed;
  if (is_compressed) name.remove_prefix(1);
  std::shared_ptr<const ByteSource> source =
      internal::open_named_file(name, list_folder_, context_.file_system());
  if (source == nullptr || !is_compressed) return source;
  return decompressed(std::move(source), {.by_content = true});
}

std::vector<std::shared_ptr<const ByteSource>> KaldiSources::open_all(
    std::span<const std::string_view> names) {
  const auto load_missing = [this](std::span<const std::string_view> missing) {
    std::vector<std::shared_ptr<const ByteSource>> sources;
    for (const std::string_view name : missing) sources.push_back(load(name));
    return sources;
  };
  return cache_.find_all(names, load_missing, [](const ByteSource& /*source*/) { return true; });
}

std::shared_ptr<const ByteSource> KaldiSources::open(std::string_view name) {
  return open_all({&name, 1}).front();
}

std::string KaldiSources::path_of(std::string_view name) const {
  if (name.starts_with(kDecompressed)) name.remove_prefix(1);
  return internal::named_file_path(name, list_folder_, context_.file_system());
}

}  // namespace sheaf::kaldi
