// How exact the hand-written gradients are: the largest error of each parameter that a test program has checked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

/// Prints a table when the program ends, if the environment has DRAGOMAN_GRADIENT_REPORT.
class GradientReport : public ::testing::Environment {
 public:
  struct Row {
    Index numbers = 0;
    double error = 0;
  };
  /// By test suite and parameter.
  using Rows = std::map<std::pair<std::string, std::string>, Row>;

  void add(const std::string& parameter, double error) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    Row& row = rows_[{test == nullptr ? "" : test->test_suite_name(), parameter}];
    ++row.numbers;
    row.error = std::max(row.error, error);
  }
  [[nodiscard]] const Rows& rows() const { return rows_; }

  void TearDown() override {
    if (rows_.empty() || std::getenv("DRAGOMAN_GRADIENT_REPORT") == nullptr) return;
    std::printf("\n%-24s %-44s %10s %10s\n", "test", "parameter or input", "numbers", "error");
    for (const auto& [names, row] : rows_) {
      std::printf("%-24s %-44s %10lld %10.1e\n", names.first.c_str(), names.second.c_str(),
                  static_cast<long long>(row.numbers), row.error);
    }
    std::printf("\nThe largest errors; 1e-6 is allowed. They are relative to the number plus 0.01.\n");
  }

 private:
  Rows rows_;
};

/// That of this program; GoogleTest owns it.
inline GradientReport& gradient_report() {
  static auto* const kReport = new GradientReport;
  return *kReport;
}
inline ::testing::Environment* const kGradientReport = ::testing::AddGlobalTestEnvironment(&gradient_report());

}  // namespace DRAGOMAN_NAMESPACE
