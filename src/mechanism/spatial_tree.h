// The spatial decompositions of Cormode, Procopiuc, Srivastava, Shen and Yu (2012), "Differentially Private Spatial
// Decompositions", and HTF (Shaham, Ghinita, Ahuja, Krumm, Shahabi 2021).
//
//   quadtree   all axes halved at every level
//   kd-tree    every axis cut at a private median, one after the other; counts once all axes are cut (the paper's
//   flattened
//              tree: a fan-out of 2^d a level); 30 % of epsilon finds the medians, in equal parts along a path
//   kd-hybrid  the upper half of the levels as kd-tree, the lower half as quadtree
//   htf        one axis per level, cut where both sides are most homogeneous
//
// All: noisy total for eps/100, counts with geometric shares that grow towards the leaves, least squares over the tree.
// Shares grow by 2^((d-1)/3) a level of fan-out 2^d: a box query meets 2^(d-1) times as many boxes there (the paper's d
// = 2: the cube root of 2). htf's grow by the cube root of 2 a level of two.
//
// Departures, and why: the height comes from the noisy total (published: fixed per data set; the formulas give the
// paper's 8 and 10 at its N = 1.63 million, eps = 0.5); boxes whose noisy count is below 32 are not divided further and
// counted with what is left (published: pruned afterwards at 32); medians by permute-and-flip, never worse than the
// exponential mechanism; htf's search takes the best of three places a round by selection, which pays once a round
// (published: two more noisy values a round, each paid for), and the share of its cuts, not found published, is a
// parameter.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kQuadtreeParams[3];
extern const ParamSpec kKdParams[5];
extern const ParamSpec kHtfParams[4];

void plan_quadtree(Kernel& kernel, const Params& params, Release& release);
void plan_kd_tree(Kernel& kernel, const Params& params, Release& release);
void plan_kd_hybrid(Kernel& kernel, const Params& params, Release& release);
void plan_htf(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
