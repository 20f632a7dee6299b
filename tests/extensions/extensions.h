// What another program would add to the tables: one file for each, and one line in extensions.cpp. Every test that goes
// through a table covers them, too.
#pragma once

#include "attention/scores.h"
#include "recurrent/cells.h"
#include "train/optimizer_rules.h"
#include "train/schedule_shapes.h"

namespace DRAGOMAN_NAMESPACE {

extern const Cell kMinimalGatedUnit;
extern const Score kCosineScore;
extern const OptimizerRule kLion;
extern const ScheduleShape kQuadraticSchedule;

}  // namespace DRAGOMAN_NAMESPACE
