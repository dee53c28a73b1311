// Binds a chain to the streams of data: decides which streams each transform reads and makes.

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/extend/transform_list.h"

#include "base/text.h"
#include "transform/chain.h"
#include "transform/transform_types.h"

namespace sheaf::internal {
namespace {

// The assumed size of a sample of unknown size. It is large enough for threads to share the work.
constexpr double kUnsizedBytes = 64 << 10;

// Returns a view of no samples. Its pointers are valid, so adding offsets to them is allowed.
SequenceView empty_view(const Stream& stream) noexcept {
  static constexpr std::int64_t kNoOffset = 0;
  static constexpr std::byte kNothing{};
  SequenceView view{.values = &kNothing};
  if (stream.storage == Storage::sparse) view.indices = &kNothing;
  if (stream.storage == Storage::sparse || !stream.sample_shape.is_fixed()) {
    view.sample_offsets = &kNoOffset;
  }
  if (!stream.sample_shape.is_fixed()) view.extents = &kNoOffset;
  return view;
}

std::string listed(std::span<const Stream> streams) {
  std::string all;
  for (const Stream& stream : streams) {
    all += formatted("{}\"{}\"", all.empty() ? "" : ", ", stream.name);
  }
  return all;
}

}  // namespace

/// Binds the specs one after the other.
class TransformChain::Builder {
 public:
  Builder(TransformChain& chain, const Context& context) : chain_(chain), context_(context) {
    for (std::size_t i = 0; i < chain.sources_.size(); ++i) {
      if (chain.sources_[i].defines_minibatch_size) defining_ = i;
      streams_.push_back({.stream = chain.sources_[i], .stream_number = i, .counting = {}});
    }
    chain.numbered_count_ = chain.sources_.size();
  }

  void add(const TransformSpec& spec, std::int64_t number) {
    number_ = number;
    text_ = to_string(spec);
    try {
      add(spec);
    } catch (const ConfigError& error) {
      throw ConfigError(formatted("transform \"{}\": {}", text_, error.what()));
    }
  }

  void finish() {
    for (const Named& named : streams_) {
      chain_.result_numbers_.push_back(named.stream_number);
      chain_.streams_.push_back(named.stream);
      chain_.result_sizes_.emplace_back(named.stream);
    }
    if (is_random_) say(formatted("seed {}", context_.seed));
    chain_.counting_ = counting();
    find_ordered();
  }

  // Finds the transforms whose numbers are drawn before any transform is applied.
  void find_ordered() {
    for (std::size_t i = 0; i < chain_.links_.size(); ++i) {
      Link& link = chain_.links_[i];
      if (link.transform->ordered_draws({}) == nullptr) continue;
      for (std::size_t k = 0; k < link.inputs.size(); ++k) {
        if (link.inputs[k] < chain_.sources_.size()) continue;
        throw ConfigError(formatted(
            "transform \"{}\" follows the order of the minibatches, so it needs a stream of the "
            "data, and another transform makes the stream \"{}\"",
            link.label, link.input_streams[k].name));
      }
      link.ordered = chain_.ordered_.size();
      chain_.ordered_.push_back(i);
    }
  }

 private:
  /// A transform that changes the number of samples, and the number of its spec.
  struct Counting {
    std::shared_ptr<const Transform> transform;
    std::int64_t number = 0;
  };

  /// A stream after the transforms bound so far.
  struct Named {
    Stream stream;
    std::size_t stream_number = 0;
    std::vector<Counting> counting;
  };

  void add(const TransformSpec& spec) {
    if (spec.type == kFunctionTransform) {
      add_function(spec);
      return;
    }
    const TransformType& type = type_of(spec.type);
    const std::vector<std::size_t> inputs = inputs_of(spec, type.takes_all);
    switch (type.use) {
      case TransformUse::select:
        select(spec, inputs);
        return;
      case TransformUse::rename:
        rename(spec, inputs);
        return;
      case TransformUse::each:
      case TransformUse::together:
        break;
    }
    check_as(spec, inputs);
    if (type.use == TransformUse::together) {
      link(made(type, spec, inputs), inputs, spec.as);
      return;
    }
    const std::vector<std::size_t> named = named_inputs(type, spec);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::vector<std::size_t> read = named;
      if (std::ranges::find(read, inputs[i]) != read.end()) {
        throw ConfigError(
            formatted("the stream \"{}\" is named twice", streams_[inputs[i]].stream.name));
      }
      read.push_back(inputs[i]);
      link(made(type, spec, read), read, spec.as.empty() ? spec.as : std::vector{spec.as[i]});
    }
  }

  [[nodiscard]] std::shared_ptr<const Transform> made(
      const TransformType& type, const TransformSpec& spec,
      const std::vector<std::size_t>& inputs) const {
    std::vector<Stream> streams;
    streams.reserve(inputs.size());
    for (const std::size_t input : inputs) streams.push_back(streams_[input].stream);
    return type.make(
        {.options = spec.options, .streams = streams, .read_file = context_.read_file});
  }

  // Returns the indices in streams_ of the streams that options name.
  [[nodiscard]] std::vector<std::size_t> named_inputs(const TransformType& type,
                                                      const TransformSpec& spec) const {
    std::vector<std::size_t> inputs;
    for (const TransformOption& option : type.options) {
      if (!option.is_stream) continue;
      const auto name = spec.options.find(std::string(option.name));
      if (name == spec.options.end()) {
        throw ConfigError(formatted("{} is needed: the name of a stream", option.name));
      }
      inputs.push_back(find(name->second));
    }
    return inputs;
  }

  void add_function(const TransformSpec& spec) {
    const auto name = spec.options.find("name");
    if (name == spec.options.end()) throw ConfigError("name is needed: that of a function");
    const auto found = context_.functions == nullptr ? TransformFunctions::const_iterator{}
                                                     : context_.functions->find(name->second);
    if (context_.functions == nullptr || found == context_.functions->end()) {
      throw ConfigError(formatted("the program gives no function \"{}\"", name->second));
    }
    link(found->second, inputs_of(spec, true), spec.as);
  }

  [[nodiscard]] static const TransformType& type_of(const std::string& name) {
    const TransformType* const type = transform_type(name);
    if (type == nullptr) throw ConfigError(unknown_transform_type(name));
    return *type;
  }

  // Returns the indices in streams_ of the streams that a transform reads.
  [[nodiscard]] std::vector<std::size_t> inputs_of(const TransformSpec& spec,
                                                   bool takes_all) const {
    std::vector<std::size_t> inputs;
    if (spec.streams.empty()) {
      if (!takes_all) throw ConfigError("the streams are needed, such as \"TYPE:features\"");
      for (std::size_t i = 0; i < streams_.size(); ++i) inputs.push_back(i);
      // The first input gives the number of samples.
      std::stable_partition(inputs.begin(), inputs.end(), [&](std::size_t input) {
        return streams_[input].stream_number == defining_;
      });
    }
    for (const std::string& name : spec.streams) {
      const std::size_t input = find(name);
      if (std::ranges::find(inputs, input) != inputs.end()) {
        throw ConfigError(formatted("the stream \"{}\" is named twice", name));
      }
      inputs.push_back(input);
    }
    return inputs;
  }

  [[nodiscard]] std::size_t find(const std::string& name) const {
    std::vector<std::string> names;
    std::vector<Stream> all;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].stream.name == name) return i;
      names.push_back(streams_[i].stream.name);
      all.push_back(streams_[i].stream);
    }
    const std::string nearest = nearest_name(name, names);
    throw ConfigError(formatted("there is no stream \"{}\"; the streams are {}{}", name,
                                listed(all),
                                nearest.empty() ? "" : formatted("; did you mean {}?", nearest)));
  }

  static void check_as(const TransformSpec& spec, const std::vector<std::size_t>& inputs) {
    if (spec.as.empty() || spec.as.size() == inputs.size()) return;
    throw ConfigError(formatted("as needs one name for each of {} streams, got {}", inputs.size(),
                                spec.as.size()));
  }

  void select(const TransformSpec& spec, const std::vector<std::size_t>& inputs) {
    if (inputs.empty()) throw ConfigError("at least one stream is needed");
    if (!spec.as.empty()) throw ConfigError("select has no names of its own: rename gives some");
    refuse_options(spec);
    std::vector<Named> kept;
    kept.reserve(inputs.size());
    for (const std::size_t input : inputs) kept.push_back(streams_[input]);
    streams_ = std::move(kept);
    say(text_);
  }

  void rename(const TransformSpec& spec, const std::vector<std::size_t>& inputs) {
    refuse_options(spec);
    if (spec.as.empty()) throw ConfigError("as is needed: the new names, such as as=NAME");
    check_as(spec, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) streams_[inputs[i]].stream.name = spec.as[i];
    check_names();
    say(text_);
  }

  static void refuse_options(const TransformSpec& spec) {
    if (spec.options.empty()) return;
    throw ConfigError(formatted("there is no option \"{}\"", spec.options.begin()->first));
  }

  void check_names() const {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (streams_[i].stream.name != streams_[k].stream.name) continue;
        throw ConfigError(formatted("two streams would be called \"{}\"", streams_[i].stream.name));
      }
    }
  }

  void link(const std::shared_ptr<const Transform>& transform,
            const std::vector<std::size_t>& inputs, const std::vector<std::string>& as) {
    Link link;
    link.transform = transform;
    link.random_name = random_name(*transform);
    link.label = text_;
    link.source = source_of(streams_[inputs.back()].stream_number);
    for (const std::size_t input : inputs) {
      link.inputs.push_back(streams_[input].stream_number);
      link.input_streams.push_back(streams_[input].stream);
    }
    link.first_input = chain_.input_count_;
    chain_.input_count_ += inputs.size();
    link.first_output = chain_.numbered_count_;
    link.output_streams = transform->outputs(link.input_streams);
    if (!as.empty() && as.size() != link.output_streams.size()) {
      throw ConfigError(formatted("as needs one name for each of {} streams, got {}",
                                  link.output_streams.size(), as.size()));
    }
    chain_.numbered_count_ += link.output_streams.size();
    std::vector<Counting> counting = streams_[inputs.front()].counting;
    if (!transform->keeps_counts()) counting.push_back({transform, number_});
    const bool makes_defining = streams_[inputs.front()].stream_number == defining_;
    for (std::size_t i = 0; i < link.output_streams.size(); ++i) {
      Stream& made = link.output_streams[i];
      if (!as.empty()) made.name = as[i];
      link.empty_views.push_back(empty_view(made));
      const std::size_t stream_number = link.first_output + i;
      const auto same = std::ranges::find_if(
          streams_, [&](const Named& named) { return named.stream.name == made.name; });
      const bool replaces_defining = same != streams_.end() && same->stream_number == defining_;
      const bool keeps_size = !makes_defining && transform->keeps_minibatch_size();
      made.defines_minibatch_size = replaces_defining && !keeps_size;
      if (replaces_defining && !keeps_size) {
        if (!makes_defining) {
          throw ConfigError(formatted(
              "the stream \"{}\" defines the minibatch size; it must be the first that is read",
              made.name));
        }
        defining_ = stream_number;
      }
      Named named{.stream = made, .stream_number = stream_number, .counting = counting};
      if (same != streams_.end()) {
        *same = std::move(named);
      } else {
        streams_.push_back(std::move(named));
      }
      remember_counting(stream_number, counting);
    }
    check_names();
    is_random_ |= transform->is_random();
    chain_.batch_ = std::max(chain_.batch_, transform->batch());
    describe(link, as);
    merge(link, as);
    set_sizes(link);
    for (Link& before : chain_.links_) before.is_read |= reads_from(link, before);
    chain_.links_.push_back(std::move(link));
  }

  /// Merges the previous link into this one, if one transform can do both in less time, and nothing
  /// else reads the output of the previous link. The text of the chain keeps both transforms.
  void merge(Link& link, const std::vector<std::string>& as) {
    if (chain_.links_.empty() || !as.empty()) return;
    const Link& before = chain_.links_.back();
    const bool is_last_input = before.output_streams.size() == 1 &&
                               link.output_streams.size() == 1 &&
                               link.inputs.back() == before.first_output &&
                               std::ranges::count(link.inputs, before.first_output) == 1 &&
                               link.output_streams[0].name == before.output_streams[0].name;
    if (!is_last_input || !before.transform->keeps_counts() || !link.transform->keeps_counts()) {
      return;
    }
    std::shared_ptr<const Transform> both =
        before.transform->then(link.transform, before.random_name, link.random_name);
    if (both == nullptr) return;
    link.transform = std::move(both);
    link.inputs.pop_back();
    link.inputs.insert(link.inputs.end(), before.inputs.begin(), before.inputs.end());
    link.input_streams.pop_back();
    link.input_streams.insert(link.input_streams.end(), before.input_streams.begin(),
                              before.input_streams.end());
    chain_.input_count_ = before.first_input + link.inputs.size();
    link.first_input = before.first_input;
    link.label = before.label + " and " + link.label;
    link.source = before.source;
    chain_.links_.pop_back();
  }

  // Returns the stream of the data that the values of a numbered stream come from.
  [[nodiscard]] std::size_t source_of(std::size_t stream_number) const {
    if (stream_number < chain_.sources_.size()) return stream_number;
    for (const Link& link : chain_.links_) {
      const std::size_t end = link.first_output + link.output_streams.size();
      if (link.first_output <= stream_number && stream_number < end) return link.source;
    }
    return 0;
  }

  [[nodiscard]] static bool reads_from(const Link& link, const Link& before) {
    const std::size_t end = before.first_output + before.output_streams.size();
    return std::ranges::any_of(link.inputs, [&](std::size_t stream_number) {
      return before.first_output <= stream_number && stream_number < end;
    });
  }

  // Sets the memory that the samples made by the transform take.
  void set_sizes(Link& link) {
    shapes_max_.resize(chain_.numbered_count_);
    for (std::size_t i = 0; i < link.output_streams.size(); ++i) {
      const Stream& made = link.output_streams[i];
      std::optional<Shape>& shape = shapes_max_[link.first_output + i];
      link.shapes_max.emplace_back();
      if (made.storage == Storage::sparse) continue;
      if (made.sample_shape.is_fixed()) {
        shape = made.sample_shape;
      } else if ((shape = link.transform->shape_max(i))) {
        check_shape_max(made, *shape);
        link.shapes_max.back() = shape;
      } else if (link.transform->keeps_samples() && i < link.inputs.size()) {
        shape =
            shapes_max_[link.inputs[i]];  // for samples of the data nothing: the index counts them
      } else if (link.unsized.empty()) {
        link.unsized = made.name;
      }
      if (!shape) {
        if (!link.unsized.empty()) link.sample_bytes += kUnsizedBytes;
        continue;
      }
      link.sample_bytes +=
          static_cast<double>(shape->size()) * static_cast<double>(element_size(made.element_type));
      if (!made.sample_shape.is_fixed()) {
        link.sample_bytes += sizeof(std::int64_t) * (1.0 + shape->rank());
      }
    }
  }

  static void check_shape_max(const Stream& made, const Shape& most) {
    const std::span<const std::int64_t> extents = made.sample_shape.extents();
    const bool fits =
        most.is_fixed() && most.rank() == made.sample_shape.rank() &&
        std::ranges::equal(extents, most.extents(), [](std::int64_t own, std::int64_t at_most) {
          return own == Shape::kVariable || own == at_most;
        });
    if (fits) return;
    throw ConfigError(formatted("shape_max: expected the largest extents of {}, got {}",
                                to_string(made), to_string(most)));
  }

  // Adds all options of a transform to the text of a position, including options with their
  // default.
  void describe(const Link& link, const std::vector<std::string>& as) {
    TransformSpec said{.type = std::string(link.transform->name()), .as = as};
    for (const Stream& stream : link.input_streams) said.streams.push_back(stream.name);
    const std::string options = link.transform->options();
    say(to_string(said) + (options.empty() ? "" : (as.empty() ? ":" : ",") + options));
  }

  void say(const std::string& text) { chain_.text_ += (chain_.text_.empty() ? "" : "; ") + text; }

  // Returns names such as "clip" and then "clip#2", so that two clips of a chain draw different
  // numbers.
  [[nodiscard]] std::string random_name(const Transform& transform) {
    const std::string name(transform.name());
    const std::int64_t number = ++used_names_[name];
    return number == 1 ? name : formatted("{}#{}", name, number);
  }

  void remember_counting(std::size_t stream_number, const std::vector<Counting>& counting) {
    if (stream_number == defining_) defining_counting_ = counting;
  }

  // Returns the transforms that change the number of samples that orders count. If no stream is
  // marked, orders count the longest stream, so all streams must change in the same way.
  [[nodiscard]] std::vector<std::shared_ptr<const Transform>> counting() const {
    std::vector<Counting> found;
    if (defining_) {
      found = defining_counting_;
    } else {
      found = streams_.front().counting;
      for (const Named& named : streams_) {
        if (std::ranges::equal(named.counting, found, {}, &Counting::number, &Counting::number))
          continue;
        const Stream& first = chain_.sources_.front();
        throw ConfigError(formatted(
            "transforms: the numbers of samples of \"{}\" and \"{}\" change in different ways, so "
            "it is open which of them minibatch sizes count; mark the stream of the data that "
            "defines the minibatch size, as in \"{}:{}:mb\", or give the transform all streams",
            streams_.front().stream.name, named.stream.name, first.name,
            first.storage == Storage::sparse ? "sparse" : "dense"));
      }
    }
    std::vector<std::shared_ptr<const Transform>> transforms;
    transforms.reserve(found.size());
    for (const Counting& each : found) transforms.push_back(each.transform);
    return transforms;
  }

  TransformChain& chain_;
  const Context& context_;
  std::vector<Named> streams_;
  std::optional<std::size_t> defining_;  // stream number that defines the minibatch size
  std::vector<Counting> defining_counting_;
  std::map<std::string, std::int64_t> used_names_;
  std::vector<std::optional<Shape>> shapes_max_;  // [stream number]; nothing if sizes have no bound
  bool is_random_ = false;
  std::int64_t number_ = 0;  // of the current spec
  std::string text_;         // of the current spec
};

TransformChain::TransformChain(std::span<const Stream> streams,
                               std::span<const TransformSpec> specs, const Context& context)
    : seed_(context.seed), sources_(streams.begin(), streams.end()) {
  for (const Stream& source : sources_) source_sizes_.emplace_back(source);
  Builder builder(*this, context);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    builder.add(specs[i], static_cast<std::int64_t>(i));
  }
  builder.finish();
}

}  // namespace sheaf::internal
