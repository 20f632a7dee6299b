#!/usr/bin/env python3
"""Does a model find what a pronoun refers to? Measured on the toy grammar, which knows the answer.

Usage: scripts/measure_coref.py MODEL_DIR --data toy/grammar/test [--binary build/release/dragoman] [--json]

Reads PREFIX.en, .ko, .align and .coref (dragoman generate grammar), translates PREFIX.en and prints
  - the share of pronouns whose Korean is right: the words that the reference aligns with the pronoun, in their place;
  - for encoder self-attention (query: the pronoun) and encoder-decoder attention (queries: the Korean words of the
    pronoun): how often the largest weight lies on the antecedent, in some head and in the best single head, beside
    what chance would give: a head that picks one of the source's tokens at random.
Subword pieces count for the word they belong to (word-level maps: sums over key pieces, means over query pieces).
Needs only Python itself.
"""
import argparse
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

WORD_BEGIN = "\u2581"


def fail(message):
    print(f"measure_coref: {message}", file=sys.stderr)
    sys.exit(2)


def lines_of(path):
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    return lines if lines[-1] else lines[:-1]


def pairs_of(line):
    return [tuple(int(number) for number in pair.split("-")) for pair in line.split()]


def words_of_pieces(pieces):
    """The number of the word that each piece belongs to; the end of sentence is a word of its own."""
    if not any(piece.startswith(WORD_BEGIN) for piece in pieces):
        return list(range(len(pieces)))
    words, word = [], -1
    for piece in pieces:
        if piece.startswith(WORD_BEGIN) or piece == "</s>" or word < 0:
            word += 1
        words.append(word)
    return words


def word_level(weights, query_words, key_words):
    """Sums over the pieces of a key word, means over those of a query word."""
    rows = [[0.0] * (key_words[-1] + 1) for _ in range(query_words[-1] + 1)]
    for row, query in zip(weights, query_words):
        for weight, key in zip(row, key_words):
            rows[query][key] += weight / query_words.count(query)
    return rows


def largest(row):
    return max(range(len(row)), key=row.__getitem__)


class Hits:
    """For each head, how often its largest weight lay on the antecedent."""

    def __init__(self):
        self.heads = defaultdict(int)
        self.some = self.cases = 0
        self.chance = self.chance_of_some = 0.0

    def add(self, maps, queries, antecedent):
        if not maps:
            return
        keys = len(maps[0][1][0])
        hits = [name for name, weights in maps if any(largest(weights[q]) == antecedent for q in queries)]
        for name in hits:
            self.heads[name] += 1
        self.cases += 1
        self.some += bool(hits)
        self.chance += 1 - (1 - 1 / keys) ** len(queries)
        self.chance_of_some += 1 - (1 - 1 / keys) ** (len(queries) * len(maps))

    def result(self):
        if self.cases == 0:
            return None
        best = max(self.heads, key=self.heads.get, default=None)
        share = lambda n: round(100 * n / self.cases, 1)  # noqa: E731
        return {"pronouns": self.cases, "some_head": share(self.some), "some_head_by_chance": share(self.chance_of_some),
                "best_head": list(best) if best else None, "best_head_share": share(self.heads[best] if best else 0),
                "one_head_by_chance": share(self.chance)}


def translate(binary, model, source):
    with tempfile.TemporaryDirectory() as folder:
        out, maps = pathlib.Path(folder) / "out", pathlib.Path(folder) / "maps"
        result = subprocess.run([binary, "translate", model, "-i", str(source), "-o", str(out), "--attention", str(maps)],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            fail(f"translate failed: {result.stderr.strip()}")
        return lines_of(out), [json.loads(line) for line in lines_of(maps)]


def measure(sources, references, aligns, corefs, translations, maps):
    right = pronouns = 0
    hits = {"encoder": Hits(), "cross": Hits()}
    for source, reference, align, coref, translation, found in zip(sources, references, aligns, corefs, translations,
                                                                   maps):
        expected, got = reference.split(), translation.split()
        kept = {}  # word of the reference -> its place in the translation
        for block in difflib.SequenceMatcher(a=expected, b=got, autojunk=False).get_matching_blocks():
            kept.update({block.a + i: block.b + i for i in range(block.size)})
        source_words, target_words = words_of_pieces(found["source"]), words_of_pieces(found["target"])
        for pronoun, antecedent in pairs_of(coref):
            targets = [j for i, j in pairs_of(align) if i == pronoun]
            pronouns += 1
            right += bool(targets) and all(j in kept for j in targets)
            queries = {"encoder": [pronoun], "cross": [kept[j] for j in targets if j in kept]}
            words = {"encoder": source_words, "cross": target_words}
            for kind, counter in hits.items():
                levels = [((m["layer"], m["head"]), word_level(m["weights"], words[kind], source_words))
                          for m in found["attention"] if m["kind"] == kind]
                if queries[kind]:
                    counter.add(levels, queries[kind], antecedent)
    return {"pronouns": pronouns, "right": round(100 * right / pronouns, 1) if pronouns else None,
            "encoder": hits["encoder"].result(), "cross": hits["cross"].result()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--data", required=True, help="prefix of .en, .ko, .align and .coref")
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    files = [pathlib.Path(arguments.data + suffix) for suffix in (".en", ".ko", ".align", ".coref")]
    lines = [lines_of(file) for file in files]
    for file, found in zip(files, lines):
        if len(found) != len(lines[0]):
            fail(f"{file}: {len(found)} lines against {len(lines[0])} in {files[0]}")
    result = measure(*lines, *translate(arguments.binary, arguments.model, files[0]))
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{result['pronouns']} pronouns, {result['right']} % with the right Korean form")
    for kind, name in (("encoder", "encoder self-attention"), ("cross", "encoder-decoder attention")):
        r = result[kind]
        if r is None:
            print(f"{name}: none in this model")
            continue
        layer, head = r["best_head"] or ("-", "-")
        print(f"{name}: largest weight on the antecedent in some head {r['some_head']} % (chance "
              f"{r['some_head_by_chance']} %), in the best head (layer {layer}, head {head}) {r['best_head_share']} % "
              f"(chance {r['one_head_by_chance']} %)")


if __name__ == "__main__":
    main()
