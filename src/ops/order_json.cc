// Writes the output of `sheaf order --json`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/json.h"
#include "sheaf/order_summary.h"

#include "base/text.h"

namespace sheaf {
namespace {

template <typename T>
std::string json_number(const std::optional<T>& value) {
  return value ? formatted("{}", *value) : "null";
}

// Writes null for an empty text.
void append_json_text_or_null(std::string& out, const std::string& text) {
  out += text.empty() ? "null" : json_text(text);
}

void append_json_minibatches(std::string& out, const MinibatchReport& report) {
  out += formatted(
      "{{\"steps\":{},\"stretches\":{},\"sequences\":{},\"samples\":{},\"chunks\":{},"
      "\"units\":{},\"noise\":{}",
      report.steps, report.stretches, report.sequences, report.samples, json_number(report.chunks),
      json_number(report.units), json_number(report.noise));
  if (report.cost) out += formatted(",\"cost\":{}", *report.cost);
  out += '}';
}

void append_json_order(std::string& out, const OrderSummary& summary) {
  const OrderOptions& order = summary.order;
  out += formatted(
      "\"order\":\"{}\",\"seed\":{},\"window_chunks\":{},\"window_samples\":{},"
      "\"minibatch_size\":{},\"unit\":\"{}\",\"batching\":\"{}\",\"sizes\":\"{}\","
      "\"drop_last\":{},\"workers\":{},\"worker_index\":{},\"worker_source\":",
      to_string(order.algorithm), order.seed, json_number(order.window_chunks),
      json_number(order.window_samples), order.minibatch_size, to_string(order.unit),
      to_string(order.batching), to_string(order.sizes), order.drop_last, order.worker_count,
      order.worker_index);
  append_json_text_or_null(out, summary.worker_source);
}

void append_json_long(std::string& out, const OrderSummary& summary) {
  const std::optional<LongReport>& report = summary.report.long_sequences;
  if (!report) {
    out += ",\"long_sequences\":null";
    return;
  }
  out += formatted(
      ",\"long_sequences\":{{\"long\":\"{}\",\"row_samples\":{},\"sequences\":{},"
      "\"of_sequences\":{},\"pieces\":{},\"left_out_samples\":{},\"of_samples\":{}}}",
      to_string(summary.order.long_sequences), json_number(summary.order.row_samples),
      report->sequences, report->of_sequences, report->pieces, report->left_out_samples,
      report->of_samples);
}

void append_json_mixture(std::string& out, const std::optional<MixtureReport>& mixture) {
  out += ",\"mixture\":";
  if (!mixture) {
    out += "null";
    return;
  }
  std::int64_t samples = 0;
  for (const MemberReport& member : mixture->members) samples += member.samples;
  const auto share = [](std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
  };
  out += formatted(
      "{{\"exhausted\":\"{}\",\"draws\":{},\"is_whole\":{},"
      "\"largest_deviation\":{},\"members\":[",
      to_string(mixture->exhausted), mixture->draws, mixture->is_whole, mixture->largest_deviation);
  for (std::size_t i = 0; i < mixture->members.size(); ++i) {
    const MemberReport& member = mixture->members[i];
    out += formatted(
        "{}{{\"name\":{},\"weight\":{},\"asked\":{},\"sequence_share\":{},"
        "\"sample_share\":{},\"sequences\":{},\"samples\":{},\"sweeps\":{}}}",
        i > 0 ? "," : "", json_text(member.name), member.weight, member.asked,
        share(member.sequences, mixture->draws), share(member.samples, samples), member.sequences,
        member.samples, member.times);
  }
  out += "]}";
}

void append_json_cost(std::string& out, const OrderSummary& summary) {
  const OrderReport& report = summary.report;
  out += formatted(
      ",\"excess\":{},\"excess_over_longest\":{},\"idle_steps\":{},"
      "\"foreign_sequences\":{},\"foreign_samples\":{},\"padding\":{},"
      "\"plain_padding\":{},\"bucketed_padding\":{},\"memory_bytes\":{:.0f},"
      "\"window_bytes\":{:.0f},\"index_bytes\":{},\"memory_limit_bytes\":{},"
      "\"sweep_bytes\":{:.0f},\"worker_sweep_bytes\":{:.0f},\"later_sweep_bytes\":{:.0f},"
      "\"open_seconds\":{},\"first_minibatch_seconds\":{}",
      report.excess, report.excess_over_longest, report.idle_steps, report.foreign_sequences,
      report.foreign_samples, json_number(report.padding), json_number(summary.plain_padding),
      json_number(summary.bucketed_padding), summary.memory_bytes(), report.held_bytes.value_or(0),
      summary.index_bytes, summary.memory_limit_bytes.value_or(0), summary.sweep_bytes(),
      summary.sweep_bytes() / static_cast<double>(summary.order.worker_count),
      summary.later_sweep_bytes(), summary.open_seconds,
      json_number(summary.first_minibatch_seconds));
}

void append_json_windows(std::string& out, const OrderSummary& summary) {
  out += ",\"windows\":[";
  for (std::size_t i = 0; i < summary.windows.size(); ++i) {
    const WindowChoice& window = summary.windows[i];
    out += formatted(
        "{}{{\"window_chunks\":{},\"window_samples\":{},\"memory_bytes\":{:.0f},"
        "\"noise\":{},\"is_asked\":{},\"is_fit\":{}}}",
        i > 0 ? "," : "", json_number(window.chunks), json_number(window.samples),
        window.memory_bytes, json_number(window.noise), window.is_asked, window.is_fit);
  }
  out += ']';
}

}  // namespace

std::string to_json(const OrderSummary& summary, std::string_view path) {
  std::string out;
  const OrderReport& report = summary.report;
  out += "{\"path\":";
  out += json_text(path);
  out +=
      formatted(",\"sequences\":{},\"samples\":{},\"chunks\":{},\"units\":{},\"bytes\":{},",
                report.sequences, report.samples, report.chunks, report.units, summary.data_bytes);
  if (report.cost) {
    out += formatted("\"cost\":{{\"name\":{},\"total\":{}}},", json_text(report.cost_name),
                     *report.cost);
  }
  append_json_order(out, summary);
  append_json_long(out, summary);
  append_json_mixture(out, report.mixture);
  out += ",\"noise_of\":";
  append_json_text_or_null(out, summary.noise_of);
  out += formatted(",\"looked_at\":{{\"steps\":{},\"workers\":{}}},\"all\":", report.steps,
                   report.workers);
  append_json_minibatches(out, report.all);
  out += ",\"worker\":";
  append_json_minibatches(out, report.worker);
  append_json_cost(out, summary);
  append_json_windows(out, summary);
  out += ",\"advice\":[";
  for (std::size_t i = 0; i < summary.advice.size(); ++i) {
    out += i > 0 ? ",{\"code\":" : "{\"code\":";
    out += json_text(summary.advice[i].code);
    out += ",\"text\":";
    out += json_text(summary.advice[i].text);
    out += '}';
  }
  out += "]}\n";
  return out;
}

}  // namespace sheaf
