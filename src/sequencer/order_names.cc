#include <string_view>

#include "sheaf/order.h"

namespace sheaf {

std::string_view to_string(MinibatchUnit unit) noexcept {
  switch (unit) {
    case MinibatchUnit::samples:
      return "samples";
    case MinibatchUnit::sequences:
      return "sequences";
    case MinibatchUnit::cost:
      break;
  }
  return "cost";
}

std::string_view to_string(OrderAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case OrderAlgorithm::file:
      return "file";
    case OrderAlgorithm::cntk:
      return "cntk";
    case OrderAlgorithm::keyed:
      break;
  }
  return "keyed";
}

std::string_view to_string(Batching batching) noexcept {
  return batching == Batching::bucketed ? "bucketed" : "plain";
}

std::string_view to_string(Sizes sizes) noexcept {
  return sizes == Sizes::exact ? "exact" : "even";
}

std::string_view to_string(LongSequences long_sequences) noexcept {
  switch (long_sequences) {
    case LongSequences::error:
      return "error";
    case LongSequences::split:
      return "split";
    case LongSequences::truncate:
      return "truncate";
    case LongSequences::drop:
      break;
  }
  return "drop";
}

}  // namespace sheaf
