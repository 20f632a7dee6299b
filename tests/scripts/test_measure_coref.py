"""scripts/measure_coref.py: what counts as right, and where the largest weight lies."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from measure_coref import measure, word_level, words_of_pieces


def attention(rows, kind="encoder", layer=0, head=0):
    return {"kind": kind, "layer": layer, "head": head, "weights": rows}


def one_hot(index, size):
    return [1.0 if i == index else 0.0 for i in range(size)]


def found(maps, source=("a", "b", "it", "</s>"), target=("A", "B", "IT", "</s>")):
    return {"source": list(source), "target": list(target), "attention": maps}


def run(translation, maps, coref="2-0", align="0-0 1-1 2-2"):
    return measure(["a b it"], ["A B IT"], [align], [coref], [translation], [found(maps)])


def test_the_largest_weight_on_the_antecedent_is_a_hit():
    rows = [one_hot(3, 4), one_hot(3, 4), one_hot(0, 4), one_hot(3, 4)]
    miss = [one_hot(3, 4), one_hot(0, 4), one_hot(1, 4), one_hot(3, 4)]
    result = run("A B IT", [attention(miss), attention(rows, head=1), attention(miss, "cross")])
    assert result["encoder"]["some_head"] == 100 and result["encoder"]["best_head"] == [0, 1]
    assert result["encoder"]["one_head_by_chance"] == 25 and result["encoder"]["some_head_by_chance"] == 43.8
    assert result["cross"]["some_head"] == 0 and result["cross"]["best_head"] is None


@pytest.mark.parametrize(("translation", "right"), [("A B IT", 100), ("X A B IT", 100), ("A B THEY", 0), ("", 0)])
def test_a_pronoun_is_right_if_the_words_of_the_reference_stand_in_the_translation(translation, right):
    result = run(translation, [])
    assert result["pronouns"] == 1 and result["right"] == right
    assert result["encoder"] is None


def test_a_pronoun_that_the_reference_does_not_align_is_not_right():
    assert run("A B IT", [], align="0-0 1-1")["right"] == 0


def test_lines_without_pronouns_do_not_count():
    assert run("A B IT", [], coref="")["pronouns"] == 0


def test_pieces_count_for_their_words():
    pieces = ["\u2581un", "der", "\u2581it", "</s>"]
    assert words_of_pieces(pieces) == [0, 0, 1, 2]
    assert words_of_pieces(["un", "it"]) == [0, 1]
    weights = [[0.5, 0.2, 0.3, 0], [0.1, 0.2, 0.7, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    rows = word_level(weights, [0, 0, 1, 2], [0, 0, 1, 2])
    assert rows == [pytest.approx([0.5, 0.5, 0]), [0, 0, 1], [1, 0, 0]]
