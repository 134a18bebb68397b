#include "tools/encode/stats_report.h"

#include <array>
#include <numeric>
#include <string_view>

#include "codec/base/levels.h"
#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

struct Amount {
  const char* key;   // in JSON
  const char* name;  // in the report
  double value;
};

std::array<Amount, 9> Bits(const EncodeStats& stats) {
  return {{
      {"partitions", "partitions", stats.partition_bits},
      {"residual_flags", "residual flags", stats.residual_flag_bits},
      {"modes", "modes", stats.mode_bits},
      {"indices", "indices", stats.index_bits},
      {"block_vectors", "block vectors", stats.block_vector_bits},
      {"filter", "filter", stats.filter_bits},
      {"exact_blocks", "exact blocks", stats.exact_block_bits},
      {"pixels", "pixels", stats.pixel_bits},
      {"header", "header, checksums", 8.0 * stats.header_bytes},
  }};
}

std::array<Amount, 7> Seconds(const EncodeStats& stats) {
  return {{
      {"prediction", "prediction", stats.seconds_prediction},
      {"lsp", "lsp", stats.seconds_lsp},
      {"matching", "matching", stats.seconds_matching},
      {"trees", "trees", stats.seconds_trees},
      {"costs", "costs", stats.seconds_costs},
      {"dictionary", "dictionary", stats.seconds_dictionary},
      {"coding", "coding", stats.seconds_coding},
  }};
}

template <typename Range>
auto Sum(const Range& values) {
  return std::accumulate(values.begin(), values.end(), typename Range::value_type{});
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string LevelText(int level) {
  return Format("%dx%d", kLevelShapes[level].height(), kLevelShapes[level].width());
}

std::string WorkText(const EncodeStats& stats) {
  std::string text = "backend             " + std::string(BackendName(stats.backend));
  if (!stats.backend_note.empty()) text += " (" + stats.backend_note + ")";
  text += Format("\nthreads             %d\n", stats.threads);
  text += "coder               " + std::string(CoderName(stats.coder)) + "\n";
  text += stats.coder == Coder::kPixels ? Format("largest error       %d", stats.max_error)
                                        : "lambda              " + NumberText(stats.lambda);
  if (stats.tries > 1) text += Format(" (the best of %d tried)", stats.tries);
  text += "\n";
  text += Format("tiles               %d\n", stats.tiles);
  text += Format("macroblocks         %lld\n", static_cast<long long>(stats.macroblocks));
  text += Format("nodes a macroblock  %.2f\n", Ratio(stats.nodes, stats.macroblocks));
  text += Format("  of these searched %.2f\n", Ratio(stats.nodes_searched, stats.macroblocks));
  text += Format("sub_blocks matched  %.6g\n", static_cast<double>(stats.blocks_matched));
  text += Format("multiply-adds       %.6g\n", static_cast<double>(stats.multiply_adds));
  return text;
}

std::string ModeRow(std::string_view number, std::string_view name, int64_t uses, int64_t searches,
                    int64_t reused, int64_t chosen, int64_t all_chosen) {
  return Format("%4s  %-16s%12lld%12lld%8.2f %%%11lld%8.2f %%\n", std::string(number).c_str(),
                std::string(name).c_str(), static_cast<long long>(uses),
                static_cast<long long>(searches), 100 * Ratio(reused, searches),
                static_cast<long long>(chosen), 100 * Ratio(chosen, all_chosen));
}

std::string ModesTable(const EncodeStats& stats) {
  std::string text = Format("%4s  %-16s%12s%12s%10s%11s%10s\n", "mode", "", "node uses", "searched",
                            "reused", "chosen", "share");
  const int64_t all_chosen = Sum(stats.modes_chosen);
  for (int mode = 0; mode < kModes; ++mode) {
    text += ModeRow(std::to_string(mode), kModeNames[mode], stats.mode_uses[mode],
                    stats.mode_searches[mode], stats.mode_reused[mode], stats.modes_chosen[mode],
                    all_chosen);
  }
  return text + ModeRow("", "all", Sum(stats.mode_uses), Sum(stats.mode_searches),
                        Sum(stats.mode_reused), all_chosen, all_chosen);
}

std::string LevelsTable(const EncodeStats& stats) {
  std::string text = Format("%5s%8s%10s%10s%14s%12s%12s\n", "level", "size", "leaves", "share",
                            "index bits", "bits/leaf", "dictionary");
  const double all_leaves = Sum(stats.leaves_by_level);
  for (int level = 0; level < kLevels; ++level) {
    const double leaves = stats.leaves_by_level[level];
    const double bits = stats.index_bits_by_level[level];
    text += Format("%5d%8s%10.0f%8.2f %%%14.0f%12.2f%12lld\n", level, LevelText(level).c_str(),
                   leaves, 100 * Ratio(leaves, all_leaves), bits, Ratio(bits, leaves),
                   static_cast<long long>(stats.dictionary_size[level]));
  }
  return text;
}

template <typename Amounts>
std::string SharesTable(const char* title, int decimals, const Amounts& amounts) {
  double total = 0;
  for (const Amount& amount : amounts) total += amount.value;
  std::string text = Format("%-20s%14s%10s\n", title, "", "share");
  const auto add_row = [&](const char* name, double value) {
    text += Format("  %-18s%14.*f%8.2f %%\n", name, decimals, value, 100 * Ratio(value, total));
  };
  for (const Amount& amount : amounts) add_row(amount.name, amount.value);
  add_row("all", total);
  return text;
}

template <typename Amounts>
void WriteAmounts(const char* key, const Amounts& amounts, JsonWriter& json) {
  json.Key(key).BeginObject();
  for (const Amount& amount : amounts) json.Field(amount.key, amount.value);
  json.EndObject();
}

}  // namespace

std::string StatsText(const EncodeStats& stats) {
  return WorkText(stats) + "\n" + ModesTable(stats) + "\n" + LevelsTable(stats) + "\n" +
         SharesTable("bits", 0, Bits(stats)) + "\n" +
         SharesTable("seconds of threads", 3, Seconds(stats)) +
         (stats.seconds_device > 0 ? Format("  %-18s%14.3f\n", "on devices", stats.seconds_device)
                                   : std::string()) +
         Format("  %-18s%14.3f", "wall clock", stats.seconds_total);
}

std::map<std::string, double> BitsBySyntaxElement(const EncodeStats& stats) {
  std::map<std::string, double> bits;
  for (const Amount& amount : Bits(stats)) bits[amount.key] = amount.value;
  return bits;
}

void WriteStats(const EncodeStats& stats, JsonWriter& json) {
  json.BeginObject()
      .Field("lambda", stats.lambda)
      .Field("coder", CoderName(stats.coder))
      .Field("max_error", stats.max_error)
      .Field("tries", stats.tries)
      .Field("backend", BackendName(stats.backend))
      .Field("backend_note", stats.backend_note)
      .Field("threads", stats.threads)
      .Field("tiles", stats.tiles)
      .Field("macroblocks", stats.macroblocks)
      .Field("nodes", stats.nodes)
      .NumbersField("mode_uses", stats.mode_uses)
      .Field("nodes_searched", stats.nodes_searched)
      .NumbersField("mode_searches", stats.mode_searches)
      .NumbersField("mode_reused", stats.mode_reused)
      .NumbersField("modes_chosen", stats.modes_chosen)
      .NumbersField("leaves_by_level", stats.leaves_by_level)
      .NumbersField("index_bits_by_level", stats.index_bits_by_level)
      .NumbersField("dictionary_size", stats.dictionary_size)
      .Field("blocks_matched", stats.blocks_matched)
      .Field("multiply_adds", stats.multiply_adds);
  WriteAmounts("bits", Bits(stats), json);
  WriteAmounts("thread_seconds", Seconds(stats), json);
  json.Field("device_seconds", stats.seconds_device)
      .Field("seconds", stats.seconds_total)
      .EndObject();
}

}  // namespace mmp
