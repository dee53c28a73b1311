// Makes archives for tests.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <zlib.h>

namespace sheaf {

inline std::string octal(std::uint64_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value /= 8) text[i] = static_cast<char>('0' + value % 8);
  return text;
}

inline std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 511) / 512 * 512, '\0');
  return bytes;
}

/// A tar header of 512 bytes.
struct TarHeader {
  std::string name;
  std::uint64_t size = 0;
  char type = '0';
  std::string prefix = {};
  bool is_gnu = false;
  std::string size_field = {};  // 12 bytes that replace `size` in octal digits
};

inline std::string tar_header(const TarHeader& options) {
  std::string header(512, '\0');
  header.replace(0, options.name.size(), options.name);
  header.replace(100, 8, octal(0644, 7) + '\0');
  header.replace(124, 12,
                 options.size_field.empty() ? octal(options.size, 11) + '\0' : options.size_field);
  header.replace(136, 12, octal(0, 11) + '\0');
  header.replace(148, 8, "        ");
  header[156] = options.type;
  header.replace(257, 8,
                 options.is_gnu ? std::string("ustar  \0", 8) : std::string("ustar\00000", 8));
  header.replace(345, options.prefix.size(), options.prefix);
  std::uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
  return header;
}

inline std::string tar_entry(const std::string& name, const std::string& bytes) {
  return tar_header({.name = name, .size = bytes.size()}) + padded(bytes);
}

inline std::string pax_header(const std::string& records) {
  return tar_header({.name = "pax", .size = records.size(), .type = 'x'}) + padded(records);
}

inline std::string tar_end() { return std::string(1024, '\0'); }

inline std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return bytes;
}

/// Makes a zip, entry by entry.
class ZipMaker {
 public:
  struct Options {
    bool is_deflated = false;
    bool is_zip64 = false;
    int method = -1;  // the method in the directory; -1 means the real one
    bool is_encrypted = false;
  };

  void add(const std::string& name, const std::string& bytes, const Options& options) {
    const std::string stored = options.is_deflated ? deflated(bytes) : bytes;
    const std::uint64_t offset = bytes_.size();
    const auto checksum = static_cast<std::uint64_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    const auto method = static_cast<std::uint64_t>(
        options.method >= 0 ? options.method : (options.is_deflated ? 8 : 0));
    const std::string common = little_endian(options.is_encrypted ? 1 : 0, 2) +
                               little_endian(method, 2) + little_endian(0, 4) +
                               little_endian(checksum, 4);
    bytes_ += "PK\3\4" + little_endian(20, 2) + common + little_endian(stored.size(), 4) +
              little_endian(bytes.size(), 4) + little_endian(name.size(), 2) + little_endian(3, 2) +
              name + "abc" + stored;
    const auto field = [&options](std::uint64_t value) {
      return little_endian(options.is_zip64 ? 0xFFFF'FFFF : value, 4);
    };
    std::string extra = little_endian(0x5455, 2) + little_endian(1, 2) + "x";
    if (options.is_zip64) {
      extra += little_endian(1, 2) + little_endian(24, 2) + little_endian(bytes.size(), 8) +
               little_endian(stored.size(), 8) + little_endian(offset, 8);
    }
    directory_ += "PK\1\2" + little_endian(20, 2) + little_endian(20, 2) + common +
                  field(stored.size()) + field(bytes.size()) + little_endian(name.size(), 2) +
                  little_endian(extra.size(), 2) + little_endian(2, 2) + little_endian(0, 2) +
                  little_endian(0, 2) + little_endian(0, 4) + field(offset) + name + extra + "cc";
    ++count_;
  }

  [[nodiscard]] std::string finish(bool is_zip64 = false, const std::string& comment = {}) const {
    std::string bytes = bytes_ + directory_;
    if (is_zip64) {
      const std::uint64_t end_at = bytes.size();
      bytes += "PK\6\6" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
               little_endian(0, 4) + little_endian(0, 4) + little_endian(count_, 8) +
               little_endian(count_, 8) + little_endian(directory_.size(), 8) +
               little_endian(bytes_.size(), 8);
      bytes += "PK\6\7" + little_endian(0, 4) + little_endian(end_at, 8) + little_endian(1, 4);
    }
    bytes += "PK\5\6" + little_endian(0, 2) + little_endian(0, 2) +
             little_endian(is_zip64 ? 0xFFFF : count_, 2) +
             little_endian(is_zip64 ? 0xFFFF : count_, 2) +
             little_endian(is_zip64 ? 0xFFFF'FFFF : directory_.size(), 4) +
             little_endian(is_zip64 ? 0xFFFF'FFFF : bytes_.size(), 4) +
             little_endian(comment.size(), 2) + comment;
    return bytes;
  }

 private:
  static std::string deflated(std::string bytes) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
  }

  std::string bytes_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

}  // namespace sheaf
