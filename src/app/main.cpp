// dragoman: the command line. Exit codes: 0 done, 1 failed, 2 the user's input is wrong, 130 / 143 interrupted
// and saved.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "app/commands.h"
#include "app/cpu.h"
#include "app/version.h"
#include "core/error.h"

int main(int argc, char** argv) {
  if (const std::string problem = dragoman::cpu_problem(); !problem.empty()) {
    std::fprintf(stderr, "dragoman: %s\n", problem.c_str());
    return 1;
  }
  CLI::App app{"Dragoman trains and runs small translation models on CPUs."};
  app.name("dragoman");
  app.set_version_flag("--version", dragoman::version_text());
  app.require_subcommand(1);
  dragoman::add_generate(app);
  dragoman::add_train(app);
  dragoman::add_translate(app);
  dragoman::add_score(app);
  dragoman::add_evaluate(app);
  dragoman::add_metrics(app);
  dragoman::add_inspect(app);
  dragoman::add_config(app);
  dragoman::add_bench(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const dragoman::Interrupted& e) {
    return 128 + e.signal;
  } catch (const dragoman::UserError& e) {
    std::fprintf(stderr, "dragoman: %s\n", e.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "dragoman: out of memory; smaller training.batch_tokens, model sizes or training.shards need less\n");
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dragoman: %s\n", e.what());
    return 1;
  }
  return 0;
}
