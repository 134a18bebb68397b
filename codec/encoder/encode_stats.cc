#include "codec/encoder/encode_stats.h"

#include <algorithm>

namespace mmp {
namespace {

void AddSearchStats(const SearchStats& from, EncodeStats& to) {
  to.nodes_searched += from.nodes_searched;
  for (int mode = 0; mode < kModes; ++mode) {
    to.mode_searches[mode] += from.mode_searches[mode];
    to.mode_reused[mode] += from.mode_reused[mode];
  }
  to.blocks_matched += from.blocks_matched;
  to.multiply_adds += from.multiply_adds;
  to.seconds_prediction += from.seconds_prediction;
  to.seconds_lsp += from.seconds_lsp;
  to.seconds_matching += from.seconds_matching;
  to.seconds_trees += from.seconds_trees;
  to.seconds_costs += from.seconds_costs;
  to.seconds_device += from.seconds_device;
}

void AddSymbolStats(const SymbolStats& from, EncodeStats& to) {
  for (int mode = 0; mode < kModes; ++mode) to.modes_chosen[mode] += from.modes_chosen[mode];
  for (int level = 0; level < kLevels; ++level) {
    to.leaves_by_level[level] += from.leaves_by_level[level];
    to.index_bits_by_level[level] += from.index_bits_by_level[level];
  }
  to.partition_bits += from.partition_bits;
  to.residual_flag_bits += from.residual_flag_bits;
  to.mode_bits += from.mode_bits;
  to.index_bits += from.index_bits;
  to.block_vector_bits += from.block_vector_bits;
  to.filter_bits += from.filter_bits;
  to.exact_block_bits += from.exact_block_bits;
}

}  // namespace

void AddTileStats(const TileStats& from, EncodeStats& to) {
  AddSearchStats(from.search, to);
  AddSymbolStats(from.symbols, to);
  to.macroblocks += from.macroblocks;
  for (int level = 0; level < kLevels; ++level)
    to.dictionary_size[level] = std::max(to.dictionary_size[level], from.dictionary_size[level]);
  to.sum_squared_error += from.sum_squared_error;
  to.seconds_coding += from.seconds_coding;
  to.seconds_dictionary += from.seconds_dictionary;
}

}  // namespace mmp
