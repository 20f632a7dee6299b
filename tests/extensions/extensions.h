// What another program would add to the tables: one file for each, and one line in extensions.cpp. Every test that goes
// through a table covers them, too.
#pragma once

#include "attention/scores.h"
#include "data/tokenizer_kinds.h"
#include "recurrent/cells.h"
#include "train/optimizer_rules.h"
#include "train/schedule_shapes.h"
#include "train/validation_metrics.h"

namespace DRAGOMAN_NAMESPACE {

extern const Cell kMinimalGatedUnit;
extern const Score kCosineScore;
extern const OptimizerRule kLion;
extern const ScheduleShape kQuadraticSchedule;
extern const Metric kLengthRatio;
extern const TokenizerKind kByteTokenizer;

}  // namespace DRAGOMAN_NAMESPACE
