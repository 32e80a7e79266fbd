#include "mechanism/zone_margins.h"

#include <algorithm>
#include <cmath>

#include "mechanism/empirical_bayes.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr BayesOptions kCoarse{.steps = 60, .borrow = 5},
    kDoubting{.steps = 60, .borrow = 5, .doubt = 3};  // zones' totals and blocks: fewer values than leaves

std::size_t nodes_of(const std::vector<std::uint32_t>& edges) { return edges.size() - 1; }

// Sums of block counts over all blocks of each node of each axis: [axis][node].
std::vector<std::vector<double>> node_sums(const std::vector<double>& blocks, const std::vector<std::size_t>& nodes) {
  std::vector<std::vector<double>> sums;
  for (std::size_t n : nodes) sums.emplace_back(n, 0.0);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    std::size_t number = block;
    for (std::size_t a = nodes.size(); a-- > 0; number /= nodes[a]) sums[a][number % nodes[a]] += blocks[block];
  }
  return sums;
}

std::vector<double> doubles(const std::vector<std::int64_t>& counts) { return {counts.begin(), counts.end()}; }

std::vector<std::size_t> node_counts(const std::vector<std::vector<std::uint32_t>>& edges) {
  std::vector<std::size_t> counts;
  for (const auto& each : edges) counts.push_back(nodes_of(each));
  return counts;
}

std::vector<std::vector<std::uint32_t>> fine_edges(const ZoneModel& model) {
  std::vector<std::vector<std::uint32_t>> edges;
  for (const ZoneAxis& axis : model.axes) edges.push_back(axis.edges);
  return edges;
}

// The blocks' bases: the product of the axes' masses, in all `total`.
std::vector<float> product_base(const ZoneModel& model, const std::vector<std::vector<std::uint32_t>>& edges,
                                double total) {
  std::vector<std::vector<double>> shares;
  std::size_t blocks = 1;
  for (std::size_t a = 0; a < edges.size(); ++a) {
    const std::vector<double>& mass = model.axes[a].mass;
    double all = 0;
    for (double m : mass) all += m;
    std::vector<double>& share = shares.emplace_back(nodes_of(edges[a]), 0.0);
    for (std::size_t node = 0; node < share.size(); ++node) {
      for (std::uint32_t zone = edges[a][node]; zone < edges[a][node + 1]; ++zone) share[node] += mass[zone] / all;
    }
    blocks *= share.size();
  }
  std::vector<float> base(blocks);
  for (std::size_t block = 0; block < blocks; ++block) {
    double product = total;
    std::size_t number = block;
    for (std::size_t a = edges.size(); a-- > 0; number /= shares[a].size())
      product *= shares[a][number % shares[a].size()];
    base[block] = static_cast<float>(product);
  }
  return base;
}

void believe(ZoneBlocks& blocks, const std::vector<float>& base) {
  const Beliefs beliefs = empirical_bayes(base, blocks.counts, blocks.rate, kCoarse);
  blocks.believed.assign(beliefs.mean.begin(), beliefs.mean.end());
  const Beliefs doubted = empirical_bayes(base, blocks.counts, blocks.rate, kDoubting);
  blocks.doubted.assign(doubted.mean.begin(), doubted.mean.end());
}

// Which coarse block a block lies in.
std::vector<std::size_t> coarse_of(const ZoneModel& model) {
  const std::vector<std::size_t> coarse = node_counts(model.coarse_edges);
  std::vector<std::size_t> result(model.block_count());
  for (std::size_t block = 0; block < result.size(); ++block) {
    const std::vector<Interval> ranges = model.block_ranges(block);
    for (std::size_t a = 0; a < coarse.size(); ++a) {
      const auto& edges = model.coarse_edges[a];
      const auto node = std::upper_bound(edges.begin(), edges.end(), ranges[a].lo) - edges.begin() - 1;
      result[block] = result[block] * coarse[a] + static_cast<std::size_t>(node);
    }
  }
  return result;
}

}  // namespace

void estimate_margins(ZoneModel& model) {
  const double zone_noise = noise_variance(model.margin_rate);
  const bool has_blocks = !model.blocks.counts.empty();
  const double block_noise = noise_variance(model.blocks.rate);
  // How many trips there are: the count of all, and the sums of all other tables.
  KnownValue total{model.total, noise_variance(model.total_rate)};
  const auto join_sum = [&](const std::vector<std::int64_t>& counts, double noise) {
    if (counts.empty()) return;
    KnownValue sum{0, noise * static_cast<double>(counts.size())};
    for (std::int64_t count : counts) sum.value += static_cast<double>(count);
    total = join(total, sum);
  };
  join_sum(model.outline.counts, noise_variance(model.outline.rate));
  join_sum(model.blocks.counts, block_noise);
  join_sum(model.coarse.counts, noise_variance(model.coarse.rate));
  for (const ZoneAxis& axis : model.axes) join_sum(axis.counts, zone_noise);
  const double n = std::isfinite(total.variance) ? std::max(0.0, total.value) : 0.0;
  model.trips = {n, total.variance};

  std::vector<float> bases;
  std::vector<std::int64_t> counts;
  std::vector<std::vector<KnownValue>> nodes;  // per axis: what its nodes hold
  const auto block_sums =
      node_sums(has_blocks ? doubles(model.blocks.counts) : std::vector<double>(1, n), node_counts(fine_edges(model)));
  for (std::size_t a = 0; a < model.axes.size(); ++a) {
    ZoneAxis& axis = model.axes[a];
    axis.mass.assign(axis.zones, n / axis.zones);
    axis.variance.assign(axis.zones, n * n + 1);
    std::vector<KnownValue>& of_axis = nodes.emplace_back();
    for (std::size_t node = 0; node < nodes_of(axis.edges); ++node) {
      const double per_node = static_cast<double>(model.block_count() / nodes_of(axis.edges));
      KnownValue held{block_sums[a][node], has_blocks ? block_noise * per_node : total.variance};
      if (!axis.counts.empty()) {
        const std::uint32_t width = axis.edges[node + 1] - axis.edges[node];
        if (has_blocks) {
          KnownValue zones{0, zone_noise * width};
          for (std::uint32_t zone = axis.edges[node]; zone < axis.edges[node + 1]; ++zone)
            zones.value += static_cast<double>(axis.counts[zone]);
          held = join(held, zones);
        }
        held.value = std::max(0.0, held.value);
        bases.insert(bases.end(), width, static_cast<float>(held.value / width));
      }
      of_axis.push_back(held);
    }
    counts.insert(counts.end(), axis.counts.begin(), axis.counts.end());
  }
  if (!counts.empty()) {
    const Beliefs beliefs = empirical_bayes(bases, counts, model.margin_rate, kCoarse);
    std::size_t at = 0;
    for (std::size_t a = 0; a < model.axes.size(); ++a) {
      ZoneAxis& axis = model.axes[a];
      for (std::size_t node = 0; node < nodes[a].size(); ++node) {
        double sum = 0, variance = 0;
        const std::size_t width = axis.edges[node + 1] - axis.edges[node];
        for (std::size_t i = 0; i < width; ++i) {
          sum += beliefs.mean[at + i];
          variance += beliefs.variance[at + i];
        }
        const double by = std::isfinite(nodes[a][node].variance)
                              ? (nodes[a][node].value - sum) / (variance + nodes[a][node].variance)
                              : 0;
        for (std::size_t i = 0; i < width; ++i) {
          axis.mass[axis.edges[node] + i] = std::max(0.0, beliefs.mean[at + i] + by * beliefs.variance[at + i]);
          axis.variance[axis.edges[node] + i] = beliefs.variance[at + i];
        }
        at += width;
      }
    }
  }
  for (ZoneAxis& axis : model.axes) {
    axis.doubt.clear();
    for (std::size_t zone = 0; zone < axis.zones; ++zone) {
      axis.mass[zone] += 1e-6 * (n + 1) / axis.zones;
      axis.doubt.push_back(std::min(1.0, axis.variance[zone] / (axis.mass[zone] * axis.mass[zone])));
    }
  }
  if (!has_blocks) {
    model.blocks.believed = model.blocks.doubted = {n};
    return;
  }
  std::vector<float> base = product_base(model, fine_edges(model), n);
  if (!model.coarse.counts.empty()) {
    believe(model.coarse, product_base(model, model.coarse_edges, n));
    const std::vector<std::size_t> above = coarse_of(model);
    std::vector<double> sums(model.coarse.counts.size(), 0.0);
    for (std::size_t block = 0; block < base.size(); ++block) sums[above[block]] += base[block];
    for (std::size_t block = 0; block < base.size(); ++block) {
      const double sum = sums[above[block]];
      base[block] = static_cast<float>(sum > 0 ? base[block] * model.coarse.believed[above[block]] / sum : 0);
    }
  }
  believe(model.blocks, base);
}

}  // namespace stopover
