#include "format/images/image_streams.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/images/class_id.h"
#include "format/sample_shape.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kImage = "image";
constexpr std::string_view kLabel = "label";
constexpr std::string_view kView = "view";
constexpr std::int64_t kClassesMax = kClassIdMax + 1;

[[noreturn]] void refuse(const StreamOptions& declared, std::string_view why) {
  throw ConfigError(formatted("stream {}: {}", quoted(declared.name), why));
}

std::optional<std::int64_t> class_count_of(const FormatOption& option,
                                           const FormatOptions& options) {
  const std::string_view text = value_of(option, options.extra);
  if (text == kImageClassesValues.front()) return std::nullopt;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && next == end && count >= 1 && count <= kClassesMax) return count;
  throw ConfigError(formatted("{}: expected a number of classes from 1 to {}, found {}",
                              option.name, kClassesMax, quoted(text)));
}

/// Collects the streams of one data set.
class Collector {
 public:
  Collector(const FormatOptions& options, const ImageOptionNames& names)
      : options_(options), names_(names) {
    const std::string_view labels = value_of(*names.labels, options.extra);
    if (labels == "one_hot") result_.labels = ImageLabels::one_hot;
    if (labels == "none") result_.labels = ImageLabels::none;
    result_.class_count = class_count_of(*names.classes, options);
    if (names.views != nullptr && value_of(*names.views, options.extra) == "10") {
      result_.view_count = 10;
    }
  }

  ImageStreams collect() {
    std::vector<StreamOptions> streams = options_.streams;
    if (streams.empty()) {
      streams.push_back({.name = std::string(kImage)});
      if (result_.labels != ImageLabels::none) streams.push_back({.name = std::string(kLabel)});
      if (result_.view_count > 1) streams.push_back({.name = std::string(kView)});
    }
    for (const StreamOptions& each : streams) take(each);
    if (!result_.label) result_.labels = ImageLabels::none;
    return std::move(result_);
  }

 private:
  void take(const StreamOptions& declared) {
    if (declared.name.empty()) throw ConfigError("streams: a stream needs a name");
    for (const Stream& other : result_.streams) {
      if (other.name == declared.name) refuse(declared, "another stream has the same name");
    }
    const std::string_view name = declared.alias.empty() ? declared.name : declared.alias;
    Stream stream{.name = declared.name, .defines_minibatch_size = declared.defines_minibatch_size};
    if (name == kImage) {
      location(declared, result_.image);
      expect(declared, ElementType::bytes, Shape{Shape::kVariable});
      stream.element_type = ElementType::bytes;
      stream.sample_shape = Shape{Shape::kVariable};
    } else if (name == kLabel) {
      location(declared, result_.label);
      set_label(declared, stream);
    } else if (name == kView) {
      if (names_.views == nullptr) refuse(declared, "the streams are image and label");
      location(declared, result_.view);
      expect(declared, ElementType::i32, Shape{1});
      stream.element_type = ElementType::i32;
      stream.sample_shape = Shape{1};
    } else {
      refuse(declared,
             formatted("there is no stream {}: the streams are image{}; an alias gives "
                       "one of them another name",
                       quoted(name), names_.views == nullptr ? " and label" : ", label and view"));
    }
    result_.streams.push_back(std::move(stream));
  }

  void location(const StreamOptions& declared, std::optional<std::size_t>& at) const {
    if (at) {
      refuse(declared, formatted("stream {} is the same stream of the files",
                                 quoted(result_.streams[*at].name)));
    }
    at = result_.streams.size();
  }

  static void expect(const StreamOptions& declared, ElementType type, const Shape& shape) {
    if (declared.storage == Storage::dense && declared.dtype.value_or(type) == type &&
        declared.sample_shape.value_or(shape) == shape) {
      return;
    }
    refuse(declared,
           formatted("the samples are dense {} of shape {}", to_string(type), to_string(shape)));
  }

  void set_label(const StreamOptions& declared, Stream& stream) {
    if (result_.labels == ImageLabels::none) {
      refuse(declared, formatted("{}=none leaves the labels out", names_.labels->name));
    }
    const bool is_sparse = declared.storage == Storage::sparse;
    if (is_sparse || declared.sample_shape || declared.dtype == ElementType::i32 ||
        declared.dtype == ElementType::i64) {
      result_.labels = is_sparse ? ImageLabels::one_hot : ImageLabels::ids;
    }
    if (result_.labels == ImageLabels::ids) {
      const ElementType type = declared.dtype.value_or(ElementType::i32);
      if (type != ElementType::i32 && type != ElementType::i64) {
        refuse(declared, formatted("class ids are read as i32 or i64, not {}", to_string(type)));
      }
      expect(declared, type, Shape{1});
      stream.element_type = type;
      stream.sample_shape = Shape{1};
      return;
    }
    set_one_hot(declared, stream);
  }

  void set_one_hot(const StreamOptions& declared, Stream& stream) {
    if (declared.sample_shape) {
      const Shape& shape = *declared.sample_shape;
      if (!shape.is_fixed() || shape.rank() != 1) {
        refuse(declared, formatted("a label has the shape [classes], as in [1000], not {}",
                                   to_string(shape)));
      }
      const std::int64_t count = shape.size();
      if (count < 1 || count > kClassesMax || result_.class_count.value_or(count) != count) {
        refuse(declared, formatted("the shape {} is not that of {} classes", to_string(shape),
                                   result_.class_count.value_or(kClassesMax)));
      }
      result_.class_count = count;
    }
    if (!result_.class_count) {
      refuse(declared, formatted("one-hot labels need the number of classes: set {}, or declare "
                                 "the shape [classes]",
                                 names_.classes->name));
    }
    const ElementType type = declared.dtype.value_or(options_.dtype.value_or(ElementType::f32));
    if (type != ElementType::f32 && type != ElementType::f64) {
      refuse(declared, formatted("one-hot labels are f32 or f64, not {}", to_string(type)));
    }
    stream.element_type = type;
    stream.storage = Storage::sparse;
    stream.sample_shape = Shape{*result_.class_count};
    stream.index_type = declared.index_dtype;
    check_sample_shape(declared.name, stream.sample_shape, stream.storage, stream.index_type);
  }

  const FormatOptions& options_;
  const ImageOptionNames& names_;
  ImageStreams result_;
};

}  // namespace

ImageStreams image_streams_of(const FormatOptions& options, const ImageOptionNames& names) {
  return Collector(options, names).collect();
}

}  // namespace sheaf::internal
