// dragoman inspect MODEL_DIR
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "app/commands.h"
#include "app/loaded_model.h"

namespace dragoman {
namespace {

void inspect(const std::string& directory) {
  const LoadedModel loaded = load_model_directory(directory);
  const ParamStore& store = loaded.model->params();
  const EncoderConfig& encoder = loaded.config.model.encoder;
  const DecoderConfig& decoder = loaded.config.model.decoder;
  std::printf("%s: %s, %s encoder, %s decoder\n", directory.c_str(), loaded.config.name.c_str(),
              (encoder.recurrent() ? encoder.cell : encoder.type).c_str(),
              (decoder.recurrent() ? decoder.cell : decoder.type).c_str());
  std::printf("vocabulary: %zu source, %zu target%s\n", loaded.tokenizers.source->size(),
              loaded.tokenizers.target->size(), loaded.tokenizers.shared() ? " (shared)" : "");
  std::printf("%-36s %14s %10s %12s %12s\n", "parameter", "shape", "numbers", "mean", "deviation");
  for (const Param& p : store.params()) {
    const Real* x = store.values().base + p.ref.offset;
    const Index count = p.ref.rows * p.ref.cols;
    double mean = 0, square = 0;
    for (Index i = 0; i < count; ++i) {
      mean += static_cast<double>(x[i]);
      square += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    mean /= static_cast<double>(count);
    const double deviation = std::sqrt(std::max(0.0, square / static_cast<double>(count) - mean * mean));
    const std::string shape = std::to_string(p.ref.rows) + " x " + std::to_string(p.ref.cols);
    std::printf("%-36s %14s %10lld %12.5f %12.5f\n", p.name.c_str(), shape.c_str(), static_cast<long long>(count), mean,
                deviation);
  }
  std::printf("%zu parameters\n", store.count());
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "What a model directory holds: sizes and every parameter");
  command->add_option("model", *directory, "Model directory")->required();
  command->callback([directory] { inspect(*directory); });
}

}  // namespace dragoman
