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

}  // namespace sheaf
