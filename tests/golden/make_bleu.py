#!/usr/bin/env python3
"""Writes bleu.json: texts made up here, with the numbers that sacreBLEU gives them.

    python3 tests/golden/make_bleu.py            # needs sacrebleu (scripts/requirements.txt)

The file holds two small corpora (hypotheses with three references each), one whose translations are close and one
whose translations hardly match, so that smoothing matters; scores for the options; scores of single sentences; the
tokens of awkward lines. corpus() also serves scripts/check_bleu.py, which compares thousands of lines.
"""

import json
import random
from pathlib import Path

WORDS = """the a of to and in Is was for on THAT with his they at be this from have or by One had not but What
der die und das nicht Straße über größer Äpfel fünf Übung schön Weiß
나는 학교에 갔다 고양이가 물을 마신다 그것은 책이다
café naïve œuvre İstanbul ΟΔΥΣΣΕΥΣ Σίσυφος σοφός Ωμέγα Жизнь мир ĲSSEL ǅ ſ straSSE ﬁn
日本語 数据 🙂 👩‍👩‍👧 e\u0301t\u00e9""".split()
NUMBERS = ["3", "42", "1,000", "3.14", "2,5", "1990", "50%", "10-12", "1990-91", "½", "²", "Ⅷ", "٣", "-7", "5.",
           ".5", "12:30"]
JOINED = ["don't", "well-known", "U.S.", "e.g.", "A&B", "AT&amp;T", "&quot;yes&quot;", "&lt;b&gt;", "&amp;lt;",
          "&apos;", "<skipped>", "x/y", "a_b", "C++", "#1", "user@host", "(so)", "[so]", "{so}", "~so", "so|so",
          "`so`", "^2", "..", "...", "!?", "“so”", "‘so’", "«so»", "„so“", "–", "—so", "¿so?",
          "€5", "$5", "5€", "5°", "±1", "→", "。", "、", "2019.", "A.1", "1.A", "9-", "so-", "-", "--", "*",
          "=", "\\"]
ENDS = [".", ".", ".", "!", "?", " .", "…", "", ".\"", ".”", ";", ")", " ", "\u3000"]
SPACES = [" "] * 30 + ["  ", "\t", "\u00a0", "\u3000", "\u2009", "\u200b", "\u0085", "\u001d"]


def sentence(rng, low=1, high=14):
    """A line of made-up words, with what tokenizers trip over."""
    text = rng.choice(["", "", "", "", " ", "\""])
    for i in range(rng.randint(low, high)):
        pool = rng.choices([WORDS, NUMBERS, JOINED], weights=[8, 1, 2])[0]
        text += (rng.choice(SPACES) if i else "") + rng.choice(pool) + rng.choice(["", "", "", "", "", ",", "-", "'s"])
    return text + rng.choice(ENDS)


def noisy(rng, text, rate):
    """The line with words dropped, doubled, exchanged, replaced or in another case."""
    words = text.split(" ")
    out = []
    for word in words:
        if rng.random() >= rate:
            out.append(word)
            continue
        kind = rng.randrange(5)
        if kind == 1:
            out += [word, word]
        elif kind == 2:
            out.insert(max(0, len(out) - 1), word)
        elif kind == 3:
            out.append(rng.choice(WORDS))
        elif kind == 4:
            out.append(word.swapcase())
    return " ".join(out)


def corpus(seed, lines, references=3, rate=0.3, low=1, high=14):
    """(hypotheses, [references]): all noisy copies of the same lines; a few are empty."""
    rng = random.Random(seed)
    originals = [sentence(rng, low, high) for _ in range(lines)]
    copies = [[noisy(rng, text, rate) if rng.random() > 0.01 else "" for text in originals]
              for _ in range(references + 1)]
    return copies[0], copies[1:]


SMOOTHING = [("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2.0), ("none", None)]
TOKENIZERS = ["13a", "intl", "char", "none"]


def numbers(score):
    return {"score": score.score, "precisions": score.precisions, "counts": score.counts, "totals": score.totals,
            "bp": score.bp, "sys_len": score.sys_len, "ref_len": score.ref_len}


def cases(corpora):
    from sacrebleu.metrics import BLEU

    options = [("close", tokenize, lowercase, refs, "exp", None)
               for tokenize in TOKENIZERS for lowercase in (False, True) for refs in (1, 3)]
    options += [("far", "13a", True, refs, *smoothing) for refs in (1, 2) for smoothing in SMOOTHING]
    for name, tokenize, lowercase, refs, method, value in options:
        bleu = BLEU(tokenize=tokenize, lowercase=lowercase, smooth_method=method, smooth_value=value, force=True)
        hypotheses, references = corpora[name]["hypotheses"], corpora[name]["references"][:refs]
        score = bleu.corpus_score(hypotheses, references)
        # Without the additions of add-k, which sacreBLEU leaves in its counts.
        plain = BLEU(tokenize=tokenize, lowercase=lowercase, force=True).corpus_score(hypotheses, references)
        result = {**numbers(score), "counts": plain.counts, "totals": plain.totals}
        signature = bleu.get_signature().format().split("|version")[0]
        yield {"corpus": name, "tokenize": tokenize, "lowercase": lowercase, "references": refs, "smooth": method,
               "smooth_value": value, "signature": signature, **result}


def sentences(corpora):
    from sacrebleu import sentence_bleu

    hypotheses, references = corpora["far"]["hypotheses"], corpora["far"]["references"]
    for i, hypothesis in enumerate(hypotheses):
        for method in ("exp", "floor"):
            score = sentence_bleu(hypothesis, [r[i] for r in references], smooth_method=method)
            yield {"line": i, "smooth": method, "score": score.score, "bp": score.bp}


def tokens():
    from sacrebleu.metrics.bleu import BLEU

    rng = random.Random(3)
    lines = ["", " ", ".5 is .5", "2019.", "in 2019. ", "a,b 1,000 ,5 5, x", "1-2 a-1 1-a", "a..b...1..2", "x.,.y",
             "&amp;quot;", "<skipped>a-", "ΑΣ ΑΣΑ ΑΣ. ΑΣ'Α Σ", "İI",
             "\u00a0x\u3000", "A\u0301B", "–1–a–", "1–2", "€1+a=2"]
    for line in lines + [" ".join(rng.sample(JOINED + NUMBERS, 8)) for _ in range(8)]:
        for name in TOKENIZERS:
            yield {"text": line, "tokenize": name, "tokens": BLEU(tokenize=name)._preprocess_segment(line).split()}
        yield {"text": line, "lower": line.lower()}


def main():
    corpora = {}
    for name, seed, lines, rate, high in [("close", 1, 30, 0.15, 12), ("far", 123, 12, 1, 5)]:
        hypotheses, references = corpus(seed, lines, rate=rate, high=high)
        corpora[name] = {"hypotheses": hypotheses, "references": references}
    golden = {"corpora": corpora, "cases": list(cases(corpora)), "sentences": list(sentences(corpora)),
              "tokens": list(tokens())}
    rows = []
    for key, value in golden.items():
        items = [json.dumps(v, ensure_ascii=False) for v in (value if isinstance(value, list) else [value])]
        rows.append(f'"{key}": ' + ("[\n" + ",\n".join(items) + "\n]" if isinstance(value, list) else items[0]))
    (Path(__file__).parent / "bleu.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
