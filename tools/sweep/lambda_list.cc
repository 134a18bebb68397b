#include "tools/sweep/lambda_list.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "mmp/mmp.h"
#include "tools/command_line/terminal.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr double kLeastLambda = 1.0 / 256;  // over 0

// Of four digits.
double Rounded(double number) { return *ParseNumber<double>(Format("%.4g", number)); }

std::vector<double> SortedOnce(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

Result<std::vector<double>> ParseLambdaList(std::string_view text) {
  std::vector<double> lambdas;
  for (const std::string_view item : SplitAt(text, ',')) {
    const std::optional<double> lambda = ParseNumber<double>(item);
    if (!lambda || !(*lambda >= 0 && *lambda <= kMaxLambda)) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + std::string(item) + "' is not a lambda, a number from 0 to " +
                        NumberText(kMaxLambda) + "; give a list such as 2,5,10");
    }
    lambdas.push_back(*lambda);
  }
  return SortedOnce(std::move(lambdas));
}

Result<std::vector<double>> ParseLambdaRange(std::string_view text) {
  const std::vector<std::string_view> parts = SplitAt(text, ':');
  const auto part = [&](size_t i) { return i < parts.size() ? parts[i] : std::string_view(); };
  const double from = ParseNumber<double>(part(0)).value_or(0);
  const double to = ParseNumber<double>(part(1)).value_or(0);
  const int count = ParseNumber<int>(part(2)).value_or(0);
  const bool good = parts.size() == 3 && from >= kLeastLambda && to > from && to <= kMaxLambda &&
                    count >= 2 && count <= kMaxLambdas;
  if (!good) {
    return Status(StatusCode::kInvalidArgument,
                  "'" + std::string(text) +
                      "' is not a range FROM:TO:COUNT such as 2:320:8, with " +
                      Format("%g <= FROM < TO <= %g and a COUNT from 2 to %d", kLeastLambda,
                             kMaxLambda, kMaxLambdas));
  }
  std::vector<double> lambdas = {from, to};
  for (int i = 1; i < count - 1; ++i)
    lambdas.push_back(std::clamp(Rounded(from * std::pow(to / from, i / (count - 1.0))), from, to));
  return SortedOnce(std::move(lambdas));
}

}  // namespace mmp
