/// \file
/// Files that are far away: each read takes a while. Time is simulated, so no test waits.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::testing {

/// The time that reads take on one thread, and the number of reads under way.
struct LatentClock {
  static constexpr std::int64_t kLatency = 1000;  // of one read

  std::int64_t now = 0;
  std::int64_t in_flight = 0;
  std::int64_t in_flight_max = 0;

  void begin() { in_flight_max = std::max(in_flight_max, ++in_flight); }
  void end() { --in_flight; }
};

/// Bytes that arrive `latency` after a read begins. Paths in `failing` cannot be read.
class LatentSource final : public ByteSource {
 public:
  LatentSource(std::shared_ptr<const ByteSource> source, LatentClock& clock,
               std::int64_t latency = LatentClock::kLatency)
      : source_(std::move(source)), clock_(clock), latency_(latency) {}

  void fail() noexcept { fails_ = true; }

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override { return source_->path(); }
  [[nodiscard]] std::int64_t size() const noexcept override { return source_->size(); }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    begin_read(std::vector<Request>{{offset, into}})->wait();
  }

  [[nodiscard]] std::unique_ptr<Pending> begin_read(
      std::span<const Request> requests) const override {
    return std::make_unique<Read>(*this, requests);
  }

 private:
  class Read final : public Pending {
   public:
    Read(const LatentSource& source, std::span<const Request> requests)
        : source_(source),
          requests_(requests.begin(), requests.end()),
          end_(source.clock_.now + source.latency_) {
      source_.clock_.begin();
    }
    ~Read() override { source_.clock_.end(); }

    void wait() override {
      source_.clock_.now = std::max(source_.clock_.now, end_);
      if (source_.fails_) throw IoError(std::string(source_.name()) + ": is not reached");
      source_.source_->read_many(requests_);
    }

   private:
    const LatentSource& source_;
    const std::vector<Request> requests_;
    const std::int64_t end_;
  };

  const std::shared_ptr<const ByteSource> source_;
  LatentClock& clock_;
  const std::int64_t latency_;
  bool fails_ = false;
};

/// Wraps a file system whose files are far away.
class LatentFiles final : public FileSystem {
 public:
  explicit LatentFiles(FileSystem& files) : files_(files) {}

  LatentClock clock;
  std::set<std::string> failing = {};     // paths whose bytes cannot be read
  std::set<std::string> unopenable = {};  // paths that cannot be opened

  std::shared_ptr<const ByteSource> open(const std::string& path) override {
    if (unopenable.contains(path)) throw IoError(path + ": cannot be opened");
    auto source = std::make_shared<LatentSource>(files_.open(path), clock);
    if (failing.contains(path)) source->fail();
    return source;
  }
  bool exists(const std::string& path) override { return files_.exists(path); }
  std::vector<std::string> list(const std::string& pattern) override {
    return files_.list(pattern);
  }
  bool is_folder(const std::string& path) override { return files_.is_folder(path); }
  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    files_.visit_tree(folder, visit);
  }
  std::unique_ptr<ByteSink> create(const std::string& path, const FileOptions& options) override {
    return files_.create(path, options);
  }
  bool check_creatable(const std::string& path) override { return files_.check_creatable(path); }
  bool is_same_file(const std::string& a, const std::string& b) override {
    return files_.is_same_file(a, b);
  }
  void remove(const std::string& path) override { files_.remove(path); }

 private:
  FileSystem& files_;
};

}  // namespace sheaf::testing
