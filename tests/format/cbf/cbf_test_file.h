// Makes CBF files by hand, number by number, without the library's own code.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf::conformance {

/// Appends little-endian numbers.
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

/// A chunk in the order of the file: lengths, then for each stream the blocks of its sequences.
struct CbfTestChunk {
  std::vector<std::uint32_t> lengths;
  std::vector<std::vector<std::string>> blocks;  // [stream][sequence]
  std::string slack = {};
};

struct CbfTestFile {
  std::vector<CbfTestStream> streams;
  std::vector<CbfTestChunk> chunks;
  std::string gap = {};     // after the prefix
  std::uint32_t parts = 0;  // parts of each chunk in the checks, if it has enough sequences; 0
                            // means no checks
  std::string tail = {};    // before the trailer, if there are no checks
};

/// Returns a dense block of f32 values, `dim` for each sample.
[[nodiscard]] std::string dense_block(std::uint32_t samples, const std::vector<float>& values);

/// Returns a dense block of f64 values.
[[nodiscard]] std::string dense_block(std::uint32_t samples, const std::vector<double>& values);

/// Returns a sparse block of f32 values.
[[nodiscard]] std::string sparse_block(std::uint32_t samples, const std::vector<float>& values,
                                       const std::vector<std::int32_t>& indices,
                                       const std::vector<std::int32_t>& counts);

/// Returns the file, with the right sums and offsets.
[[nodiscard]] std::string to_bytes(const CbfTestFile& file);

}  // namespace sheaf::conformance
