// dragoman inspect MODEL_DIR
#include <CLI/CLI.hpp>
#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/loaded_model.h"
#include "core/view.h"

namespace dragoman {
namespace {

/// What one sees of a parameter, computed in double.
struct Measures {
  double mean, deviation, norm;     ///< the norm is Frobenius'
  Eigen::VectorXd singular_values;  ///< falling; none of a vector
};

Measures measure(ConstMat parameter) {
  const Eigen::MatrixXd m = view(parameter).cast<double>();
  const double mean = m.mean();
  Measures measures{mean, std::sqrt((m.array() - mean).square().mean()), m.norm(), {}};
  if (m.rows() > 1 && m.cols() > 1) measures.singular_values = Eigen::BDCSVD<Eigen::MatrixXd>(m).singularValues();
  return measures;
}

void print_table(const LoadedModel& loaded, const std::string& directory) {
  const ParamStore& store = loaded.model->params();
  const EncoderConfig& encoder = loaded.config.model.encoder;
  const DecoderConfig& decoder = loaded.config.model.decoder;
  std::printf("%s: %s, %s encoder, %s decoder\n", directory.c_str(), loaded.config.name.c_str(),
              (encoder.recurrent() ? encoder.cell : encoder.type).c_str(),
              (decoder.recurrent() ? decoder.cell : decoder.type).c_str());
  std::printf("vocabulary: %zu source, %zu target%s\n", loaded.tokenizers.source->size(),
              loaded.tokenizers.target->size(), loaded.tokenizers.shared() ? " (shared)" : "");
  std::printf("%-36s %14s %9s %9s %9s  %s\n", "parameter", "shape", "mean", "deviation", "norm",
              "singular values: largest, median, smallest");
  for (const Param& p : store.params()) {
    const Measures measures = measure(p.ref.in(store.values()));
    const Eigen::VectorXd& singular = measures.singular_values;
    const std::string shape = std::to_string(p.ref.rows) + " x " + std::to_string(p.ref.cols);
    std::printf("%-36s %14s %9.5f %9.5f %9.3f", p.name.c_str(), shape.c_str(), measures.mean, measures.deviation,
                measures.norm);
    if (singular.size() > 0) {
      std::printf("  %.4g, %.4g, %.4g", singular[0], singular[singular.size() / 2], singular[singular.size() - 1]);
    }
    std::printf("\n");
  }
  std::printf("%zu parameters\n", store.count());
}

void print_json(const LoadedModel& loaded) {
  const ParamStore& store = loaded.model->params();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Param& p : store.params()) {
    const Measures measures = measure(p.ref.in(store.values()));
    all.push_back({{"name", p.name},
                   {"shape", {p.ref.rows, p.ref.cols}},
                   {"mean", measures.mean},
                   {"deviation", measures.deviation},
                   {"norm", measures.norm},
                   {"singular_values", measures.singular_values}});
  }
  std::printf("%s\n", all.dump().c_str());
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("inspect", "What a model directory holds: sizes, and measures of every parameter");
  command->add_option("model", *directory, "Model directory")->required();
  command->add_flag("--json", *json, "Print JSON, with all singular values");
  command->callback([directory, json] {
    const LoadedModel loaded = load_model_directory(*directory);
    *json ? print_json(loaded) : print_table(loaded, *directory);
  });
}

}  // namespace dragoman
