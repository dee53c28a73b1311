#include "bind/bind_contents.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index.h"

#include "data.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

using KeyNumbers = std::vector<std::uint64_t>;

nb::ndarray<nb::numpy, std::uint64_t> keys_of(const Data& self) {
  std::unique_ptr<KeyNumbers> keys;
  {
    const FreeGil free;
    keys = std::make_unique<KeyNumbers>(self.numeric_keys());
  }
  const KeyNumbers& numbers = *keys;
  const nb::capsule owner(keys.release(),
                          [](void* held) noexcept { delete static_cast<KeyNumbers*>(held); });
  return {const_cast<std::uint64_t*>(numbers.data()), {numbers.size()}, owner};
}

nb::list chunks_of(const Data& self) {
  {
    const FreeGil free;
    self.build_index();
  }
  nb::list list;
  const Index& index = self.deserializer().index();
  for (ChunkIndex number{};; number = next(number)) {
    const std::optional<ChunkInfo> chunk = [&] {
      const FreeGil free;
      return index.chunk(number);
    }();
    if (!chunk) return list;
    list.append(nb::make_tuple(chunk->sequence_count, chunk->sample_count, chunk->offset_bytes,
                               chunk->size_bytes, chunk->first_line));
  }
}

std::string format_of(const Data& self) {
  const std::vector<const FilesSpec*> all = files_of(self.plan().spec.data);
  if (all.empty()) throw ConfigError("format: nothing is read from a file");
  const FilesSpec& files = *all.front();
  const std::string path = find_files(files.files).front();
  return std::string(find_format(path, system_files(), files.format).name);
}

// Returns the order of the data with minibatches of about `bytes` decoded bytes.
OrderOptions in_turns(const Data& data, std::int64_t bytes) {
  OrderOptions order = data.plan().spec.read.order;
  order.unit = MinibatchUnit::samples;
  order.minibatch_size = 1;
  if (const std::optional<ChunkInfo> chunk = data.deserializer().index().chunk(ChunkIndex{})) {
    const auto chunk_bytes =
        static_cast<double>(std::max<std::int64_t>(1, chunk->decoded_size_bytes));
    const double samples =
        static_cast<double>(bytes) * static_cast<double>(chunk->sample_count) / chunk_bytes;
    order.minibatch_size = std::max<std::int64_t>(1, static_cast<std::int64_t>(samples));
  }
  return order;
}

}  // namespace

void bind_contents(nb::class_<Data>& type) {
  type.def_prop_ro("format", format_of,
                   "The name of the format. For joined files, the format of the first file.")
      .def("chunks", chunks_of, nb::sig("def chunks(self) -> list[tuple[int, int, int, int, int]]"),
           "Return (sequences, samples, offset, size, first line) for each chunk, with offset and "
           "size in bytes.")
      .def_prop_ro("has_text_keys", &Data::has_text_keys, nb::call_guard<FreeGil>(),
                   "Whether keys are texts.")
      .def("keys", keys_of, nb::rv_policy::reference,
           nb::sig("def keys(self) -> numpy.typing.NDArray[numpy.uint64]"),
           "Return the keys of all sequences, in the order of the file. A text key is the low half "
           "of its hash.")
      .def(
          "in_turns",
          [](const Data& self, std::int64_t bytes) {
            return std::make_shared<Data>(self, in_turns(self, bytes));
          },
          nb::arg("bytes"), nb::call_guard<FreeGil>(),
          "Return the same data, in minibatches of about this number of decoded bytes.");
}

}  // namespace sheaf::python
