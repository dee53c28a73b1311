#include "dataset/unit_files.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "sheaf/error.h"

#include "base/interruption_watch.h"
#include "base/text.h"

namespace sheaf::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kExtension = ".unit";
constexpr std::size_t kNameSize = 32;  // hexadecimal digits

// Listing the folder again takes at most a kListShare-th of the time.
constexpr int kListShare = 20;

// A process that has been writing a file for this long has ended.
constexpr std::chrono::hours kLeftBehind{1};

std::string name_of(const SequenceKey& unit) {
  return formatted("{:016x}{:016x}{}", unit.high, unit.low, kExtension);
}

// Returns the low half of the name of a unit's file, or of the temporary file for it. Returns
// nothing if the file does not belong to a cache.
std::optional<std::uint64_t> number_in(std::string_view name) {
  const bool is_unit = name.size() >= kNameSize + kExtension.size() &&
                       name.substr(kNameSize, kExtension.size()) == kExtension;
  if (!is_unit) return std::nullopt;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < kNameSize; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t digit = kDigits.find(name[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    low = low << 4U | digit;
  }
  const std::string_view rest = name.substr(kNameSize + kExtension.size());
  if (!rest.empty() && !(rest.starts_with('.') && rest.ends_with(".part"))) return std::nullopt;
  return low;
}

bool is_temporary(std::string_view name) { return name.size() > kNameSize + kExtension.size(); }

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

UnitFiles::UnitFiles(CacheOptions options, FileSystem& files)
    : options_(std::move(options)), files_(files) {
  if (files_.exists(options_.folder) && !files_.is_folder(options_.folder)) {
    throw ConfigError(formatted("cache: {} is a file; a cache is a folder", options_.folder));
  }
}

std::string UnitFiles::path_of(const SequenceKey& unit) const {
  return formatted("{}{}{}", options_.folder, options_.folder.ends_with('/') ? "" : "/",
                   name_of(unit));
}

std::shared_ptr<const ByteSource> UnitFiles::open(const SequenceKey& unit) {
  const std::string path = path_of(unit);
  if (!files_.exists(path)) return nullptr;
  if (options_.limit_bytes) {
    const std::scoped_lock lock(mutex_);
    used_.insert(unit.low);
  }
  return files_.open(path);
}

bool UnitFiles::write(const SequenceKey& unit, std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  {
    const std::scoped_lock lock(mutex_);
    if (!is_listed_) files_.create_folder(options_.folder);
    const bool is_due = options_.limit_bytes && Clock::now() - listed_at_ > kListShare * list_time_;
    if (!is_listed_ || is_due) list();
    if (!make_room(size)) return false;
    total_bytes_ += size;
    in_flight_[unit.low] = size;
    if (options_.limit_bytes) used_.insert(unit.low);
  }
  try {
    const std::unique_ptr<ByteSink> sink = files_.create(
        path_of(unit), {.existing = Existing::replace, .durability = Durability::process});
    sink->write(std::as_bytes(std::span(bytes)));
    sink->finish();
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    in_flight_.erase(unit.low);
    total_bytes_ -= size;
    throw;
  }
  const std::scoped_lock lock(mutex_);
  in_flight_.erase(unit.low);
  return true;
}

void UnitFiles::remove(const SequenceKey& unit) noexcept { remove_file(path_of(unit)); }

bool UnitFiles::make_room(std::int64_t size_bytes) {
  if (!options_.limit_bytes) return true;
  while (total_bytes_ > *options_.limit_bytes - size_bytes && !unused_.empty()) {
    const Unused file = std::move(unused_.back());
    unused_.pop_back();
    if (used_.contains(*number_in(file.name))) continue;
    remove_file(options_.folder + "/" + file.name);
    total_bytes_ -= file.size_bytes;
  }
  return total_bytes_ <= *options_.limit_bytes - size_bytes;
}

void UnitFiles::list() {
  const Clock::time_point begin = Clock::now();
  unused_.clear();
  total_bytes_ = 0;  // files being written count with their final size
  for (const auto& [number, size] : in_flight_) total_bytes_ += size;
  const std::int64_t left_behind =
      now_ns() - std::chrono::duration_cast<std::chrono::nanoseconds>(kLeftBehind).count();
  const auto take = [&](const TreeEntry& entry) {
    const std::optional<std::uint64_t> number = number_in(entry.path);
    if (entry.is_folder || !number || in_flight_.contains(*number)) return;
    if (is_temporary(entry.path)) {
      if (entry.modified_ns < left_behind) {
        remove_file(options_.folder + "/" + std::string(entry.path));
        return;
      }
    } else if (!used_.contains(*number)) {
      unused_.push_back({entry.modified_ns, std::string(entry.path), entry.size_bytes});
    }
    total_bytes_ += entry.size_bytes;
  };
  // A file system in memory has no folders without files.
  if (files_.is_folder(options_.folder)) files_.visit_tree(options_.folder, take);
  const auto rank = [](const Unused& file) { return std::pair(file.modified_ns, file.name); };
  std::ranges::sort(unused_, std::greater<>(), rank);
  is_listed_ = true;
  listed_at_ = Clock::now();
  list_time_ = listed_at_ - begin;
}

// A file that cannot be removed stays. It costs nothing but space.
void UnitFiles::remove_file(const std::string& path) noexcept {
  try {
    files_.remove(path);
  } catch (...) {
    static_cast<void>(0);
  }
}

}  // namespace sheaf::internal
