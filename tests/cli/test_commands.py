"""The command line: answers, files, exit codes, and no traceback for anything a user may bring."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from karat.cli.main import main
from karat.kernels import Gaussian


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three vendors and an anchor as CSV, in the current folder."""
    rng = np.random.default_rng(0)
    for name, shift, rows in (
        ("acme", 0.0, 80),
        ("globex", 0.5, 60),
        ("initech", 2.0, 70),
        ("mine", 0.0, 40),
    ):
        values = rng.normal(shift, 1.0, (rows, 2))
        text = "a,b\n" + "".join(f"{x:.6f},{y:.6f}\n" for x, y in values)
        (tmp_path / f"{name}.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def karat(monkeypatch, capsys):
    """Run `karat ...` in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["karat", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


VENDORS = ("acme.csv", "globex.csv", "initech.csv")


def test_appraise_prints_the_leaderboard_and_saves_the_appraisal(folder, karat):
    code, out, err = karat("appraise", *VENDORS, "--anchor", "mine.csv")
    assert code == 0
    assert err == ""
    lines = [line.split()[:2] for line in out.splitlines() if line[:1].isdigit() and line[1:3] == "  "]
    assert lines == [["1", "acme"], ["2", "globex"], ["3", "initech"]]
    saved = json.loads((folder / "appraisal.json").read_text())
    assert (
        saved["provenance"]["command"] == "karat appraise acme.csv globex.csv initech.csv --anchor mine.csv"
    )
    assert len(saved["provenance"]["inputs"]) == 4


def test_json_on_stdout_is_the_saved_appraisal(folder, karat):
    _, out, _ = karat("appraise", *VENDORS, "-a", "mine.csv", "--json")
    assert json.loads(out) == json.loads((folder / "appraisal.json").read_text())


def test_no_save_saves_nothing_and_output_saves_elsewhere(folder, karat):
    assert karat("appraise", *VENDORS, "-a", "mine.csv", "--no-save", "-o", "answer.json")[0] == 0
    assert not (folder / "appraisal.json").exists()
    assert (folder / "answer.json").exists()


def test_names_trust_weights_and_columns_reach_the_library(folder, karat):
    code, out, _ = karat(
        "appraise", "north=acme.csv", "globex.csv", "initech.csv", "--trust", "north", "--json"
    )
    saved = json.loads(out)
    assert code == 0
    assert [vendor["name"] for vendor in saved["vendors"]] == ["globex", "initech"]
    _, out, _ = karat("appraise", *VENDORS, "--weights", "acme=0.5,globex=0.5", "--columns", "b", "--json")
    saved = json.loads(out)
    assert saved["reference"]["weights"] == [0.5, 0.5, 0.0]
    assert len(saved["provenance"]["layout"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.csv", "acme.csv"], "missing.csv"),
        (["acme.csv"], "Pass an anchor"),
        (["acme.csv", "acme.csv"], "two previews are called 'acme'"),
        ([*VENDORS, "--kernel", "cosine"], "cosine"),
        ([*VENDORS, "--reference", "best"], "best"),
        ([*VENDORS, "--weights", "acme=0.5"], "sum to 0.5"),
        ([*VENDORS, "--weights", "acme"], "NAME=SHARE"),
        ([*VENDORS, "--weights", ""], "NAME=SHARE"),
        ([*VENDORS, "--weights", "acme=1,acme=0"], "'acme' twice"),
        ([*VENDORS, "--anchor", ""], "empty path"),
        ([*VENDORS, "--seed", "-1"], "the seed is -1"),
        ([*VENDORS, "--seed", "-1", "--reference", "equal-size"], "the seed is -1"),
        ([*VENDORS, "--workers", "0"], "0 threads"),
        ([*VENDORS, "--method", "block", "--valuation", "mmd"], "mmd-block among the valuations"),
        ([*VENDORS, "--method", "block", "--compat", "xu2023"], "xu2023"),
        ([*VENDORS, "--confidence", "2"], "between 0 and 1"),
        ([*VENDORS, "--columns", "z"], "z"),
        ([*VENDORS, "--precision", "float8"], "float8"),
        ([*VENDORS, "--trust", "nobody"], "nobody"),
        ([*VENDORS, "--trust", "acme", "--anchor", "mine.csv"], "--trust"),
        ([*VENDORS, "-o", "answer.docx"], "answer.docx"),
        (["text.csv", "acme.csv"], "city"),
        (["empty.csv", "acme.csv"], "empty"),
        (["hole.csv", "acme.csv", "--missing", "error"], "hole"),
        (["endless.csv", "acme.csv"], "endless"),
    ],
)
def test_bad_input_ends_with_one_and_says_what_is_wrong(folder, karat, arguments, said):
    (folder / "text.csv").write_text("a,b,city\n1,2,rome\n3,4,oslo\n")
    (folder / "empty.csv").write_text("a,b\n")
    (folder / "hole.csv").write_text("a,b\n1,2\n,4\n5,6\n")
    (folder / "endless.csv").write_text("a,b\n1,2\ninf,4\n5,6\n")
    code, out, err = karat("appraise", *arguments)
    assert code == 1
    assert said in err
    assert "Traceback" not in err + out


def test_compare_reads_the_saved_appraisal_and_its_exit_code_tells_undecided(folder, karat):
    karat("appraise", *VENDORS, "-a", "mine.csv")
    code, out, _ = karat("compare", "acme", "initech")
    assert (code, out.splitlines()[0]) == (0, "acme is better than initech (95 %).")
    code, out, _ = karat("compare", "initech", "acme", "--margin", "5%", "--json")
    assert (code, json.loads(out)["verdict"]) == (0, "worse")
    code, out, _ = karat("compare", "acme", "initech", "--policy", "paper")
    assert (code, out.split(":")[0]) == (3, "Undecided")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["acme", "nobody"], "'nobody'"),
        (["acme", "acme"], "compared with itself"),
        (["acme", "globex", "--confidence", "1"], "between 0 and 1"),
        (["acme", "globex", "--margin", "much"], "'much'"),
        (["acme", "globex", "--policy", "hope"], "'hope'"),
        (["acme", "globex", "--from", "mine.csv"], "not a saved appraisal"),
        (["acme", "globex", "--from", "nowhere.json"], "karat appraise"),
    ],
)
def test_a_comparison_that_makes_no_sense_says_so(folder, karat, arguments, said):
    karat("appraise", *VENDORS, "-a", "mine.csv")
    code, _, err = karat("compare", *arguments)
    assert code == 1
    assert said in err


def test_guarantees_refuse_unbounded_kernels_and_say_what_to_change(folder, karat):
    karat("appraise", *VENDORS, "-a", "mine.csv", "--kernel", "energy")
    code, _, err = karat("compare", "acme", "globex", "--policy", "guaranteed")
    assert code == 1
    assert "bound" in err


def test_the_authors_estimator_can_be_shown_with_their_scaling(folder, karat):
    """Their scaling divides by the block size, 1024, where there is one block."""
    _, out, _ = karat("appraise", *VENDORS, "-a", "mine.csv", "--method", "block", "--json")
    plain = json.loads(out)["valuations"][0]["scores"]
    _, out, _ = karat(
        "appraise", *VENDORS, "-a", "mine.csv", "--method", "block", "--compat", "xu2024", "--json"
    )
    theirs = json.loads(out)["valuations"][0]["scores"]
    assert theirs["initech"] == pytest.approx(plain["initech"] / 32.0)
    assert karat("appraise", *VENDORS, "--compat", "xu2024")[0] == 1
    assert karat("appraise", *VENDORS, "--method", "magic")[0] == 1


def test_the_block_estimator_takes_the_kernel_that_was_asked_for(folder, karat):
    """One block holds all rows of a preview as long as the anchor: the biased estimate of both wholes."""
    shown, own = (np.loadtxt(name, delimiter=",", skiprows=1)[:40] for name in ("initech.csv", "mine.csv"))
    np.savetxt("short.csv", shown, delimiter=",", header="a,b", comments="", fmt="%.6f")
    for bandwidth in (0.3, 3.0):
        _, out, _ = karat(
            *("appraise", "short.csv", "acme.csv", "-a", "mine.csv", "--scaling", "none", "--json"),
            *("--method", "block", "--kernel", f"gaussian:{bandwidth}"),
        )
        kernel = Gaussian(bandwidth)
        squared = kernel.block(shown, shown).mean() + kernel.block(own, own).mean()
        squared -= 2.0 * kernel.block(shown, own).mean()
        assert json.loads(out)["valuations"][0]["scores"]["short"] == pytest.approx(-np.sqrt(squared))


def test_valuations_stand_side_by_side_with_their_agreement(folder, karat):
    code, out, _ = karat("appraise", *VENDORS, "-a", "mine.csv", "--valuation", "mmd,energy", "--json")
    answer = json.loads(out)
    assert code == 0
    assert [column["valuation"] for column in answer["valuations"]] == ["mmd", "energy"]
    assert answer["agreement"]["spearman"] == pytest.approx(np.ones((2, 2)))
    code, _, err = karat("appraise", *VENDORS, "-a", "mine.csv", "--valuation", "magic")
    assert (code, "magic" in err) == (1, True)


def test_asking_again_takes_stronger_evidence_and_says_so(folder, karat):
    karat("appraise", *VENDORS, "-a", "mine.csv")

    def compared(*options):
        code, out, _ = karat("compare", "acme", "initech", "--json", *options)
        assert code == 0
        return json.loads(out)

    once, third, planned = compared(), compared("--look", "3"), compared("--planned", "0.5")
    assert once["look"] is None
    assert third["look"]["number"] == 3
    assert third["confidence"] == pytest.approx(1.0 - 0.05 / 12.0)
    assert third["interval"][0] < once["interval"][0] < once["interval"][1] < third["interval"][1]
    assert planned["look"]["critical"] == pytest.approx(2.2414 / 0.5**0.5, rel=1e-4)
    _, out, _ = karat("compare", "acme", "initech", "--look", "3")
    assert "Look 3 by the rule 'no plan': decided at 99.58 %" in " ".join(out.split())
    code, _, err = karat("compare", "acme", "initech", "--look", "0")
    assert code == 1
    assert "Count from 1" in err
    code, _, err = karat("compare", "acme", "initech", "--look", "2", "--planned", "0.5")
    assert code == 1
    assert "counted and planned for at once" in err


def test_rows_of_the_buyer_help_a_vendor_in_no_valuation(folder, karat):
    def energy_of_globex(*options):
        code, out, _ = karat(
            "appraise", *VENDORS, "-a", "mine.csv", "--valuation", "energy", "--json", *options
        )
        assert code == 0
        return json.loads(out)["valuations"][0]["scores"]["globex"]

    honest = energy_of_globex()
    with (folder / "globex.csv").open("a") as file:
        file.writelines((folder / "mine.csv").read_text().splitlines(keepends=True)[1:])
    assert energy_of_globex() == pytest.approx(honest, rel=1e-9)
    assert energy_of_globex("--keep-copies") > 0.8 * honest


def test_what_a_valuation_lacks_is_said_before_rows_are_compared(folder, karat):
    code, _, err = karat("appraise", *VENDORS, "-a", "mine.csv", "--valuation", "mmd,lava")
    assert (code, (folder / "appraisal.json").exists()) == (1, False)
    assert "'lava' needs labels, and vendor 'acme' has none" in err


def test_valuations_are_listed_with_what_they_need(karat):
    facts = json.loads(karat("valuations", "--json")[1])
    assert {"name", "needs", "converges_to", "cost", "citation"} <= facts[0].keys()
    assert {"mmd", "lava", "davinz", "cs-shapley"} <= {one["name"] for one in facts}


def test_require_decided_ends_with_three_where_no_vendor_is_declared_best(folder, karat):
    assert karat("appraise", *VENDORS, "-a", "mine.csv", "--require-decided")[0] in (0, 3)
    assert karat("appraise", *VENDORS, "--require-decided")[0] == 3


def test_wrong_usage_ends_with_two(folder, karat):
    assert karat("appraise", *VENDORS, "--no-such-option")[0] == 2
    assert karat("no-such-verb")[0] == 2


def test_with_json_an_error_is_data_too(folder, karat):
    code, out, _ = karat("appraise", "missing.csv", "acme.csv", "--json")
    assert code == 1
    assert json.loads(out)["ok"] is False


def test_names_that_move_the_cursor_are_shown_without_doing_so(folder, karat):
    code, out, _ = karat("appraise", "evil\x1b[2J\u202eeman=acme.csv", "globex.csv", "-a", "mine.csv")
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_encode_writes_what_the_kernel_sees(folder, karat):
    code, out, _ = karat("encode", *VENDORS, "--anchor", "mine.csv", "-o", "encoded.npz")
    assert code == 0
    assert "acme: 80 rows x 2 columns" in out
    with np.load("encoded.npz", allow_pickle=False) as file:
        assert file["anchor"].shape == (40, 2)
        np.testing.assert_allclose(file["anchor"].mean(axis=0), 0.0, atol=1e-12)
        assert json.loads(str(file["layout.json"]))[0]["name"] == "a"


def test_a_vendor_in_the_place_of_the_layout_is_refused(folder, karat):
    code, _, err = karat("encode", "layout.json=acme.csv", "globex.csv", "-o", "encoded.npz")
    assert (code, "Give the vendor another name" in err) == (1, True)
    assert not (folder / "encoded.npz").exists()


def test_the_demo_finds_the_story_that_it_tells(karat, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = karat("demo", "--json")
    assert code == 0
    order = sorted(json.loads(out)["vendors"], key=lambda vendor: vendor["squared"])
    assert {vendor["name"] for vendor in order[-2:]} == {"initech", "hooli"}


@pytest.mark.parametrize("what", ["import karat", "karat --help", "karat appraise --help"])
def test_starting_loads_nothing_heavy(what):
    heavy = {"scipy.stats", "sklearn", "pyarrow", "numba", "torch", "fastapi"}
    if what == "import karat":
        program = what
    else:
        arguments = what.split()
        program = f"import sys; sys.argv = {arguments}\nfrom karat.cli.main import app\n"
        program += "try:\n app()\nexcept SystemExit: pass"
    program += "\nimport sys; print('loaded', *sorted(set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.splitlines()[-1].split())


def test_every_verb_shows_an_example(karat):
    _, out, _ = karat("--help")
    verbs = [line.split()[0] for line in out.split("Commands:")[1].splitlines() if line.strip()]
    for verb in verbs:
        shown = karat(verb, "--help")[1]
        if "Commands:" in shown:
            shown = karat(verb, shown.split("Commands:")[1].split()[0], "--help")[1]
        assert "Example: karat" in shown, verb


@pytest.mark.parametrize(
    ("typed", "offered"), [("karat com", "compare"), ("karat compare --mar", "--margin")]
)
def test_a_shell_can_complete_verbs_and_options(typed, offered):
    asked = {"_KARAT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    program = "import sys; sys.argv = ['karat']; from karat.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | asked, check=False
    )
    assert done.stdout.split() == [offered]
