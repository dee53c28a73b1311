/// \file
/// The whole public API.

#pragma once

#include "sheaf/buffer.h"
#include "sheaf/byte_sink.h"
#include "sheaf/byte_source.h"
#include "sheaf/chunk.h"
#include "sheaf/counts.h"
#include "sheaf/deserializer.h"
#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/executor.h"
#include "sheaf/format.h"
#include "sheaf/index.h"
#include "sheaf/index_file.h"
#include "sheaf/minibatch.h"
#include "sheaf/nearest.h"
#include "sheaf/order_report.h"
#include "sheaf/packed_ints.h"
#include "sheaf/packer.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"
#include "sheaf/sequencer.h"
#include "sheaf/serializer.h"
#include "sheaf/types.h"
#include "sheaf/version.h"
#include "sheaf/writer.h"
