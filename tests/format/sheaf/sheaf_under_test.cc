#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/format_under_test.h"
#include "format/sheaf/container_builder.h"
#include "format/sheaf/container_test_file.h"
#include "format/sheaf/random_container.h"
#include "reference/sheaf_reference.h"

namespace sheaf::conformance {

FormatUnderTest sheaf_under_test();

namespace {

using testing::ContainerPart;

constexpr std::size_t kFootSize = 40;

// Returns the offset of the directory.
std::int64_t container_data_end(std::string_view bytes) {
  std::uint64_t offset = 0;
  std::memcpy(&offset, bytes.data() + bytes.size() - kFootSize, sizeof offset);
  return static_cast<std::int64_t>(offset);
}

void change_byte(std::string& file, std::int64_t begin, std::int64_t end, Choices& choices) {
  if (begin == end) return;
  char& byte = file[static_cast<std::size_t>(begin + choices.below(end - begin))];
  byte = static_cast<char>(byte ^ (1 + choices.below(255)));
}

void damage(std::string& file, bool opens, Choices& choices) {
  if (!opens && choices.once_in(4)) {
    file.resize(static_cast<std::size_t>(choices.below(std::ssize(file))));
    return;
  }
  if (!opens && choices.once_in(3)) return change_byte(file, 0, std::ssize(file), choices);
  std::vector<ContainerPart> columns = testing::parts_of(file);
  std::erase_if(columns,
                [](const ContainerPart& part) { return !part.what.starts_with("column"); });
  if (columns.empty()) return;
  const ContainerPart& part = columns[static_cast<std::size_t>(choices.below(std::ssize(columns)))];
  change_byte(file, part.offset, part.offset + part.size, choices);
}

std::string generate_container(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  testing::BuiltContainer built = testing::random_container(choices);
  const bool breaks_rule = !built.chunks.empty() && choices.once_in(10);
  if (breaks_rule) testing::break_rule(built, choices);
  std::string file = testing::build_container(built);
  // The directory must have all streams that are requested by name.
  if (!breaks_rule && choices.once_in(4)) damage(file, !options.streams.empty(), choices);
  return file;
}

std::vector<Alphabet> container_letters() {
  const std::string file = testing::build_container(
      {.streams = {{.name = "a"}},
       .chunks = {{.sample_counts = {1},
                   .blocks = {{.columns = {{testing::array_of<std::uint8_t>({}),
                                            testing::array_of<std::int64_t>({1}),
                                            testing::array_of<float>({0.5F})}}}}}}});
  const auto directory = static_cast<std::size_t>(container_data_end(file));
  return {{.letters = {file.substr(0, 64), file.substr(64, directory - 64),
                       file.substr(directory, file.size() - kFootSize - directory),
                       file.substr(file.size() - kFootSize), std::string(8, '\0')},
           .length_max = 4}};
}

}  // namespace

FormatUnderTest sheaf_under_test() {
  FormatOptions texts;
  texts.keys = KeyType::text;
  FormatOptions chosen;
  chosen.streams = {{.name = "indices",
                     .alias = "b",
                     .storage = Storage::sparse,
                     .index_dtype = ElementType::i64},
                    {.name = "doubles", .alias = "a", .dtype = ElementType::f64}};
  return {.name = "sheaf",
          .option_sets = {{.name = "plain", .options = {}, .alphabets = container_letters()},
                          {.name = "texts", .options = texts, .alphabets = {}},
                          {.name = "chosen", .options = chosen, .alphabets = {}}},
          .generate = generate_container,
          .reference = parse_sheaf,
          .stores_index = true,
          .data_end = container_data_end,
          .writing_options = {{},
                              {.write = {{"sheaf.compression", "small"}}},
                              {.write = {{"sheaf.compression", "none"}}}},
          .keeps_empty_streams = true,
          .keeps_entry_order = true};
}

}  // namespace sheaf::conformance
