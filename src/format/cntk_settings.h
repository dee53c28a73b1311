// CNTK settings of every format that change nothing here.

#pragma once

#include "sheaf/extend/cntk_names.h"

namespace sheaf::internal {

inline constexpr CntkSetting kTraceLevel = {.name = "traceLevel",
                                            .reason = "what is told does not depend on it"};
inline constexpr CntkSetting kVerbosity = {.name = "verbosity",
                                           .reason = "what is told does not depend on it"};
inline constexpr CntkSetting kPrefetch = {.name = "prefetch", .reason = "sheaf always reads ahead"};
inline constexpr CntkSetting kNumChunksToCache = {
    .name = "numChunksToCache",
    .reason = "it went when CNTK got randomizationWindow; the memory limit says what is kept"};
inline constexpr CntkSetting kKeepDataInMemory = {
    .name = "keepDataInMemory",
    .reason =
        "what is read again is read from the system's cache, or kept within the memory limit"};

}  // namespace sheaf::internal
