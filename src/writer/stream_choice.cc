#include "writer/stream_choice.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/float16.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

std::string names_of(std::span<const Stream> streams) {
  std::string names;
  for (const Stream& stream : streams) {
    names += formatted("{}\"{}\"", names.empty() ? "" : ", ", stream.name);
  }
  return names.empty() ? "none" : names;
}

Stream chosen(const Stream& given, const WrittenStream& written) {
  Stream stream = given;
  if (!written.alias.empty()) stream.name = written.alias;
  if (written.defines_minibatch_size) {
    stream.defines_minibatch_size = *written.defines_minibatch_size;
  }
  if (written.dtype) {
    if (!can_cast(given.element_type, *written.dtype)) {
      throw ConfigError(
          formatted("stream \"{}\": {} values cannot be written as {}: bytes are no numbers",
                    given.name, to_string(given.element_type), to_string(*written.dtype)));
    }
    stream.element_type = *written.dtype;
  }
  return stream;
}

void check_names(std::span<const Stream> streams) {
  const Stream* defining = nullptr;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Stream& stream = streams[i];
    if (std::ranges::find(streams.first(i), stream.name, &Stream::name) !=
        streams.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw ConfigError(formatted("two streams would be written as \"{}\"", stream.name));
    }
    if (!stream.defines_minibatch_size) continue;
    if (defining != nullptr) {
      throw ConfigError(
          formatted("streams \"{}\" and \"{}\" both define the minibatch size; one at most can",
                    defining->name, stream.name));
    }
    defining = &stream;
  }
}

}  // namespace

StreamChoice::StreamChoice(std::span<const Stream> given, std::span<const WrittenStream> written)
    : given_(given.begin(), given.end()) {
  for (const WrittenStream& one : written) {
    const auto source = std::ranges::find(given_, one.name, &Stream::name);
    if (source == given_.end()) {
      throw ConfigError(formatted("no stream is named \"{}\": what is to be written has {}",
                                  one.name, names_of(given_)));
    }
    streams_.push_back(chosen(*source, one));
    sources_.push_back(source - given_.begin());
  }
  if (written.empty()) {
    streams_ = given_;
    for (std::int64_t i = 0; i < std::ssize(given_); ++i) sources_.push_back(i);
  }
  if (streams_.empty()) throw ConfigError("there is no stream to write");
  check_names(streams_);
}

ChosenViews StreamChoice::convert(std::vector<std::span<const SequenceView>> views) const {
  ChosenViews result;
  result.converted_views.resize(views.size());
  result.converted_values.resize(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const ElementType from = given_[static_cast<std::size_t>(sources_[i])].element_type;
    const ElementType to = streams_[i].element_type;
    if (from == to) continue;
    std::int64_t value_count = 0;
    for (const SequenceView& view : views[i]) value_count += view.value_count;
    Buffer& values = result.converted_values[i];
    values.resize(value_count * element_size(to));
    std::vector<SequenceView>& converted = result.converted_views[i];
    converted.assign(views[i].begin(), views[i].end());
    std::byte* end = values.mutable_data();
    for (SequenceView& view : converted) {
      const std::int64_t lost = cast_elements(from, view.values, to, end, view.value_count);
      if (casts_by_rounding(from, to)) {
        result.values_out_of_range += lost;
      } else if (lost > 0) {
        const std::int64_t first = first_lost(from, view.values, to, view.value_count);
        result.lost = {i, static_cast<std::size_t>(&view - converted.data()), first,
                       with_zero_of(from, [&](auto zero) {
                         return formatted("{}",
                                          arithmetic(load<decltype(zero)>(view.values, first)));
                       })};
        return result;
      }
      view.values = end;
      end += view.value_count * element_size(to);
    }
    views[i] = converted;
  }
  result.views = std::move(views);
  return result;
}

std::int64_t StreamChoice::sample_count(
    std::span<const std::span<const SequenceView>> views) const noexcept {
  const auto defining = std::ranges::find(streams_, true, &Stream::defines_minibatch_size);
  std::int64_t count = 0;
  for (std::size_t n = 0; n < views.front().size(); ++n) {
    if (defining != streams_.end()) {
      count += views[static_cast<std::size_t>(defining - streams_.begin())][n].sample_count;
      continue;
    }
    std::int64_t longest = 0;
    for (const auto& of_stream : views) longest = std::max(longest, of_stream[n].sample_count);
    count += longest;
  }
  return count;
}

}  // namespace sheaf::internal
