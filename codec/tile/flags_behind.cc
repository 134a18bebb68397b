#include "codec/tile/flags_behind.h"

namespace mmp {

FlagsBehind::Rates FlagsBehind::Code(std::span<const WrittenMacroblock> macroblocks) {
  Rates rates;
  for (const WrittenMacroblock& macroblock : macroblocks) {
    if (macroblock.substream != substream_) continue;
    for (const Element& element : macroblock.writer.flags().elements_)
      CodeOne(element, macroblock.first_symbol, rates);
    flags_->EndMacroblock();
  }
  return rates;
}

void FlagsBehind::CodeOne(const Element& element, size_t first_symbol, Rates& rates) {
  const auto coded_by = [&](int64_t& rate_q12) {
    return [this, &element, first_symbol, &rate_q12](FlagDecision decision, int probability) {
      const int bit = FlagBit(decision, element.value);
      const SymbolInterval interval = BitInterval(bit, static_cast<uint32_t>(probability));
      coder_->EncodeBefore(first_symbol + element.first, interval);
      rate_q12 += interval.RateQ12();
      return bit;
    };
  };
  switch (element.kind) {
    case Kind::kMacroblock:
      return flags_->BeginMacroblock(
          {static_cast<int>(element.first), static_cast<int>(element.second)});
    case Kind::kPartition:
      flags_->CodePartition(element.rect(), element.allowed, coded_by(rates.partitions_q12));
      return;
    case Kind::kResidualFlag:
      flags_->CodeResidualFlag(element.rect(), element.allowed, coded_by(rates.residual_flags_q12));
      return;
    case Kind::kMode:
      return flags_->AddMode(element.rect(), element.value);
    case Kind::kLeaf:
      return flags_->AddLeaf(element.rect(), static_cast<int32_t>(element.first));
  }
}

}  // namespace mmp
