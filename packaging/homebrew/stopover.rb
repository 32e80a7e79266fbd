# Builds from a checkout's archive: brew install --build-from-source ./packaging/homebrew/stopover.rb
# Linux only today; docs/internals/packaging.md says what stands in the way of macOS.
class Stopover < Formula
  desc "Origin-destination matrices with stops, under differential privacy"
  homepage "https://example.org/stopover"
  url "https://example.org/stopover/stopover-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "node" => :build
  depends_on "nlohmann-json" => :build
  depends_on "tomlplusplus" => :build
  depends_on "boost"
  depends_on "duckdb"
  depends_on "fmt"
  depends_on "hdf5"
  depends_on "libevent"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "tbb"
  depends_on "zlib"
  depends_on "zstd"

  def install
    ENV["DUCKDB_ROOT"] = Formula["duckdb"].opt_prefix
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *std_cmake_args,
           "-DSTOPOVER_TESTS=OFF", "-DSTOPOVER_PYTHON=OFF"
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/stopover --version")
    system bin/"stopover", "demo", "-o", "demo"
    assert_path_exists testpath/"demo"
  end
end
