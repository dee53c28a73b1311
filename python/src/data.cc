#include "data.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <nanobind/nanobind.h>
#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"

#include "free_gil.h"
#include "user/user_data.h"
#include "user/user_function.h"

namespace sheaf::python {
namespace {

// Throws: ConfigError if the epoch is negative, or so large that its place may not fit 64 bits.
void check_epoch(std::int64_t epoch) {
  constexpr std::int64_t kEpochMax = std::int64_t{1} << 31;
  if (epoch < 0 || epoch >= kEpochMax) {
    throw ConfigError("epoch is a number from 0 to " + std::to_string(kEpochMax - 1) + ": got " +
                      std::to_string(epoch));
  }
}

// An order without steps, so that a reader reads nothing ahead. It still finds sequences by number.
class StillSequencer final : public Sequencer {
 public:
  explicit StillSequencer(std::unique_ptr<Sequencer> order) : order_(std::move(order)) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override { return order_->algorithm(); }
  [[nodiscard]] std::map<std::string, std::string> options() const override {
    return order_->options();
  }
  [[nodiscard]] std::optional<Step> step(const Place& /*from*/, OrderCursor& /*cursor*/,
                                         const StepRoom& /*room*/) const override {
    return {};
  }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override {
    return order_->make_cursor();
  }
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override {
    return order_->sequence_at(sweep, number, cursor);
  }

 private:
  std::unique_ptr<Sequencer> order_;
};

constexpr std::int64_t kSweepMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSampleMax = std::numeric_limits<std::int64_t>::max();

// Leaks an object on purpose. In a forked process, its destructor would wait for threads that do
// not exist.
template <typename T>
void leak(T object) {
  static_cast<void>(new T(std::move(object)));
}

/// Returns a thread that destroys readers. The destructor of a reader waits for reads under way.
/// The thread that must answer these reads would wait for itself.
///
/// Pre: this thread has the GIL.
Executor& undertaker() {
  static pid_t process = 0;
  static Executor* thread = nullptr;  // lives until the process ends; a fork makes its own
  if (process != ::getpid()) {
    thread = thread_pool(1).release();
    process = ::getpid();
  }
  return *thread;
}

}  // namespace

std::unique_ptr<Executor> start_threads(std::optional<int> threads) {
  const int count = threads ? *threads : available_processors();
  try {
    return thread_pool(count);
  } catch (const std::system_error& error) {
    throw ConfigError("num_threads: " + std::to_string(count) +
                      " threads could not be started: " + error.what());
  }
}

void Plan::add(DataSpec data) {
  if (!std::exchange(has_data, true)) {
    spec.data = std::move(data);
    return;
  }
  if (!std::holds_alternative<JoinSpec>(spec.data.content)) {
    JoinSpec join;
    join.members.push_back(std::move(spec.data));
    spec.data.content = std::move(join);
  }
  std::get<JoinSpec>(spec.data.content).members.push_back(std::move(data));
}

void Plan::give(std::string object, NamedData data) {
  context.objects.insert_or_assign(std::move(object), std::move(data));
}

Data::Data(Plan plan, std::optional<std::int64_t> row_samples, const RunOptions& run)
    : process_(::getpid()),
      plan_(std::move(plan)),
      row_samples_(row_samples),
      executor_(start_threads(run.threads)),
      opened_(open(plan_.spec, {.executor = executor_.get(),
                                .memory_limit_bytes = run.memory_limit_bytes,
                                .objects = plan_.context.objects,
                                .functions = plan_.context.functions})),
      run_(run) {
  run_.executor = executor_.get();
  const std::optional<std::int64_t> padded = plan_.spec.read.padding.pad_length;
  plan_.spec.read.order.row_samples = row_samples_ ? row_samples_ : padded;
  identity_ = still().position().run;  // also checks the options
}

Data::Data(const Data& other, const OrderOptions& order)
    : process_(other.process_),
      plan_(other.plan_),
      row_samples_(other.row_samples_),
      executor_(other.executor_),
      opened_(other.opened_),
      run_(other.run_) {
  plan_.spec.read.order = order;
  identity_ = still().position().run;
}

Data::~Data() {
  if (!has_forked()) return;
  leak(std::move(executor_));
  leak(std::move(opened_));
}

bool Data::has_forked() const noexcept { return ::getpid() != process_; }

bool Data::is_read_here() const noexcept {
  const UserCalls* const calls = UserCalls::of_this_thread();
  if (calls == nullptr) return false;
  const auto is_object_here = [&](const auto& object) {
    const auto* const user = dynamic_cast<const UserData*>(object.second.data.get());
    return user != nullptr && &user->calls() == calls;
  };
  const auto is_function_here = [&](const auto& function) {
    const auto* const user = dynamic_cast<const UserFunction*>(function.second.get());
    return user != nullptr && &user->calls() == calls;
  };
  return std::ranges::any_of(plan_.context.objects, is_object_here) ||
         std::ranges::any_of(plan_.context.functions, is_function_here);
}

void Run::check() const {
  if (data == nullptr) return;
  if (data->has_forked()) {
    throw ConfigError("the Reader was made before a fork: make one in each process instead");
  }
  if (data->is_read_here()) {
    throw ConfigError("a Deserializer or a function cannot use the Reader that waits for it");
  }
}

Run::~Run() {
  if (data != nullptr && data->has_forked()) {
    if (reader) {
      leak(*std::move(reader));
      static_cast<void>(memory.release());
    }
    return;
  }
  if (reader && UserCalls::of_this_thread() != nullptr) {
    struct Rest {
      std::shared_ptr<const Data> data;
      Reader reader;
    };
    // The undertaker destroys the reader, and arrays in `memory`, without the GIL. So `memory` is
    // leaked on purpose.
    static_cast<void>(memory.release());
    auto rest = std::make_shared<Rest>(std::move(data), *std::move(reader));
    try {
      undertaker().submit([rest = std::move(rest)] {});  // moves all ownership
    } catch (...) {
      leak(std::move(rest));
    }
    return;
  }
  const GilPause pause;
  reader.reset();
}

void Data::build_index() const { opened_.data->build_index(*executor_, nullptr); }

DataCounts Data::counts() const { return count_all(*opened_.data, *executor_); }

std::vector<std::uint64_t> Data::numeric_keys() const {
  build_index();
  std::vector<std::uint64_t> keys;
  const Index& index = opened_.data->index();
  for (ChunkIndex chunk{}; index.chunk(chunk); chunk = next(chunk)) {
    const std::shared_ptr<const SequenceTable> table = index.sequences(chunk);
    for (std::int64_t i = 0; i < table->size(); ++i) keys.push_back(table->key(i).low);
  }
  return keys;
}

bool Data::has_text_keys() const { return sheaf::has_text_keys(opened_.data->index()); }

std::unique_ptr<Sequencer> Data::sequencer(std::int64_t epochs) const {
  OrderOptions order = plan_.spec.read.order;
  order.epochs = epochs;
  const std::shared_ptr<const Counts> counts(opened_.data, &opened_.data->index());
  return make_sequencer(counts, order);
}

Reader Data::still() const {
  return Reader(opened_.data, std::make_unique<StillSequencer>(sequencer(1)),
                make_packer(plan_.spec.read.packing, plan_.spec.read.order, row_samples_,
                            plan_.spec.read.padding),
                run_);
}

Reader Data::run(Position start, std::pmr::memory_resource* memory, bool notes_costs) const {
  const std::int64_t epoch = epoch_of(start.place);
  check_epoch(epoch);
  std::unique_ptr<Sequencer> order = sequencer(epoch + 1);
  RunOptions run = run_;
  run.start = std::move(start);
  run.minibatch_memory = memory;
  run.notes_costs = notes_costs;
  return Reader(opened_.data, std::move(order),
                make_packer(plan_.spec.read.packing, plan_.spec.read.order, row_samples_,
                            plan_.spec.read.padding),
                run);
}

std::int64_t Data::epoch_of(const Place& place) const noexcept {
  // With truncation, all sequences of an epoch may have begun, so that the place is in the next
  // epoch, while slots still hold the rest of some sequences. `carry` says so.
  const bool is_rest =
      plan_.spec.read.order.truncation_length && !place.carry.empty() && place.carry.front() == 1;
  return place.epoch - (is_rest ? 1 : 0);
}

Position Data::begin_of(std::int64_t epoch) const {
  Position begin{identity_, {}};
  const OrderOptions& order = plan_.spec.read.order;
  if (epoch == 0) return begin;
  check_epoch(epoch);
  if (!order.epoch_size) {
    begin.place.epoch = epoch;
    const std::int64_t sweeps = order.sweeps.value_or(0);
    if (sweeps > kSweepMax / epoch) {
      throw ConfigError("epoch " + std::to_string(epoch) +
                        " lies too far: sweeps are counted in 64 bits");
    }
    begin.place.sweep = epoch * sweeps;
    return begin;
  }
  if (*order.epoch_size > kSampleMax / epoch) {
    throw ConfigError("epoch " + std::to_string(epoch) +
                      " lies too far: samples are counted in 64 bits");
  }
  begin = position_of(epoch * *order.epoch_size);
  begin.place.epoch = epoch;
  return begin;
}

Position Data::position_of(std::int64_t sample) const {
  if (sample < 0) throw ConfigError("sample is not negative: got " + std::to_string(sample));
  build_index();
  // Even with truncation, a run begins with whole sequences.
  OrderOptions whole = plan_.spec.read.order;
  whole.truncation_length.reset();
  whole.epochs.reset();
  const std::shared_ptr<const Counts> counts(opened_.data, &opened_.data->index());
  return {identity_, make_sequencer(counts, whole)->place_of(sample)};
}

std::int64_t Data::minibatch_count(std::int64_t epoch) const {
  const std::unique_ptr<Sequencer> order = sequencer(epoch + 1);
  // In file order, an epoch of `epoch_size` samples may need only the first chunks.
  if (!plan_.spec.read.order.epoch_size || order->window_chunks() > 0) build_index();
  Place place = begin_of(epoch).place;
  std::int64_t count = 0;
  const std::unique_ptr<OrderCursor> cursor = order->make_cursor();
  while (const std::optional<Step> step = order->step(place, *cursor, StepRoom())) {
    check_interruption();
    place = step->next;
    ++count;
  }
  return count;
}

}  // namespace sheaf::python
