// The sub-commands of the program: each adds itself to the command line and does its work in a callback.
#pragma once

namespace CLI {
class App;
}

namespace dragoman {

void add_generate(CLI::App& app);
void add_train(CLI::App& app);
void add_translate(CLI::App& app);
void add_score(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_metrics(CLI::App& app);
void add_average(CLI::App& app);
void add_inspect(CLI::App& app);
void add_config(CLI::App& app);
void add_bench(CLI::App& app);
void add_replay(CLI::App& app);

/// Raised by a command that was interrupted and has saved its state: exit code 128 + signal.
struct Interrupted {
  int signal;
};

}  // namespace dragoman
