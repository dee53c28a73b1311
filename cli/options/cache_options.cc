#include "options/cache_options.h"

#include <CLI/CLI.hpp>

#include "options/data_options.h"
#include "options/options.h"

namespace sheaf::cli {
namespace {

constexpr const char* kCacheGroup = "Cache";
constexpr const char* kCacheFolder = "--cache";
constexpr const char* kCacheLimit = "--cache-limit";

}  // namespace

void add_cache_options(CLI::App& verb, DataOptions& options) {
  verb.add_option(kCacheFolder, options.cache.folder,
                  "Folder that keeps decoded sequences. Later sweeps and runs read them from there "
                  "in place of decoding the data again. sheaf makes the folder. The cache never "
                  "changes the result")
      ->type_name("DIR")
      ->group(kCacheGroup);
  add_limit(verb, kCacheLimit, options.cache.limit_bytes,
            "Most bytes that the files of the cache take, such as 20GB. none: no limit")
      ->group(kCacheGroup);
}

CacheOptions chosen_cache(const DataOptions& options) {
  if (options.verb->get_option_no_throw(kCacheFolder) == nullptr) return {};
  if (!options.spec) return options.cache;
  CacheOptions cache = options.spec->read.cache;
  if (is_given(*options.verb, kCacheFolder)) cache.folder = options.cache.folder;
  if (is_given(*options.verb, kCacheLimit)) cache.limit_bytes = options.cache.limit_bytes;
  return cache;
}

}  // namespace sheaf::cli
