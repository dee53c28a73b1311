#include "dataset/common_streams.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/nothing_found.h"

namespace sheaf::internal {
namespace {

bool is_undeclared(const FormatOptions* options) {
  const auto lacks_shape = [](const StreamOptions& stream) { return !stream.sample_shape; };
  return options != nullptr &&
         (options->streams.empty() || std::ranges::any_of(options->streams, lacks_shape));
}

/// Returns the rank of a type among those found in data. Each type has the numbers of the types
/// before it, or rounds them. Returns 0 for other types.
int width_of(ElementType type) noexcept {
  if (type == ElementType::u8) return 1;
  if (type == ElementType::i64) return 2;
  return type == ElementType::f32 ? 3 : 0;
}

/// The union of the streams of several data sets.
class CommonStreams {
 public:
  /// `pads` says whether dense samples that are too short are filled up.
  ///
  /// Throws: ConfigError if a stream contradicts a known one.
  void add(std::span<const Stream> streams, const std::string& name, bool pads) {
    for (const Stream& stream : streams) {
      const auto [found, is_new] = numbers_.try_emplace(stream.name, streams_.size());
      if (is_new) {
        streams_.push_back(stream);
        names_.push_back(name);
      } else {
        widen(found->second, stream, name, pads);
      }
    }
  }

  [[nodiscard]] bool is_empty() const noexcept { return streams_.empty(); }

  /// Returns the streams to declare for options that leave streams open.
  ///
  /// Throws: NothingFound if no data set has a stream of the options.
  [[nodiscard]] std::vector<StreamOptions> declared(const FormatOptions& options) const {
    std::vector<StreamOptions> all = options.streams;
    if (all.empty()) {
      for (const Stream& stream : streams_) {
        all.push_back({.name = stream.name, .storage = stream.storage});
      }
    }
    std::string not_found;
    for (StreamOptions& stream : all) {
      if (stream.sample_shape) continue;
      const auto found = numbers_.find(stream.name);
      if (found != numbers_.end()) {
        const Stream& known = streams_[found->second];
        stream.sample_shape = known.sample_shape;
        if (!stream.dtype) stream.dtype = known.element_type;
        stream.index_dtype = known.index_type;
      } else if (not_found.empty()) {
        not_found =
            formatted("stream {}: no dim is given, and no file has a {} sample to find it from",
                      quoted(stream.name), to_string(stream.storage));
      }
    }
    if (!not_found.empty()) {
      throw NoDimFound(not_found, {.file = "another file", .streams = std::move(all)});
    }
    return all;
  }

 private:
  void widen(std::size_t number, const Stream& stream, const std::string& name, bool pads) {
    Stream& known = streams_[number];
    const int width = width_of(known.element_type);
    if (width > 0 && width < width_of(stream.element_type)) {
      known.element_type = stream.element_type;
    }
    if (known.sample_shape == stream.sample_shape && known.storage == stream.storage) return;
    const bool is_sparse = known.storage == Storage::sparse;
    const bool is_flat = known.sample_shape.rank() == 1 && stream.sample_shape.rank() == 1;
    if (known.storage != stream.storage || !is_flat || !(is_sparse || pads)) {
      throw ConfigError(refusal_text(difference_text(names_[number], known, name, stream)));
    }
    if (stream.sample_shape.size() < known.sample_shape.size()) return;
    known.sample_shape = stream.sample_shape;
    if (stream.index_type == ElementType::i64) known.index_type = ElementType::i64;
    names_[number] = name;
  }

  std::vector<Stream> streams_;     // in the order of first appearance
  std::vector<std::string> names_;  // [stream]: a data set with this form of the stream
  std::unordered_map<std::string, std::size_t> numbers_;
};

bool has_streams(const Deserializer& data, const std::vector<StreamOptions>& wanted) {
  return std::ranges::equal(
      data.streams(), wanted, [](const Stream& stream, const StreamOptions& options) {
        return stream.name == options.name && stream.storage == options.storage &&
               stream.sample_shape == options.sample_shape &&
               stream.element_type == options.dtype.value_or(stream.element_type) &&
               stream.index_type == options.index_dtype;
      });
}

/// Returns the streams found in a file that cannot be opened without the streams of other files.
std::vector<Stream> found_streams(const NothingFound::Known& known) {
  std::vector<Stream> streams;
  for (const StreamOptions& options : known.streams) {
    if (!options.sample_shape) continue;
    streams.push_back({.name = options.name,
                       .element_type = options.dtype.value_or(ElementType::f32),
                       .sample_shape = *options.sample_shape,
                       .storage = options.storage,
                       .index_type = options.index_dtype});
  }
  return streams;
}

/// Opens data sets with their own streams first, and then with the streams of all.
class MemberOpener {
 public:
  MemberOpener(std::span<const FormatOptions* const> members, const OpenMember& open)
      : members_(members), open_(open), data_(members.size()), is_for_streams_(members.size()) {}

  std::vector<NamedData> open_all() {
    for (std::size_t i = 0; i < members_.size(); ++i) open(i);
    if (std::ranges::none_of(members_, is_undeclared)) return std::move(data_);
    const CommonStreams common = common_streams();
    const FormatOptions* before = nullptr;  // the options that `wanted` was made for
    std::vector<StreamOptions> wanted;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!is_undeclared(members_[i])) continue;
      if (members_[i] != std::exchange(before, members_[i])) wanted = common.declared(*members_[i]);
      open_again(i, wanted);
    }
    return std::move(data_);
  }

 private:
  // A member that cannot be opened without the streams of others.
  struct NotOpen {
    std::exception_ptr error;
    NothingFound::Known known;
  };

  // If an index file is required, one with other streams still tells which streams the member has.
  void open(std::size_t i) {
    MemberRequest request{.member = i};
    if (members_[i] != nullptr) request.streams = members_[i]->streams;
    const bool may_find =
        is_undeclared(members_[i]) && members_[i]->index.mode == IndexMode::require;
    try {
      data_[i] = open_(request);
    } catch (const NothingFound& error) {
      not_open_.emplace(i, NotOpen{std::current_exception(), error.known()});
    } catch (const ConfigError&) {
      if (!may_find) throw;
      request.is_for_streams = true;
      is_for_streams_[i] = true;
      data_[i] = open_(request);
    }
  }

  [[nodiscard]] CommonStreams common_streams() const {
    CommonStreams common;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const FormatOptions* const options = members_[i];
      const bool pads = options != nullptr && options->compatibility == Compatibility::cntk;
      if (const auto found = not_open_.find(i); found != not_open_.end()) {
        const NothingFound::Known& known = found->second.known;
        common.add(found_streams(known), known.file, pads);
      } else {
        common.add(data_[i].data->streams(), data_[i].name, pads);
      }
    }
    if (common.is_empty() && !not_open_.empty()) {
      std::rethrow_exception(not_open_.begin()->second.error);
    }
    return common;
  }

  void open_again(std::size_t i, const std::vector<StreamOptions>& wanted) {
    NamedData& data = data_[i];
    const bool is_same = data.data != nullptr && has_streams(*data.data, wanted);
    if (is_same && !is_for_streams_[i]) return;
    try {
      data = open_({.member = i, .streams = wanted, .earlier = data.data.get()});
    } catch (const ConfigError& error) {  // a file that stores its streams may lack one
      if (is_same || data.data == nullptr) throw;
      throw ConfigError(
          formatted("{}: read with the streams that all files together have: {}; declare the "
                    "streams that are wanted",
                    data.name, error.what()));
    }
  }

  std::span<const FormatOptions* const> members_;
  const OpenMember& open_;
  std::vector<NamedData> data_;
  std::vector<bool> is_for_streams_;  // [member]: opened only to learn its streams
  std::map<std::size_t, NotOpen> not_open_;
};

}  // namespace

std::vector<NamedData> open_with_common_streams(std::span<const FormatOptions* const> members,
                                                const OpenMember& open) {
  return MemberOpener(members, open).open_all();
}

std::string difference_text(const std::string& a, const Stream& of_a, const std::string& b,
                            const Stream& of_b) {
  const auto described = [](const Stream& stream) {
    return to_string(stream) +
           (stream.defines_minibatch_size ? ", which defines the minibatch size" : "");
  };
  return formatted("{} has the stream {}, and {} has it as {}", a, described(of_a), b,
                   described(of_b));
}

std::string refusal_text(const std::string& difference) {
  return formatted(
      "{}; files that are read one after the other have the same streams: declare them, with the "
      "largest dim that any file has",
      difference);
}

}  // namespace sheaf::internal
