// Exact noise: samples per second on one core, beside the raw words of OpenSSL's stream ciphers in the same run.
//
//   noise_bench                              all
//   noise_bench --benchmark_filter=Table     the fast sampler at several rates
//
// `items_per_second` is what to read: samples for the samplers, 64-bit words for the ciphers, streams for Stream*.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <vector>

#include "privacy/bernoulli.h"
#include "privacy/discrete_laplace.h"
#include "privacy/gradual_laplace.h"
#include "privacy/permute_and_flip.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::uint64_t kDen = 1'000'000'000;

// The argument of a sampler's benchmark is its rate in ticks.
Rate rate_of(const benchmark::State& state) { return {static_cast<std::uint64_t>(state.range(0)), kDen}; }

void count(benchmark::State& state, std::int64_t items) { state.SetItemsProcessed(state.iterations() * items); }

void rates(benchmark::internal::Benchmark* bench) {
  for (std::int64_t ticks : {1'000, 100'000, 2'000'000, 10'000'000, 100'000'000, 1'000'000'000}) bench->Arg(ticks);
}

void RawWords(benchmark::State& state, const char* cipher_name) {
  EVP_CIPHER* cipher = EVP_CIPHER_fetch(nullptr, cipher_name, nullptr);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  const std::array<unsigned char, 32> key{};
  const std::array<unsigned char, 16> counter{};
  std::vector<unsigned char> zeros(4096), out(4096);
  if (EVP_EncryptInit_ex2(context, cipher, key.data(), counter.data(), nullptr) != 1) state.SkipWithError("no cipher");
  for (auto _ : state) {
    int written = 0;
    EVP_EncryptUpdate(context, out.data(), &written, zeros.data(), 4096);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, 4096 / 8);
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
}
BENCHMARK_CAPTURE(RawWords, AES_256_CTR, "AES-256-CTR");
BENCHMARK_CAPTURE(RawWords, ChaCha20, "ChaCha20");

void StreamWords(benchmark::State& state) {
  Stream stream(test_key("bench"), {});
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4096; ++i) sum += stream.next64();
    benchmark::DoNotOptimize(sum);
  }
  count(state, 4096);
}
BENCHMARK(StreamWords);

void StreamMadeWithOneWord(benchmark::State& state) {
  const ReleaseKey key = test_key("bench");
  StreamLabel label;
  for (auto _ : state) {
    ++label.call;
    Stream stream(key, label);
    benchmark::DoNotOptimize(stream.next64());
  }
  count(state, 1);
}
BENCHMARK(StreamMadeWithOneWord);

void StreamRekeyedWithOneWord(benchmark::State& state) {
  const ReleaseKey key = test_key("bench");
  StreamLabel label;
  Stream stream(key, label);
  for (auto _ : state) {
    ++label.call;
    stream.rekey(key, label);
    benchmark::DoNotOptimize(stream.next64());
  }
  count(state, 1);
}
BENCHMARK(StreamRekeyedWithOneWord);

void ChildPath(benchmark::State& state) {
  NodePath path = root_path(0);
  for (auto _ : state) path = child_path(path, 1, 2);
  benchmark::DoNotOptimize(path);
  count(state, 1);
}
BENCHMARK(ChildPath);

void LaplaceTableFill(benchmark::State& state) {
  Stream stream(test_key("bench"), {});
  const LaplaceTable table(rate_of(state));
  std::vector<std::int64_t> out(4096);
  for (auto _ : state) {
    table.fill(stream, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, 4096);
}
BENCHMARK(LaplaceTableFill)->Apply(rates);

void LaplaceTableMade(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(LaplaceTable(rate_of(state)).entries());
  count(state, 1);
}
BENCHMARK(LaplaceTableMade)->Apply(rates);

void LaplaceReference(benchmark::State& state) {
  Stream stream(test_key("bench"), {});
  for (auto _ : state) benchmark::DoNotOptimize(discrete_laplace_reference(stream, rate_of(state)));
  count(state, 1);
}
BENCHMARK(LaplaceReference)->Apply(rates);

void GradualLaplace(benchmark::State& state) {
  Stream stream(test_key("bench"), {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(gradual_laplace(stream, {100'000'000, kDen}, {30'000'000, kDen}).released_noise);
  }
  count(state, 1);
}
BENCHMARK(GradualLaplace);

void PermuteAndFlip(benchmark::State& state) {
  Stream stream(test_key("bench"), {});
  std::vector<std::uint64_t> penalties(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < penalties.size(); ++i) penalties[i] = i % 17;
  for (auto _ : state) benchmark::DoNotOptimize(permute_and_flip(stream, penalties, 1, 10));
  count(state, 1);
}
BENCHMARK(PermuteAndFlip)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace stopover

BENCHMARK_MAIN();
