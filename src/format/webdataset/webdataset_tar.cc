// The format is described in POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block".

#include "format/webdataset/webdataset_tar.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/text.h"

namespace sheaf::webdataset {
namespace {

constexpr std::size_t kNameSize = 100;
constexpr std::int64_t kUstarSizeMax = (std::int64_t{1} << 33) - 1;  // 11 octal digits

void put(std::span<char> block, std::size_t at, std::string_view text) {
  std::ranges::copy(text, block.begin() + static_cast<std::ptrdiff_t>(at));
}

void append_ustar(std::string_view name, std::int64_t size_bytes, char type, std::string& archive) {
  std::array<char, static_cast<std::size_t>(kTarBlockBytes)> block{};
  put(block, 0, name.substr(0, kNameSize));
  put(block, 100, "0000644");
  put(block, 108, "0000000");
  put(block, 116, "0000000");
  put(block, 124, formatted("{:011o}", size_bytes));
  put(block, 136, "00000000000");
  put(block, 148, "        ");  // for the checksum, its own field counts as blanks
  block[156] = type;
  put(block, 257,
      std::string_view("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char each : block) sum += static_cast<unsigned char>(each);
  put(block, 148, formatted("{:06o}", sum));
  block[154] = '\0';
  archive.append(block.data(), block.size());
}

// Returns "LENGTH KEY=VALUE\n". The length includes its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (formatted("{}", length).size() + rest != length) ++length;
  return formatted("{} {}={}\n", length, key, value);
}

}  // namespace

void append_tar_header(std::string_view name, std::int64_t size_bytes, std::string& archive) {
  std::string records;
  if (name.size() > kNameSize) records += pax_record("path", name);
  if (size_bytes > kUstarSizeMax) records += pax_record("size", formatted("{}", size_bytes));
  if (!records.empty()) {
    append_ustar("././@PaxHeader", static_cast<std::int64_t>(records.size()), 'x', archive);
    archive += records;
    append_tar_padding(static_cast<std::int64_t>(records.size()), archive);
  }
  append_ustar(name, size_bytes > kUstarSizeMax ? 0 : size_bytes, '0', archive);
}

void append_tar_padding(std::int64_t size_bytes, std::string& archive) {
  const std::int64_t rest = size_bytes % kTarBlockBytes;
  if (rest > 0) archive.append(static_cast<std::size_t>(kTarBlockBytes - rest), '\0');
}

std::string tar_end_mark() { return std::string(2 * kTarBlockBytes, '\0'); }

}  // namespace sheaf::webdataset
