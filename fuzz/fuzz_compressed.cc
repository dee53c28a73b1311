// The fuzz target of compressed files and archives. The first byte of an input chooses the name of
// the file; the other bytes are its content. For any bytes, the library either refuses the file
// with a reason, or reads it consistently. Size and fingerprint must match the content in every way
// of reading: from front to back, backwards in pieces, in a pass of two threads, and from stored
// access points.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/executor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"a.gz",  "a.zst",    "a.lz4",    "a.tar",
                                                    "a.zip", "a.tar.gz", "a.tar.zst"};
constexpr std::int64_t kSizeMax = std::int64_t{8} << 20;  // larger files would take too much time
constexpr std::int64_t kEntriesMax = 20;

[[noreturn]] void fail(const char* law, std::string_view name) {
  std::fprintf(stderr, "%s: %.*s\n", law, static_cast<int>(name.size()), name.data());
  std::abort();
}

// Reads the whole source in pieces, from front to back or from back to front.
std::string read_in_pieces(const ByteSource& source, std::int64_t piece, bool is_backwards) {
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(text));
  const std::int64_t count = (source.size() + piece - 1) / piece;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = (is_backwards ? count - 1 - i : i) * piece;
    const std::int64_t size = std::min(piece, source.size() - begin);
    source.read_at(begin,
                   bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)));
  }
  return text;
}

std::string check_source(const ByteSource& source) {
  const std::string text = read_in_pieces(source, source.size() / 3 + 1, false);
  if (read_in_pieces(source, source.size() / 7 + 1, true) != text) {
    fail("backwards other bytes are read", source.name());
  }
  if (memory_source(text, "x")->fingerprint() != source.fingerprint()) {
    fail("the fingerprint is not that of the bytes", source.name());
  }
  return text;
}

void check_compressed(const std::string& file, const std::string& name) {
  static Executor& pool = *thread_pool(2).release();
  std::shared_ptr<const ByteSource> source;
  std::string text;
  bool is_good = false;
  try {
    source = decompressed(memory_source(file, name));
    if (source->size() > kSizeMax) return;
    text = check_source(*source);
    is_good = true;
  } catch (const IoError&) {
  }
  try {
    const auto parallel = decompressed(memory_source(file, name), {.executor = &pool});
    if (!is_good || check_source(*parallel) != text) fail("threads read other bytes", name);
  } catch (const IoError&) {
    if (is_good) fail("threads refuse what one thread reads", name);
  }
  if (!is_good) return;
  const DecompressOptions kept{.access_points = source->access_points()};
  if (check_source(*decompressed(memory_source(file, name), kept)) != text) {
    fail("with kept access points other bytes are read", name);
  }
}

void check_archive(const std::string& file, const std::string& name) {
  try {
    const std::shared_ptr<const Archive> archive = open_archive(memory_source(file, name));
    const std::int64_t count = std::min(std::ssize(archive->entries()), kEntriesMax);
    for (std::int64_t i = 0; i < count; ++i) {
      try {
        const std::shared_ptr<const ByteSource> entry = archive->open_entry(i);
        if (entry->size() <= kSizeMax) check_source(*entry);
      } catch (const IoError&) {
      }
    }
  } catch (const IoError&) {
  }
}

void check_input(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string name(kNames[static_cast<unsigned char>(bytes[0]) % kNames.size()]);
  const std::string file(bytes.substr(1));
  if (name.find(".tar") == std::string::npos && name != "a.zip") {
    check_compressed(file, name);
  } else {
    check_archive(file, name);
  }
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
