// Tests a shard of a few entries. webdataset_deserializer_test.cc reads several shards.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "io/archive/make_archive.h"
#include "reference/webdataset_reference.h"

namespace sheaf::conformance {

FormatUnderTest webdataset_under_test();

namespace {

std::string random_bytes(Choices& choices) {
  std::string bytes;
  const std::int64_t count = choices.once_in(6) ? choices.below(900) : choices.below(20);
  for (std::int64_t i = 0; i < count; ++i) bytes += static_cast<char>(choices.below(256));
  return bytes;
}

std::string random_label(Choices& choices) {
  if (choices.once_in(20)) return std::string(choices.pick({"", "x", "1.5", "9", "99999999999"}));
  return std::string(choices.pick({"0", "1", "2", "2\n", " 1"}));
}

std::string random_entry(Choices& choices, const std::string& key, std::string_view suffix) {
  const std::string bytes = suffix == "cls" ? random_label(choices) : random_bytes(choices);
  const std::string name = key + "." + std::string(suffix);
  if (choices.once_in(10)) {
    const std::string record = " path=" + name + "\n";
    const std::size_t size = record.size() + 2;
    return pax_header(std::to_string(size) + record) + tar_entry("short", bytes);
  }
  return tar_entry(name, bytes);
}

std::string random_sequence(Choices& choices, const std::string& key, bool has_frames,
                            bool has_text) {
  std::string bytes;
  if (has_frames) {
    const std::int64_t count = choices.below(4);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t number = choices.once_in(30) ? 0 : i;
      bytes += random_entry(choices, key, "00" + std::to_string(number) + ".png");
    }
  }
  if (!has_frames || choices.once_in(3)) {
    const std::string_view suffix = choices.once_in(3) ? "JPG" : "jpg";
    bytes += random_entry(choices, key, suffix);
  }
  if (!has_frames && choices.once_in(40)) bytes += random_entry(choices, key, "png");
  if (choices.once_in(40)) bytes += tar_entry(key + ".jpg", "again");
  if (!choices.once_in(25)) bytes += random_entry(choices, key, "cls");
  if (has_text && !choices.once_in(25)) bytes += random_entry(choices, key, "seg.txt");
  return bytes;
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const bool has_frames = options.extra.contains("webdataset.frames");
  const bool has_text = choices.once_in(2);
  std::string bytes;
  const std::int64_t count = 3 + choices.below(6);
  for (std::int64_t i = 0; i < count; ++i) {
    if (choices.once_in(8)) bytes += tar_header({.name = "folder/", .type = '5'});
    if (choices.once_in(8)) bytes += tar_entry("__MACOSX/x.jpg", "x");
    if (choices.once_in(8)) bytes += tar_entry("README", "no suffix");
    const std::int64_t number = choices.once_in(20) ? 0 : i;
    const std::string folder = choices.once_in(3) ? "a/b.c/" : "";
    bytes += random_sequence(choices, folder + std::to_string(number), has_frames, has_text);
  }
  bytes += tar_end();
  if (choices.once_in(30)) bytes[static_cast<std::size_t>(choices.below(std::ssize(bytes)))] ^= 4;
  if (choices.once_in(30)) {
    bytes.resize(static_cast<std::size_t>(choices.below(std::ssize(bytes))));
  }
  return bytes;
}

std::vector<Alphabet> letters() {
  const std::string long_name = pax_header("14 path=b.cls\n");
  return {{.letters = {tar_entry("a.jpg", "xy"), tar_entry("a.cls", "1"), tar_entry("b.png", ""),
                       tar_end()},
           .length_max = 6},
          {.letters = {tar_entry("a.000.jpg", "x"), tar_entry("a.001.PNG", "yy"),
                       tar_entry("a.jpg", "z"), tar_entry("a.cls", "7"), long_name, tar_end(), "c"},
           .length_max = 5}};
}

}  // namespace

FormatUnderTest webdataset_under_test() {
  FormatOptions declared;
  declared.streams = {
      {.name = "picture", .alias = "jpg+png", .defines_minibatch_size = true},
      {.name = "class", .alias = "cls", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  declared.missing_streams = MissingStreams::allow;
  FormatOptions frames;
  frames.extra = {{"webdataset.frames", "true"}};
  frames.missing_streams = MissingStreams::allow;
  return {.name = "webdataset",
          .option_sets =
              {{.name = "plain", .options = {}, .alphabets = letters(), .one_in = 4},
               {.name = "declared", .options = declared, .alphabets = letters(), .one_in = 4},
               {.name = "frames", .options = frames, .alphabets = letters(), .one_in = 4}},
          .generate = generate,
          .reference = parse_webdataset,
          .data_end = webdataset_data_end,
          .has_text_keys = true,
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
