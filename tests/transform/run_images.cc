#include "transform/run_images.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory_resource>

#include <gtest/gtest.h>

#include "base/unaligned.h"
#include "core/element_cast.h"
#include "transform/checked_draws.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

constexpr std::size_t kRank = 3;

void append_value(std::vector<std::byte>& bytes, ElementType type, double value) {
  internal::with_zero_of(type, [&]<typename T>(T) {
    if constexpr (!kIsHalf<T>) {
      const T number = static_cast<T>(value);
      const auto* const from = reinterpret_cast<const std::byte*>(&number);
      bytes.insert(bytes.end(), from, from + sizeof(T));
    }
  });
}

/// The arrays of a sequence of images.
class ImageArrays {
 public:
  explicit ImageArrays(const TestImages& images) : is_fixed_(images.is_fixed) {
    for (const std::string& file : images.files) {
      const auto* const from = reinterpret_cast<const std::byte*>(file.data());
      values_.insert(values_.end(), from, from + file.size());
      offsets_.push_back(std::ssize(values_));
      extents_.push_back(std::ssize(file));
    }
    for (const TestImage& image : images.pixels) {
      for (const double value : image.values) append_value(values_, images.type, value);
      offsets_.push_back(offsets_.back() + std::ssize(image.values));
      extents_.insert(extents_.end(), image.extents.begin(), image.extents.end());
    }
    values_.shrink_to_fit();  // lets the sanitizers find reads beyond the end
  }

  [[nodiscard]] SequenceView view() const {
    SequenceView all{.values = values_.data(),
                     .sample_count = std::ssize(offsets_) - 1,
                     .value_count = offsets_.back()};
    if (!is_fixed_) {
      all.sample_offsets = offsets_.data();
      all.extents = extents_.data();
    }
    return all;
  }

 private:
  bool is_fixed_;
  std::vector<std::byte> values_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::int64_t> extents_;
};

void append_32(std::string& bytes, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xFF);
}

std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1U ^ 0xEDB88320U : crc >> 1U;
  }
  return ~crc;
}

void append_chunk(std::string& png, const std::string& name, const std::string& data) {
  append_32(png, static_cast<std::uint32_t>(data.size()));
  png += name + data;
  append_32(png, crc_of(name + data));
}

// Returns an uncompressed zlib stream.
std::string stored(const std::string& data) {
  constexpr std::size_t kBlock = 65535;
  std::string made = "\x78\x01";
  for (std::size_t at = 0; at == 0 || at < data.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, data.size() - at);
    made += at + size == data.size() ? '\x01' : '\x00';
    for (const std::size_t word : {size, ~size}) {
      made += static_cast<char>(word & 0xFF);
      made += static_cast<char>(word >> 8 & 0xFF);
    }
    made += data.substr(at, size);
  }
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char byte : data) {
    low = (low + static_cast<std::uint8_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  append_32(made, high << 16U | low);
  return made;
}

std::vector<TestImage> images_of(const Stream& stream, const SequenceView& view) {
  std::vector<TestImage> images;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    TestImage& image = images.emplace_back();
    const std::span<const std::int64_t> extents =
        view.extents != nullptr ? std::span(view.extents + i * std::int64_t{kRank}, kRank)
                                : stream.sample_shape.extents();
    image.extents.assign(extents.begin(), extents.end());
    std::int64_t size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    if (view.sample_offsets != nullptr) {
      EXPECT_EQ(view.sample_offsets[i + 1] - view.sample_offsets[i], size);
    }
    for (std::int64_t v = 0; v < size; ++v, ++at) {
      image.values.push_back(internal::with_zero_of(stream.element_type, [&](auto zero) {
        return static_cast<double>(arithmetic(internal::load<decltype(zero)>(view.values, at)));
      }));
    }
  }
  return images;
}

// Parses "TYPE:OPTION=VALUE,OPTION=VALUE".
TransformSpec spec_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string options = colon == std::string::npos ? "" : text.substr(colon);
  return parse_transform(text.substr(0, colon) + ":image" + options);
}

std::vector<std::string> generators_of(const std::vector<std::string>& texts) {
  std::map<std::string, int> counts;
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const std::string type = spec_of(text).type;
    const int count = ++counts[type];
    names.push_back(count == 1 ? type : type + '#' + std::to_string(count));
  }
  return names;
}

std::vector<TestImage> run_images(const Transform& transform, const TestImages& images,
                                  std::string_view generator, std::vector<Diagnostic>* warnings) {
  const ImageArrays arrays(images);
  const ImageArrays numbers({.pixels = {{.extents = {}, .values = images.numbers}},
                             .type = ElementType::f64,
                             .is_fixed = true});
  std::vector<Stream> streams = {stream_of(images)};
  std::vector<SequenceView> views = {arrays.view()};
  if (!images.numbers.empty()) {
    streams.insert(streams.begin(),
                   {.name = "view", .element_type = ElementType::f64, .sample_shape = Shape{1}});
    SequenceView view = numbers.view();
    view.sample_count = std::ssize(images.numbers);
    views.insert(views.begin(), view);
  }
  std::vector<std::int64_t> counts;
  for (const SequenceView& view : views) counts.push_back(view.sample_count);
  SampleRange range = images.range;
  range.count = std::min(range.count, counts.front() - range.first);
  const std::vector<std::int64_t> firsts(views.size(), range.first);
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i] = part_of_view(views[i], streams[i], range);
  }
  const TransformedSequence sequence{
      .name = {.seed = images.seed, .key = {images.key, 0}, .transform = generator},
      .sample_counts = counts,
      .drawn = images.drawn};
  const std::vector<Stream> made = transform.outputs(streams);
  std::vector<SequenceView> results(1);
  std::pmr::monotonic_buffer_resource memory;
  TransformOutput output(made, results, memory);
  transform.apply(
      {.sequence = sequence, .streams = streams, .views = views, .firsts = firsts, .range = range},
      output);
  if (warnings != nullptr) {
    warnings->insert(warnings->end(), output.warnings().begin(), output.warnings().end());
  }
  return images_of(made[0], results[0]);
}

}  // namespace

TestImage random_image(std::int64_t height, std::int64_t width, std::int64_t channels,
                       std::uint64_t seed) {
  TestImage image{.extents = {height, width, channels}};
  KeyedGenerator generator(KeyedGenerator::Key{seed, 1});
  for (std::int64_t i = 0; i < height * width * channels; ++i) {
    image.values.push_back(static_cast<double>(generator.below(256)));
  }
  return image;
}

TestImage numbered_image(std::int64_t height, std::int64_t width, std::int64_t channels) {
  TestImage image{.extents = {height, width, channels}};
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        image.values.push_back(static_cast<double>(10 * y + x + 100 * c));
      }
    }
  }
  return image;
}

std::string png_of(const TestImage& image) {
  std::string header;
  append_32(header, static_cast<std::uint32_t>(image.extents[1]));
  append_32(header, static_cast<std::uint32_t>(image.extents[0]));
  header += '\x08';
  header += image.extents[2] == 1 ? '\x00' : '\x02';
  header += std::string(3, '\0');
  std::string rows;
  const std::int64_t row_size = image.extents[1] * image.extents[2];
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    if (static_cast<std::int64_t>(i) % row_size == 0) rows += '\0';  // no PNG filter
    rows += static_cast<char>(static_cast<std::uint8_t>(image.values[i]));
  }
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", stored(rows));
  append_chunk(png, "IEND", "");
  return png;
}

Stream stream_of(const TestImages& images) {
  if (!images.files.empty()) {
    return {.name = "image",
            .element_type = ElementType::bytes,
            .sample_shape = Shape{Shape::kVariable}};
  }
  Stream stream{.name = "image", .element_type = images.type};
  stream.sample_shape = images.is_fixed
                            ? Shape(std::span<const std::int64_t>(images.pixels[0].extents))
                            : Shape{Shape::kVariable, Shape::kVariable, Shape::kVariable};
  return stream;
}

std::vector<TestImage> run_images(const Transform& transform, const TestImages& images,
                                  std::vector<Diagnostic>* warnings) {
  return run_images(transform, images, transform.name(), warnings);
}

std::vector<double> drawn_for(OrderedDraws& draws, std::int64_t sequence,
                              const TestImages& images) {
  const ImageArrays arrays(images);
  const std::vector<SequenceView> views = {arrays.view()};
  std::vector<double> numbers;
  if (internal::looks_right(draws, views)) draws.draw(sequence, views, numbers);
  return numbers;
}

bool looks_right_for(const OrderedDraws& draws, const TestImages& images) {
  const ImageArrays arrays(images);
  const std::vector<SequenceView> views = {arrays.view()};
  return internal::looks_right(draws, views);
}

std::vector<std::shared_ptr<const Transform>> apart(
    const std::vector<std::string>& texts, const std::map<std::string, std::string>& files) {
  std::vector<std::shared_ptr<const Transform>> all;
  for (const std::string& text : texts) {
    const TransformSpec spec = spec_of(text);
    all.push_back(make_type(spec.type, spec.options, files));
  }
  return all;
}

std::shared_ptr<const Transform> joined(const std::vector<std::string>& texts,
                                        const std::map<std::string, std::string>& files) {
  const std::vector<std::shared_ptr<const Transform>> all = apart(texts, files);
  const std::vector<std::string> names = generators_of(texts);
  std::shared_ptr<const Transform> made = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) made = made->then(all[i], names[i - 1], names[i]);
  return made;
}

std::vector<TestImage> run_apart(const std::vector<std::string>& texts, TestImages images,
                                 const std::map<std::string, std::string>& files) {
  const std::vector<std::shared_ptr<const Transform>> all = apart(texts, files);
  const std::vector<std::string> names = generators_of(texts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Stream> streams = {stream_of(images)};
    const Stream made = all[i]->outputs(streams)[0];
    images.pixels = run_images(*all[i], images, names[i], nullptr);
    images.files.clear();
    images.type = made.element_type;
    images.is_fixed = made.sample_shape.is_fixed();
  }
  return images.pixels;
}

}  // namespace sheaf
