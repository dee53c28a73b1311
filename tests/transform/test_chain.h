/// \file
/// Makes chains of transforms from texts.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_transforms.h"
#include "transform/chain.h"

namespace sheaf::internal {

inline Stream dense(std::string_view name) {
  return {.name = std::string(name), .sample_shape = Shape{1}};
}

inline std::vector<TransformSpec> specs(const std::vector<std::string_view>& texts) {
  std::vector<TransformSpec> all;
  for (const std::string_view text : texts) all.push_back(parse_transform(text));
  return all;
}

inline TransformChain chain_of(const std::vector<Stream>& streams,
                               const std::vector<std::string_view>& texts, std::uint64_t seed = 0) {
  return {streams, specs(texts), {.seed = seed, .functions = &testing::test_functions()}};
}

}  // namespace sheaf::internal
