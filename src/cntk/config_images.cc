#include "cntk/config_images.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "cntk/config_choice.h"
#include "cntk/config_tree.h"
#include "cntk/conversions.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kExtentMax = 1 << 16;
constexpr std::int64_t kClassesMax = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kViews = "10";  // four corners and the center, then the same mirrored

// The prefix that CNTK's Python gives to the names of unused labels.
constexpr std::string_view kUnwanted = "_ignore_labels_";

// Returns the word of a setting, which is one of `words` in any case. Returns the first of them if
// the setting is left out.
std::string word_of(const ConfigSection& section, std::string_view key,
                    std::initializer_list<std::string_view> words) {
  const std::optional<ConfigValue> value = section.find(key);
  if (!value) return std::string(*words.begin());
  std::string all;
  for (const std::string_view word : words) {
    if (is_same_ignoring_case(value->as<std::string>(), word)) return std::string(word);
    all += formatted("{}{}", all.empty() ? "" : " or ", word);
  }
  value->refuse(all);
}

/// Turns the transforms of one stream of images into transforms of a spec.
class ImageTransforms {
 public:
  ImageTransforms(std::string stream, std::string view, const ReaderWideOptions& wide)
      : stream_(std::move(stream)),
        view_(std::move(view)),
        is_double_(wide.dtype == ElementType::f64) {}

  /// Returns whether there is a crop that needs several views of each image.
  [[nodiscard]] bool needs_views() const noexcept { return needs_views_; }
  [[nodiscard]] std::vector<TransformSpec> take() && { return std::move(specs_); }

  void decode(bool is_gray) {
    add("decode", {{"color", is_gray ? "grey" : "bgr"}, {"rules", "opencv"}});
  }

  // Adds the transform that the setting `type` names.
  void add_typed(const ConfigSection& section) {
    const ConfigValue type = section.at("type");
    const auto name = type.as<std::string>();
    if (has_planes_ && name != "Cast") type.refuse("Cast, or nothing, behind Transpose");
    if (name == "Crop") {
      crop(section);
    } else if (name == "Scale") {
      scale(section);
    } else if (name == "Mean") {
      mean(section);
    } else if (name == "Color") {
      color(section);
    } else if (name == "Intensity") {
      intensity(section);
    } else if (name == "Transpose") {
      transpose();
    } else if (name == "Cast") {
      // Ignored: the precision of the reader applies.
      static_cast<void>(word_of(section, "precision", {"float", "double"}));
      cast();
    } else {
      type.refuse(
          R"("Crop" or "Scale" or "Mean" or "Color" or "Intensity" or "Transpose" or "Cast")");
    }
    static_cast<void>(section.find("module"));
  }

  void crop(const ConfigSection& section) {
    has_one_size_ = false;
    const std::string word =
        word_of(section, "cropType", {"center", "randomside", "randomarea", "multiview10"});
    const bool is_random = word.starts_with("random");
    const bool is_multi_view = word == "multiview10";
    Options options;
    add_sizes(section, options);
    if (is_random && !options.contains("size") && !options.contains("side_ratio") &&
        !options.contains("area_ratio")) {
      section.at("cropType")
          .refuse("a cropSize, sideRatio or areaRatio beside it",
                  "CNTK takes the whole image, without a word");
    }
    if (is_multi_view) {
      needs_views_ = true;
      options["view"] = view_;
      static_cast<void>(section.find("hflip"));
      static_cast<void>(section.find("seed"));
      // CNTK draws from a range, and never from a single number. Views have no other draws.
      const bool has_range = std::ranges::any_of(
          options, [](const auto& option) { return option.second.find(':') != std::string::npos; });
      if (!has_range) options.erase("jitter");
      if (options.contains("jitter") || options.contains("aspect_ratio")) {
        add_draws(section, options);
      }
      add("crop_views", std::move(options));
      return;
    }
    options["at"] = is_random ? "random" : "center";
    const std::optional<ConfigValue> flip = section.find("hflip");
    if (flip ? flip->as<bool>() : is_random) options["flip"] = "true";
    add_draws(section, options);
    add("crop", std::move(options));
  }

  void scale(const ConfigSection& section) {
    has_one_size_ = true;
    const std::int64_t width = section.at("width").as_count(1, kExtentMax);
    const std::int64_t height = section.at("height").as_count(1, kExtentMax);
    const std::int64_t channels = section.at("channels").as_count(1, 4);
    Options options = {{"size", formatted("{}x{}", height, width)},
                       {"channels", formatted("{}", channels)},
                       {"antialias", "false"}};
    const std::string kind =
        word_of(section, "interpolations", {"linear", "nearest", "cubic", "lanczos"});
    if (kind != "linear") options["filter"] = kind;
    options["mode"] = choice<std::string>(
        section, "scaleMode", {{"fill", "fill"}, {"crop", "crop"}, {"pad", "pad"}}, "fill");
    if (const auto padding = section.find("padValue")) {
      const auto value = padding->as<std::int64_t>();
      if (value < -1 || value > 255) padding->refuse("-1, or 0 to 255");
      if (options["mode"] == "pad") options["pad_value"] = formatted("{}", value);
    }
    add("resize", std::move(options));
  }

  void mean(const ConfigSection& section) {
    const bool has_planes = word_of(section, "meanLayout", {"pixels", "planes"}) == "planes";
    const std::optional<ConfigValue> file = section.find("meanFile");
    if (!file || file->as<std::string>().empty()) return;
    Options options = {{"color", "bgr"}, {"file", file->as_path()}};
    if (has_planes) options["layout"] = "planes";
    has_one_size_ = true;  // that of the file
    add_dtype(options);
    add("mean", std::move(options));
  }

  void color(const ConfigSection& section) {
    Options options;
    constexpr std::pair<std::string_view, std::string_view> kRadii[] = {
        {"brightnessRadius", "brightness"},
        {"contrastRadius", "contrast"},
        {"saturationRadius", "saturation"}};
    for (const auto& [key, option] : kRadii) {
      const std::optional<ConfigValue> value = section.find(key);
      if (!value) continue;
      const auto radius = value->as<double>();
      if (!(radius >= 0 && radius <= 1)) value->refuse("0 to 1");
      if (radius > 0) options[std::string(option)] = value->as<std::string>();
    }
    if (options.empty()) return;
    add_draws(section, options);
    add_dtype(options);
    add("color", std::move(options));
  }

  void intensity(const ConfigSection& section) {
    const std::optional<ConfigValue> file = section.find("intensityFile");
    const std::optional<ConfigValue> deviation = section.find("intensityStdDev");
    if (!file || file->as<std::string>().empty() || !deviation) return;
    if (deviation->as<double>() == 0) return;
    Options options = {
        {"color", "bgr"}, {"file", file->as_path()}, {"deviation", deviation->as<std::string>()}};
    add_draws(section, options);
    add_dtype(options);
    add("intensity", std::move(options));
  }

  void transpose() {
    demand_one_size();
    has_planes_ = true;
    add("transpose", {});
  }

  void cast() {
    if (!first_cast_) first_cast_ = specs_.size();
    add("cast", {{"dtype", is_double_ ? "float64" : "float32"}});
  }

  void finish() {
    demand_one_size();
    cast();
  }

 private:
  using Options = std::map<std::string, std::string>;

  void add(std::string_view type, Options options) {
    specs_.push_back(
        {.type = std::string(type), .streams = {stream_}, .options = std::move(options)});
  }

  // CNTK delivers images of one size. Without a Scale, the first image has it. A cast does not
  // change the size, and the check must read a stream of the data.
  void demand_one_size() {
    if (has_one_size_) return;
    has_one_size_ = true;
    const std::size_t at = first_cast_.value_or(specs_.size());
    specs_.insert(specs_.begin() + static_cast<std::ptrdiff_t>(at),
                  {.type = "same_size", .streams = {stream_}, .options = {}});
  }

  void add_dtype(Options& options) const {
    if (is_double_) options["dtype"] = "float64";
  }

  // CNTK has one generator for each element of a minibatch.
  static void add_draws(const ConfigSection& section, Options& options) {
    options["draws"] = "ordered";
    const std::optional<ConfigValue> seed = section.find("seed");
    if (seed) options["seed"] = formatted("{}", seed->as_count(0, kClassesMax));
  }

  // Returns the parts of a value, which are separated by ':' or are the elements of an array. A
  // text that a program set is one element.
  static std::vector<std::string> parts_of(const ConfigValue& value) {
    std::vector<std::string> parts;
    for (const ConfigValue& element : value.elements()) {
      const auto text = element.as<std::string>();
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    return parts;
  }

  // Returns one or two numbers as a text with ':' between them. Returns nothing if all are `unset`.
  static std::optional<std::string> pair_of(const ConfigSection& section, std::string_view key,
                                            double unset) {
    const std::optional<ConfigValue> value = section.find(key);
    if (!value) return std::nullopt;
    const std::vector<std::string> parts = parts_of(*value);
    bool is_pair = parts.size() == 1 || parts.size() == 2;
    bool is_unset = true;
    std::string text;
    for (const std::string& part : parts) {
      const std::optional<double> number = number_of(part);
      is_pair &= number.has_value();
      is_unset &= number == unset;
      text += (text.empty() ? "" : ":") + part;
    }
    if (!is_pair) value->refuse("a number, or two as MIN:MAX");
    return is_unset ? std::nullopt : std::optional(text);
  }

  static void add_sizes(const ConfigSection& section, Options& options) {
    if (const std::optional<ConfigValue> size = section.find("cropSize")) {
      const std::vector<std::string> parts = parts_of(*size);
      std::vector<std::int64_t> extents;
      for (const std::string& part : parts) {
        const std::optional<std::int64_t> extent = integer_of(part);
        if (extent && *extent >= 0 && *extent <= kExtentMax) extents.push_back(*extent);
      }
      if (parts.empty() || parts.size() > 2 || extents.size() < parts.size()) {
        size->refuse(formatted("a whole number from 0 to {}, or two as WIDTH:HEIGHT", kExtentMax));
      }
      const std::int64_t width = extents.front();
      const std::int64_t height = extents.back();
      if (width > 0 && height > 0) options["size"] = formatted("{}x{}", height, width);
    }
    const auto side = pair_of(section, "sideRatio", 0);
    const auto area = pair_of(section, "areaRatio", 0);
    const auto aspect = pair_of(section, "aspectRatio", 1);
    if (side && area) section.at("areaRatio").refuse("sideRatio or areaRatio, not both");
    const std::string jitter = word_of(section, "jitterType", {"none", "uniratio"});
    if (options.contains("size")) return;  // the size overrides the ratios
    if (side) options["side_ratio"] = *side;
    if (area) options["area_ratio"] = *area;
    if (aspect) options["aspect_ratio"] = *aspect;
    if (jitter == "uniratio") options["jitter"] = "uniform";
  }

  const std::string stream_;
  const std::string view_;
  const bool is_double_;
  bool needs_views_ = false;
  bool has_planes_ = false;  // whether the channels come first
  std::optional<std::size_t> first_cast_;
  bool has_one_size_ = false;  // whether all images have the size of a setting, or are checked
  std::vector<TransformSpec> specs_;
};

// Returns the one child section that has a setting.
ConfigValue only_with(const ConfigSection& section, std::string_view key) {
  std::optional<ConfigValue> found;
  for (const ConfigValue& child : section.settings()) {
    if (!child.is_section() || !child.section().has_here(key)) continue;
    if (found) {
      child.refuse(formatted("no {} here", key),
                   formatted("\"{}\" has it; images have one stream of each kind", found->key()));
    }
    found = child;
  }
  if (!found) {
    throw ConfigTextError(
        section.diagnostic("missing", formatted("a section with {}", key), "none"));
  }
  return *std::move(found);
}

/// Reads the section of one deserializer.
class ImagesReader {
 public:
  ImagesReader(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
               ReaderPlan& plan)
      : section_(section),
        format_(format),
        names_(*format.cntk->images),
        wide_(wide),
        plan_(plan) {}

  void read_composite() {
    const ConfigSection input = section_.at("input").section();
    const ConfigValue feature = only_with(input, "transforms");
    const ConfigSection features = feature.section();
    ImageTransforms transforms = begin(feature.key(), section_.get<bool>("grayscale", false));
    for (const ConfigSection& each : features.at("transforms").sections()) {
      transforms.add_typed(each);
    }
    const bool has_views = section_.get<bool>("multiViewCrop", false) || transforms.needs_views();
    if (has_views) check_views(features);
    finish(feature.key(), only_with(input, "labelDim"), has_views, std::move(transforms));
  }

  void read_alone() {
    const ConfigValue feature = only_with(section_, "width");
    const ConfigSection features = feature.section();
    const bool is_gray =
        features.get<bool>("grayscale", features.at("channels").as<std::int64_t>() == 1);
    ImageTransforms transforms = begin(feature.key(), is_gray);
    transforms.crop(features);
    transforms.scale(features);
    transforms.color(features);
    transforms.intensity(features);
    transforms.mean(features);
    const bool is_planar = choice<bool>(features, "mbFormat",
                                        {{"nchw", true}, {"nhwc", false}, {"legacy", false}}, true);
    if (is_planar) transforms.transpose();
    const ConfigValue label = only_with(section_, "labelDim");
    const bool has_views = transforms.needs_views();
    finish(feature.key(), label, has_views, std::move(transforms));
    plan_.transforms.push_back({.type = "to_dense", .streams = {label.key()}});
  }

 private:
  [[nodiscard]] std::string view_of(const std::string& stream) const {
    return stream + "_" + std::string(names_.view);
  }

  [[nodiscard]] ImageTransforms begin(const std::string& stream, bool is_gray) const {
    ImageTransforms transforms(stream, view_of(stream), wide_);
    transforms.decode(is_gray);
    return transforms;
  }

  // All views of an image have the same key.
  void check_views(const ConfigSection& features) const {
    if (plan_.data.empty()) return;
    features.at("transforms")
        .refuse("no multiview10 here",
                "an image of ten views has ten sequences of one key, which "
                "join with no other deserializer");
  }

  void finish(const std::string& feature, const ConfigValue& label, bool has_views,
              ImageTransforms transforms) {
    const std::int64_t dim = label.section().at("labelDim").as_count(1, kClassesMax);
    FilesSpec files;
    read_settings(section_, format_.cntk->settings, files, plan_);
    files.files = {section_.at("file").as_path()};
    FormatOptions& options = files.format;
    options.format = format_.name;
    options.dtype = wide_.dtype;
    options.keys = wide_.keys;
    options.compatibility = Compatibility::cntk;
    options.streams = {{.name = feature, .alias = std::string(names_.image)}};
    if (label.key().starts_with(kUnwanted)) {
      options.extra.emplace(names_.labels, "none");
    } else {
      options.extra.emplace(names_.labels, "one_hot");
      options.extra.emplace(names_.classes, formatted("{}", dim));
      options.streams.push_back({.name = label.key(),
                                 .alias = std::string(names_.label),
                                 .storage = Storage::sparse,
                                 .sample_shape = Shape{dim}});
    }
    if (has_views) {
      options.extra.emplace(names_.views, kViews);
      options.streams.push_back({.name = view_of(feature), .alias = std::string(names_.view)});
    }
    plan_.data.push_back(std::move(files));
    transforms.finish();
    for (TransformSpec& each : std::move(transforms).take()) {
      plan_.transforms.push_back(std::move(each));
    }
    if (has_views) plan_.dropped.push_back(view_of(feature));
    plan_.has_image_chunks = names_.is_chunk_each;
  }

  const ConfigSection& section_;
  const Format& format_;
  const CntkImages& names_;
  const ReaderWideOptions& wide_;
  ReaderPlan& plan_;
};

}  // namespace

void add_images(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
                ReaderPlan& plan) {
  ImagesReader(section, format, wide, plan).read_composite();
}

void add_image_reader(const ConfigSection& section, const Format& format,
                      const ReaderWideOptions& wide, ReaderPlan& plan) {
  ImagesReader(section, format, wide, plan).read_alone();
}

}  // namespace sheaf::internal
