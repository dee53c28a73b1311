// Makes Megatron files in memory, byte by byte as Megatron's own writer does.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/megatron/megatron_deserializer.h"
#include "support/write_file.h"

namespace sheaf::megatron::testing {

template <typename T>
void append(std::string& bytes, const std::type_identity_t<T>& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A list that a test may damage, and the tokens.
struct Made {
  std::uint8_t code = 8;
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> pointers;
  std::vector<std::int64_t> documents;
  std::string tokens;
  std::string behind;  // after the list

  [[nodiscard]] std::string list() const {
    std::string bytes("MMIDIDX\0\0", 9);
    append<std::uint64_t>(bytes, 1);
    append<std::uint8_t>(bytes, code);
    append<std::uint64_t>(bytes, lengths.size());
    append<std::uint64_t>(bytes, documents.size());
    for (const std::int32_t length : lengths) append<std::int32_t>(bytes, length);
    for (const std::int64_t pointer : pointers) append<std::int64_t>(bytes, pointer);
    for (const std::int64_t document : documents) append<std::int64_t>(bytes, document);
    return bytes + behind;
  }
};

/// Returns documents of one sequence each, with tokens of type T.
template <typename T>
Made made_of(std::uint8_t code, const std::vector<std::vector<T>>& documents) {
  Made made{
      .code = code, .lengths = {}, .pointers = {}, .documents = {0}, .tokens = {}, .behind = {}};
  for (const std::vector<T>& tokens : documents) {
    made.lengths.push_back(static_cast<std::int32_t>(tokens.size()));
    made.pointers.push_back(static_cast<std::int64_t>(made.tokens.size()));
    made.documents.push_back(static_cast<std::int64_t>(made.lengths.size()));
    for (const T token : tokens) append<T>(made.tokens, token);
  }
  return made;
}

/// The two files in the folder "d".
class FilesInMemory {
 public:
  explicit FilesInMemory(const Made& made) {
    sheaf::testing::write_file(*files_, "d/t.idx", made.list());
    sheaf::testing::write_file(*files_, "d/t.bin", made.tokens);
  }

  [[nodiscard]] FileSystem& files() const noexcept { return *files_; }

  [[nodiscard]] std::unique_ptr<MegatronDeserializer> open(FormatOptions options = {}) const {
    OpenRequest request;
    request.source = files_->open("d/t.idx");
    request.options = std::move(options);
    request.context.files = files_.get();
    return std::make_unique<MegatronDeserializer>(request);
  }

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
};

}  // namespace sheaf::megatron::testing
