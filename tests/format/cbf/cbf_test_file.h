// CBF files made by hand, number by number: none of the library's own code writes them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf::conformance {

/// Appends numbers, little endian.
class CbfBytes {
 public:
  template <typename T>
  CbfBytes& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  CbfBytes& put(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct CbfTestStream {
  std::string name;
  bool is_sparse = false;
  bool is_double = false;
  std::uint32_t dim = 1;
};

/// A chunk as it goes to the file: lengths, then for each stream the blocks of its sequences.
struct CbfTestChunk {
  std::vector<std::uint32_t> lengths;
  std::vector<std::vector<std::string>> blocks;  // [stream][sequence]
  std::string slack = {};
};

struct CbfTestFile {
  std::vector<CbfTestStream> streams;
  std::vector<CbfTestChunk> chunks;
  std::string gap = {};     // behind the prefix
  std::uint32_t parts = 0;  // of each chunk, as far as it has sequences, in checks; 0: no checks
  std::string tail = {};    // before the trailer, where there are no checks
};

/// A dense block of f32 values, `dim` a sample.
[[nodiscard]] std::string dense_block(std::uint32_t samples, const std::vector<float>& values);

/// The same of f64.
[[nodiscard]] std::string dense_block(std::uint32_t samples, const std::vector<double>& values);

/// A sparse block of f32 values.
[[nodiscard]] std::string sparse_block(std::uint32_t samples, const std::vector<float>& values,
                                       const std::vector<std::int32_t>& indices,
                                       const std::vector<std::int32_t>& counts);

/// The file, with the sums and offsets that it needs.
[[nodiscard]] std::string to_bytes(const CbfTestFile& file);

}  // namespace sheaf::conformance
