// Keeps files open.

#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sheaf::internal {

/// The number of files that stay open.
inline constexpr std::size_t kOpenFilesMax = 512;

/// Keeps the files used last open, by path.
///
/// Threads: all calls are safe from any number of threads.
template <typename File>
class FileCache {
 public:
  using Files = std::vector<std::shared_ptr<const File>>;

  explicit FileCache(std::size_t open_max = kOpenFilesMax) : open_max_(open_max) {}

  /// Returns the files of several paths. A file is null if it does not exist, or if the path is
  /// empty.
  ///
  /// `load(paths)` opens up to 64 files that are not in the cache, and returns as many files. With
  /// many more files at once, the system would close files and reopen them before their heads are
  /// read. `keeps(file)` returns whether a file stays in the cache.
  ///
  /// Throws: the exceptions of `load`.
  template <typename Load, typename Keeps>
  [[nodiscard]] Files find_all(std::span<const std::string_view> paths, const Load& load,
                               const Keeps& keeps) {
    Files files(paths.size());
    std::vector<std::string_view> missing;
    constexpr std::size_t kKnown = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> numbers(paths.size(), kKnown);  // number in `missing`
    {
      std::unordered_map<std::string_view, std::size_t> number_of;
      const std::scoped_lock lock(mutex_);
      for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].empty()) continue;
        if (i > 0 && paths[i] == paths[i - 1]) {
          files[i] = files[i - 1];
          numbers[i] = numbers[i - 1];
          continue;
        }
        const auto known = by_path_.find(paths[i]);
        if (known != by_path_.end()) {
          kept_.splice(kept_.begin(), kept_, known->second);
          files[i] = known->second->second;
          continue;
        }
        const auto [entry, is_new] = number_of.try_emplace(paths[i], missing.size());
        if (is_new) missing.push_back(paths[i]);
        numbers[i] = entry->second;
      }
    }
    if (missing.empty()) return files;
    Files opened;
    for (std::size_t i = 0; i < missing.size(); i += kOpenedAtOnce) {
      const auto count = std::min(kOpenedAtOnce, missing.size() - i);
      Files more = load(std::span<const std::string_view>(missing).subspan(i, count));
      std::ranges::move(more, std::back_inserter(opened));
    }
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < opened.size(); ++i) {
      if (opened[i] != nullptr && keeps(*opened[i])) keep(missing[i], opened[i]);
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (numbers[i] != kKnown) files[i] = opened[numbers[i]];
    }
    return files;
  }

  /// Returns the number of open files.
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return kept_.size();
  }

 private:
  static constexpr std::size_t kOpenedAtOnce = 64;

  using Kept = std::pair<std::string, std::shared_ptr<const File>>;

  void keep(std::string_view path, std::shared_ptr<const File> file) {
    if (by_path_.contains(path)) return;
    kept_.emplace_front(path, std::move(file));
    by_path_.emplace(kept_.front().first, kept_.begin());
    if (kept_.size() <= open_max_) return;
    by_path_.erase(kept_.back().first);
    kept_.pop_back();
  }

  const std::size_t open_max_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // most recently used first; guarded by the mutex, as are the next ones
  std::unordered_map<std::string_view, typename std::list<Kept>::iterator> by_path_;
};

}  // namespace sheaf::internal
