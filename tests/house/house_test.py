#!/usr/bin/env python3
"""Each house check is shown a small tree that keeps the rule and one that breaks it: it must tell them apart."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import fields
import includes
import integers
import joined
import lines
import long_tests
import pages
import rules
import size
import sources
import symbols
import targets
import wording

COMPILER = os.environ.get("CXX", "c++")

TABLE = """
| folder | what | may include |
|---|---|---|
| `src/base` | things | - |
| `src/matrix` | secrets | base |
| `src/privacy` | the door | base, matrix |
| `src/mechanism` | plans | base, `privacy/kernel.h` |
| `src/eval` | figures | base, privacy, but `privacy/noise.h` |
| `include` | what others include | base |
| `cli` | a face | base, mechanism |
"""


class Tree(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_check(self, check, *arguments, **options):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = check(*arguments, **options)
        return code, printed.getvalue()

    def assert_fine(self, outcome):
        self.assertEqual(outcome[0], 0, outcome[1])

    def assert_breach(self, outcome, *words):
        self.assertEqual(outcome[0], 1, outcome[1])
        for word in words:
            self.assertIn(word, outcome[1])

    def compile(self, name, text, *flags):
        source = self.write(name + ".cc", text)
        target = self.root / name
        subprocess.run([COMPILER, "-std=c++20", "-O2", *flags, str(source), "-o", str(target)], check=True)
        return str(target)


class Comments(unittest.TestCase):
    def test_comments_go_and_strings_stay(self):
        strip = sources.without_comments
        self.assertEqual(strip("int a; // it's\nb").split(), ["int", "a;", "b"])
        self.assertEqual(strip("a /* x\ny */ b").splitlines(), ["a     ", "     b"])
        self.assertEqual(strip('s = "// no";'), 's = "// no";')
        self.assertEqual(strip('s = R"x(// no)" )x"; // yes').rstrip(), 's = R"x(// no)" )x";')
        self.assertEqual(strip("n = 1'000; // it's '").rstrip(), "n = 1'000;")
        self.assertEqual(strip("c = '\"'; // yes").rstrip(), "c = '\"';")


class Includes(Tree):
    def setUp(self):
        super().setUp()
        self.write("ARCHITECTURE.md", TABLE)
        self.write("src/base/result.h", "#include <string>\n")
        self.write("src/matrix/matrix.h", '#include "base/result.h"\n')
        self.write("src/privacy/kernel.h", '#include "matrix/matrix.h"\n')
        self.write("src/privacy/noise.h", '#include "base/result.h"\n')
        self.write("src/mechanism/daf.cc", '#include "privacy/kernel.h"\n#include "base/result.h"\n')
        self.write("src/mechanism/daf_test.cc", '#include "matrix/matrix.h"\n')
        self.write("src/eval/error.cc", '#include "privacy/kernel.h"\n')
        self.write("cli/main.cc", '#include "args.h"\n#include "mechanism/daf.h"\n')

    def check(self):
        return self.run_check(includes.main, self.root)

    def test_a_tree_that_keeps_the_table(self):
        self.assert_fine(self.check())

    def test_a_breach_is_named_with_file_and_line(self):
        self.write("src/mechanism/daf.cc", '#include "base/result.h"\n\n#include "matrix/matrix.h"\n')
        self.assert_breach(self.check(), "src/mechanism/daf.cc:3: mechanism may not include matrix/matrix.h")

    def test_public_headers_keep_the_table_too(self):
        self.write("include/stopover/release.h", '#include "base/result.h"\n')
        self.assert_fine(self.check())
        self.write("include/stopover/release.h", '#include "base/result.h"\n#include "matrix/matrix.h"\n')
        self.assert_breach(self.check(), "include/stopover/release.h:2: include may not include matrix/matrix.h")

    def test_only_the_named_header_of_a_room(self):
        self.write("src/mechanism/daf.cc", '#include "privacy/noise.h"\n')
        self.assert_breach(self.check(), "may not include privacy/noise.h")

    def test_the_excepted_header_of_a_room(self):
        self.write("src/eval/error.cc", "#include <privacy/noise.h>\n")
        self.assert_breach(self.check(), "src/eval/error.cc:1: eval may not include privacy/noise.h")

    def test_faces_are_checked_too(self):
        self.write("cli/main.cc", '#include "privacy/kernel.h"\n')
        self.assert_breach(self.check(), "cli/main.cc:1: cli may not include privacy/kernel.h")
        self.write("cli/main.cc", '#include "cli/app.h"\n')
        self.assert_fine(self.check())
        self.write("src/mechanism/daf.cc", '#include "cli/app.h"\n')
        self.assert_breach(self.check(), "mechanism may not include cli/app.h")

    def test_the_server_gets_no_way_to_data(self):
        self.write("ARCHITECTURE.md", TABLE + "| `src/serve` | the server | base, matrix |\n")
        self.write("src/serve/server.cc", '#include "base/result.h"\n')
        self.assert_breach(self.check(), "the row of serve may not name matrix")

    def test_a_commented_include_does_not_count(self):
        self.write("src/base/result.h", '// #include "matrix/matrix.h"\n/*\n#include "matrix/matrix.h"\n*/\n')
        self.assert_fine(self.check())

    def test_a_room_without_a_row(self):
        self.write("src/attic/old.h", "\n")
        self.assert_breach(self.check(), "src/attic: no row")

    def test_a_row_with_an_unknown_room(self):
        self.write("ARCHITECTURE.md", TABLE.replace("base, matrix |", "base, matrx |"))
        self.assert_breach(self.check(), "matrx")

    def test_an_include_without_its_room(self):
        self.write("src/matrix/matrix.h", '#include "result.h"\n')
        self.assert_breach(self.check(), "src/matrix/matrix.h:1", "with its room")

    def test_a_missing_table(self):
        self.write("ARCHITECTURE.md", "no table\n")
        self.assert_breach(self.check(), "not found")

    def test_portable_rooms(self):
        for text, word in [("#include <thread>\n", "<thread>"), ("#include <fmt/format.h>\n", "<fmt/format.h>"),
                           ("double f(double x) { return std::exp(x); }\n", "std::exp"),
                           ("double f(double x) { return log(x); }\n", "log"), ("void f() { throw 1; }\n", "throw")]:
            self.write("src/base/result.h", text)
            self.assert_breach(self.check(), "src/base/result.h:1", word)
        for text in ['const char* s = "try log(x)";\n', "double y = portable_log(x) + a.log(1) + portable::log(x);\n"]:
            self.write("src/base/result.h", text)
            self.assert_fine(self.check())

    def test_duckdb_stays_in_its_rooms(self):
        self.write("cli/main.cc", "#include <duckdb.h>\n")
        self.assert_breach(self.check(), "duckdb.h")


class Size(Tree):
    LIMITS = [(("src/privacy", "src/matrix"), 3)]

    def check(self):
        return self.run_check(size.main, self.root, limits=self.LIMITS)

    def test_code_is_counted_without_comments_blanks_and_tests(self):
        self.write("src/privacy/a.cc", "// one\n\nint a;  // two\n/* three\n four */\nint b;\n")
        self.write("src/matrix/b.h", "int c;\n")
        self.write("src/matrix/b_test.cc", "int d;\n" * 50)
        self.assert_fine(self.check())

    def test_a_line_too_many(self):
        self.write("src/privacy/a.cc", "int a;\nint b;\n")
        self.write("src/matrix/b.h", "int c;\nint d;\n")
        self.assert_breach(self.check(), "4 lines of code, at most 3")

    def test_a_line_too_long(self):
        self.write("src/privacy/a.cc", "int a;" + " " * 115 + "int b;\n")
        self.assert_breach(self.check(), "src/privacy/a.cc:1: longer than 120")


class Integers(Tree):
    def check(self, text, *flags):
        return self.run_check(integers.main, [self.compile("x.o", text, "-c", *flags)])

    def test_integers_pass(self):
        self.assert_fine(self.check("long f(long a, long b) { return a * b / 3; }\n"))

    def test_a_double_is_caught(self):
        self.assert_breach(self.check("double f(double a, double b) { return a * b; }\n"), "f(double, double)", "mulsd")

    def test_the_old_unit_is_caught(self):
        self.assert_breach(self.check("long double f(long double a) { return a * a; }\n"), "fmul")

    def test_an_empty_object_is_not_proof(self):
        self.assert_breach(self.check("extern int a;\n"), "no instruction")

    def check_aarch64(self, *instructions):
        """What a disassembler of the other machine would print: none is needed here."""
        lines = ["x.o:     file format elf64-littleaarch64", "", "0000000000000000 <f(long)>:"]
        lines += [f"   {4 * k:x}:\t{text}" for k, text in enumerate(instructions)]
        tool = self.root / "objdump"
        tool.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
        tool.chmod(0o755)
        before = os.environ.get("OBJDUMP")
        os.environ["OBJDUMP"] = str(tool)
        try:
            return self.run_check(integers.main, ["x.a"])
        finally:
            os.environ.pop("OBJDUMP") if before is None else os.environ.update(OBJDUMP=before)

    def test_integers_of_aarch64_pass(self):
        self.assert_fine(self.check_aarch64("stp\tx29, x30, [sp, #-32]!", "umulh\tx2, x0, x1", "cbz\tw0, b4 <f(double)>",
                                            "bl\t20 <d0::v1(s2)>", "mov\tx0, #0xd0", "b.hi\td8 <f(long)+0xd8>"))

    def test_floats_of_aarch64_are_caught(self):
        for text in ("fmul\td0, d0, d1", "ldr\tq0, [x1]", "movi\tv0.2d, #0x0", "scvtf\td0, x0", "str\ts31, [sp, #12]",
                     "ld1w\t{z0.s}, p0/z, [x0]", "mrs\tx0, fpcr", "stp\td8, d9, [sp, #16]"):
            self.assert_breach(self.check_aarch64("add\tx0, x0, #0x1", text), text.split("\t")[0])


class Symbols(Tree):
    CLEAN = "namespace stopover { int draw(int x) { return x + 1; } }\n"
    TESTING = "namespace stopover { int fixed_dice(int x) { return x; } }\n"
    MAIN = "namespace stopover { int draw(int); }\nint main(int c, char**) { return stopover::draw(c); }\n"

    def program(self, name, *texts):
        objects = [self.compile(f"{name}{k}.o", text, "-c") for k, text in enumerate(texts)]
        target = str(self.root / name)
        subprocess.run([COMPILER, *objects, "-o", target], check=True)
        return target

    def test_a_clean_program(self):
        self.assert_fine(self.run_check(symbols.main, [self.program("clean", self.CLEAN, self.MAIN)]))

    def test_a_seeded_entropy_is_caught(self):
        for name in ["seeded_entropy", "SeededEntropy", "TestKey", "test_key", "ReplayDice"]:
            program = self.program("bad", self.CLEAN + f"namespace stopover {{ int {name}() {{ return 4; }} }}\n",
                                   self.MAIN)
            self.assert_breach(self.run_check(symbols.main, [program]), f"stopover::{name}()")

    def test_anything_of_a_library_to_be_kept_apart_is_caught(self):
        testing = self.compile("testing.o", self.TESTING, "-c")
        clean = self.program("clean", self.CLEAN, self.MAIN)
        lab = self.program("lab", self.CLEAN + self.TESTING, self.MAIN)
        self.assert_fine(self.run_check(symbols.main, [clean, "--apart", testing, "--lab", lab]))
        self.assert_breach(self.run_check(symbols.main, [lab, "--apart", testing]), "stopover::fixed_dice(int)")
        self.assert_breach(self.run_check(symbols.main, [clean, "--apart", testing, "--lab", clean]), "blind")
        other = self.compile("other.o", "namespace stopover { int wavelets(int x) { return x; } }\n", "-c")
        self.assert_breach(self.run_check(symbols.main, [lab, "--apart", other, "--apart", testing]),
                           "stopover::fixed_dice(int)")
        self.assert_breach(self.run_check(symbols.main, [clean, "--apart", testing, "--apart", other, "--lab", lab]),
                           "blind")

    def test_a_stripped_program_is_refused(self):
        program = self.program("clean", self.CLEAN, self.MAIN)
        subprocess.run(["strip", program], check=True)
        self.assert_breach(self.run_check(symbols.main, [program]), "shows no symbol")

    def test_a_library_exports_what_its_header_declares(self):
        code = self.CLEAN + 'extern "C" int stopover_draw(int x) { return stopover::draw(x); }\n'
        script = self.write("only.map", "{ global: stopover_*; local: *; };\n")
        closed = self.compile("closed.so", code, "-shared", "-fPIC", f"-Wl,--version-script={script}")
        header = str(self.write("stopover.h", "int stopover_draw(int x); /* not stopover_undraw(x) */\n"))
        self.assert_fine(self.run_check(symbols.main, [closed, "--header", header]))
        opened = self.compile("opened.so", code, "-shared", "-fPIC")
        self.assert_breach(self.run_check(symbols.main, [opened, "--header", header]), "exports stopover::draw(int)")
        more = str(self.write("more.h", "int stopover_draw(int x);\nint stopover_ask(void);\n"))
        self.assert_breach(self.run_check(symbols.main, [closed, "--header", more]), "does not export stopover_ask")


class Fields(Tree):
    def check(self, text, name="src/query/box.cc"):
        self.write(name, text)
        return self.run_check(fields.main, self.root)

    def test_fields_and_comments_pass(self):
        self.assert_fine(self.check('// as --box does\nError e{"`box` takes cells -- half-open ones"};\n'))
        self.assert_fine(self.check('EXPECT("--box");\n', "src/query/box_test.cc"))
        self.assert_fine(self.check('option("--box");\n', "cli/query.cc"))

    def test_a_flag_is_caught(self):
        self.assert_breach(self.check('\nError e{"use --box"};\n'), "src/query/box.cc:2", "--box")


class Wording(Tree):
    def check(self, text):
        self.write("notes.md", text)
        return self.run_check(wording.main, self.root)

    def test_plain_text_passes(self):
        self.assert_fine(self.check("home/wo" + "rk/evening, $HOME/tm" + "p, ${dir}/tm" + "p, x/ro" +
                                    "ot, https://example.org/home\n"))

    def test_forbidden_text_is_caught(self):
        for text in ["see /wo" + "rk/main", '"/ro' + 'ot/x"', "(/tm" + "p/x)", "/hom" + "e/ann", "TO" + "DO: later",
                     "FIX" + "ME", "https://regis" + "try.npm" + "js.org/x", "py" + "pi.org"]:
            self.assert_breach(self.check("fine\n" + text + "\n"), "notes.md:2")

    def test_bulk_is_caught(self):
        self.assert_fine(self.check("x" * wording.BYTES))
        self.assert_breach(self.check("x" * (wording.BYTES + 1)), "notes.md", "bytes")

    def test_only_tracked_files_count(self):
        for command in (["init", "-q"], ["add", "clean.md"]):
            self.write("clean.md", "fine\n")
            subprocess.run(["git", "-C", str(self.root), *command], check=True)
        self.assert_fine(self.check("TO" + "DO"))
        subprocess.run(["git", "-C", str(self.root), "add", "notes.md"], check=True)
        self.assert_breach(self.check("TO" + "DO"), "notes.md:1")


class Joined(Tree):
    def lists(self, name, *lines):
        path = self.root / name
        path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
        path.chmod(0o755)
        return path

    def test_each_test_once(self):
        program = self.lists("r_tests", "Suite.", "  One", "  Two", "Other.", "  One")
        first, second = self.lists("r_a_test", "Suite.", "  One", "  Two"), self.lists("r_b_test", "Other.", "  One")
        self.assertEqual(joined.breaches_of([(program, [first, second])]), [])

    def test_a_lost_a_repeated_and_no_test(self):
        program = self.lists("r_tests", "Suite.", "  One", "  Two")
        once, none = self.lists("r_a_test", "Suite.", "  One"), self.lists("r_b_test")
        found = joined.breaches_of([(program, [once, once, none])])
        self.assertEqual([line.split(": ")[1] for line in found],
                         ["runs no test", "Suite.One is run 2 times by its links",
                          "Suite.Two is run 0 times by its links"])


class Lines(Tree):
    def check(self):
        return self.run_check(lines.main, self.root)

    def test_what_fits_and_what_cannot_be_broken_passes(self):
        self.write("src/a.cc", "// A comment that is\n//\n// not broken early.\nf(\"" + "x" * 200 + "\");\n")
        self.write("page.md", "x" * 200 + "\n")
        self.assert_fine(self.check())

    def test_long_lines_and_lines_that_end_early(self):
        self.write("src/a.cc", "int a" + "a" * 120 + ";\n// one two\n// three four.\n")
        self.write("tool", "#!/bin/sh\n# " + "word " * 30 + "\n")
        found = self.check()
        for breach in ("src/a.cc:1: longer", "src/a.cc:2: the comment's line ends early", "tool:2: longer"):
            self.assert_breach(found, breach)


class LongTests(Tree):
    def check(self, lists, test):
        self.write("src/privacy/CMakeLists.txt", lists)
        self.write("src/privacy/kernel_test.cc", test)
        return self.run_check(long_tests.main, self.root)

    def test_registered_both_ways(self):
        long, short = 'bool l = getenv("STOPOVER_LONG_TESTS");\n', "int a;  // STOPOVER_LONG_TESTS\n"
        self.assert_fine(self.check("stopover_room(privacy LONG kernel_test DEPS stopover_base)", long))
        self.assert_fine(self.check("stopover_room(privacy DEPS stopover_base)", short))
        self.assert_breach(self.check("stopover_room(privacy DEPS stopover_base)", long), "add kernel_test after LONG")
        self.assert_breach(self.check("stopover_room(privacy LONG kernel_test)", short), "has no long part")


class Rules(Tree):
    RULE = """#include "privacy/kernel.h"
namespace stopover {
constexpr int kBands = 3;
class TailRule final : public RankRule {  // the kernel: Kernel, mutable, printf
 public:
  explicit TailRule(const Engine& engine) : engine_(engine) {}
  static TailRule of(const Engine& engine);
  BoxSample sample(std::size_t lattice) const override { return {7, 1u << 31}; }
 private:
  static constexpr int kMost = 3;
  const Engine& engine_;
  const std::vector<int> rows_;
  std::span<const double> sizes_;
  std::shared_ptr<const Engine> held_;
};
}
"""
    BODY = "namespace stopover {\nvoid TailRule::bands_of(std::span<RankBand> out) const { out[0] = {1, 0}; }\n}\n"

    def setUp(self):
        super().setUp()
        self.write("src/privacy/AUDIT.md", "the rule of `publish/tail_rule.h`\n")
        self.write("src/publish/tail_rule.h", self.RULE)
        self.write("src/publish/tail_rule.cc", self.BODY)
        self.write("src/publish/plan.cc", "static int calls; void run(Kernel& kernel) { printf(); }\n")
        self.write("src/publish/tail_rule_test.cc", "class Bad : public RankRule { mutable int calls_; };\n")

    def check(self):
        return self.run_check(rules.main, self.root)

    def test_a_rule_that_keeps_nothing(self):
        self.assert_fine(self.check())

    def test_state_and_output_in_the_body(self):
        for text, word in [("static int calls = 0;", "a static variable"), ("thread_local int calls;", "thread_local"),
                           ("const_cast<int&>(x) = 1;", "const_cast"), ('std::cerr << "x";', "cerr"),
                           ('fprintf(stderr, "x");', "fprintf"), ('fmt::print("x");', "fmt::print"), ("write(1, p, n);", "write"),
                           ("throw 1;", "throw"), ("std::exit(1);", "exit"), ("std::function<void()> f;", "function"),
                           ("Kernel* kernel;", "the kernel"), ("std::atomic<int> n;", "atomic")]:
            with self.subTest(text=text):
                self.write("src/publish/tail_rule.cc", self.BODY.replace("out[0]", text + " out[0]"))
                self.assert_breach(self.check(), "src/publish/tail_rule.cc:2: beside the rank rule TailRule", word)

    def test_variables_of_the_namespace(self):
        for text in ["int calls = 0;", "std::vector<std::uint64_t> seen;", "Engine* engine{};"]:
            with self.subTest(text=text):
                self.write("src/publish/tail_rule.cc", text + "\n" + self.BODY)
                self.assert_breach(self.check(), "tail_rule.cc:1:", "a variable of the namespace")

    def test_members_that_could_be_changed(self):
        for text in ["Engine& engine_;", "Engine* engine_ = nullptr;", "std::span<double> sizes_;",
                     "std::shared_ptr<Engine> engine_;", "std::vector<int>* seen_;"]:
            with self.subTest(text=text):
                self.write("src/publish/tail_rule.h", self.RULE.replace("const Engine& engine_;", text))
                self.assert_breach(self.check(), "src/publish/tail_rule.h:11: TailRule holds something")
        self.write("src/publish/tail_rule.h", self.RULE.replace("const Engine& engine_;", "mutable int calls_;"))
        self.assert_breach(self.check(), "src/publish/tail_rule.h:11", "mutable")

    def test_a_rule_that_is_more_or_not_named(self):
        self.write("src/publish/tail_rule.h", self.RULE.replace(": public RankRule", ": public Logger, public RankRule"))
        self.assert_breach(self.check(), "src/publish/tail_rule.h:4: the rank rule TailRule derives")
        self.setUp()
        self.write("src/privacy/AUDIT.md", "nothing\n")
        self.assert_breach(self.check(), "AUDIT.md does not name `publish/tail_rule.h`")


class Pages(Tree):
    def setUp(self):
        super().setUp()
        self.write("README.md", "See [asking](docs/guide/ask.md#two-words) and `src/base/result.h`.\n")
        self.write("docs/guide/ask.md", "# Ask\n\n    stopover query\n\n## Two words!\n\n"
                   "[why](../internals/why.md), [below](#two-words)\n")
        self.write("docs/internals/why.md", "# Why\n\n`base/result.h`, `result.h`, src/*/*.h, src/ROOM/x_test.cc, "
                   "https://a.org/docs/none.md\n")
        self.write("src/base/result.h", "// docs/guide/ask.md has the words.\nint a;\n")
        self.write("scripts/run", "#!/usr/bin/env python3\n\"\"\"Writes docs/guide/ask.md.\"\"\"\nGONE = 'gone.h'\n")

    def check(self):
        return self.run_check(pages.main, self.root)

    def test_a_tree_that_keeps_the_rules(self):
        self.assert_fine(self.check())

    def test_names_that_lead_nowhere(self):
        for name, text, line in [("docs/internals/why.md", "# Why\n\n`src/base/gone.h`\n", 3),
                                 ("README.md", "kernel.h\n", 1),
                                 ("src/base/result.h", "int a;  // as base/gone.h does\n", 1),
                                 ("src/base/result.h", "/* one\n two: docs/ask.md */\n", 2),
                                 ("src/base/result.h", 'const char* help = "see docs/ask.md";\n', 1),
                                 ("scripts/run", "#!/usr/bin/env python3\n\"\"\"One.\n\nTwo: scripts/gone.\"\"\"\n", 4),
                                 ("cmake/x.cmake", "set(a b) # of cmake/gone.cmake\n", 1)]:
            with self.subTest(name=name, text=text):
                self.setUp()
                self.write(name, text)
                self.assert_breach(self.check(), f"{name}:{line}: there is no ")

    def test_links_that_lead_nowhere(self):
        self.write("docs/internals/why.md", "# Why\n\n[a](../guide/gone.md)\n[b](../guide/ask.md#three-words)\n")
        self.assert_breach(self.check(), "why.md:3: there is no ../guide/gone.md",
                           "why.md:4: ../guide/ask.md has no heading #three-words")

    def test_too_much(self):
        for k in range(pages.GUIDE_PAGES):
            self.assert_fine(self.check())
            self.write(f"docs/guide/page{k}.md", "# Page\n\n    stopover\n")
        self.assert_breach(self.check(), f"{pages.GUIDE_PAGES + 1} pages, at most {pages.GUIDE_PAGES}")
        self.setUp()
        self.write("README.md", "line\n" * pages.README_LINES)
        self.assert_fine(self.check())
        self.write("README.md", "line\n" * (pages.README_LINES + 1))
        self.assert_breach(self.check(), "README.md: 121 lines")
        self.setUp()
        self.write("docs/guide/glossary.md",
                   "# Words\n\n    stopover help\n\n" + "* **word**: a word\n" * (pages.GLOSSARY_ENTRIES + 1))
        self.assert_breach(self.check(), "41 entries")

    def test_a_page_out_of_place_or_without_its_command(self):
        self.write("docs/loose.md", "# Loose\n")
        self.assert_breach(self.check(), "docs/loose.md: a page belongs into")
        self.setUp()
        self.write("docs/guide/talk.md", "# Talk\n\nFirst a few words.\n\n    stopover query\n")
        self.assert_breach(self.check(), "docs/guide/talk.md: must begin")


class Targets(Tree):
    def check(self, everyday, others, phony=None):
        names = [f"t-{chr(97 + k)}" for k in range(everyday)] + [f"o-{chr(97 + k)}" for k in range(others)]
        rules = "".join(f"{name}: {'##' if name[0] == 't' else '###'} does it\n" for name in names)
        show = "\t@awk -F ':.*{0} ' '/^[a-z-]+:.*{0} /{{printf \"  make %s %s\\n\", $$1, $$2}}' Makefile\n"
        self.write("Makefile", f".PHONY: help help-all {phony or ' '.join(names)}\nhelp: ### these\n" +
                   show.format("[^#]##") + "help-all: ### all\n" + show.format("##+") + rules)
        return self.run_check(targets.main, self.root)

    def test_targets_are_counted_and_described(self):
        self.assert_fine(self.check(targets.EVERYDAY, 3))
        self.assert_breach(self.check(targets.EVERYDAY + 1, 0), "make help: 15 targets, at most 14")
        self.assert_breach(self.check(1, 1, "t-a o-a silent"), "does not say what silent does")
        self.assert_breach(self.check(1, 1, "t-a"), "o-a is not after .PHONY:")
        self.write("Makefile", "all:\n")
        self.assert_breach(self.run_check(targets.main, self.root), "are needed")


if __name__ == "__main__":
    unittest.main()
