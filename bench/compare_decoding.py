#!/usr/bin/env python3
"""Decoding speed of Dragoman and of CTranslate2 on the same sources, alternately, with equal threads.

Usage: bench/.peers/bin/python bench/compare_decoding.py --spm MODEL --source test_2016_flickr.en [--sizes T M]
         [--beams 1 5] [--rounds 3] [--threads 2] [--lines 1000] [--int8] [--binary build/release/dragoman]
         [--set KEY=VALUE]

Both have random weights of the same sizes in float32 (--int8: CTranslate2 once more in int8), translate the first 1,000
lines in batches of 64 sentences and are made to write 14 tokens for each. In each round Dragoman runs, in a process of
its own, and then CTranslate2, here; both have translated all before, and the median of three passes counts. Loading is
in neither figure, and cutting into pieces not in CTranslate2's. A line has the target tokens a second, for each system
the least and the median of the rounds, and how many times as fast Dragoman is: by medians, and in the rounds at least
and in the median. Needs ctranslate2, numpy and sentencepiece (bench/setup_peers.sh).
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

from compare import HERE, Failed, commit_name, cpu_name, last_json, ratios, unpack

SIZES = {"T": {"layers": 4, "width": 128, "ffn": 256, "heads": 4},
         "M": {"layers": 3, "width": 256, "ffn": 1024, "heads": 4}}
LENGTH = 14
BATCH = 64


def dragoman_speed(size, beam, arguments, source):
    """The only place that knows how dragoman is called."""
    command = [arguments.binary, "bench", HERE / f"size_{size}.yaml", "--decode", "--json", "--beam-size", beam,
               "--threads", arguments.threads, "--sources", source, "--length", LENGTH]
    # Training text has to be there, though nothing is read from it.
    for item in [f"tokenizer.model_file={arguments.spm}", f"data.train.source={source}", f"data.train.target={source}",
                 *arguments.set]:
        command += ["--set", item]
    return last_json(command, arguments.threads)["tgt_tok_s"]


def write_model(folder, pieces, layers, width, ffn, heads):
    """A model with random weights in CTranslate2's format."""
    import numpy
    from ctranslate2.specs import common_spec, transformer_spec
    generator = numpy.random.default_rng(1)

    def normal(rows, columns):
        return generator.normal(0, columns**-0.5, (rows, columns)).astype(numpy.float32)

    def fill(linear, out, into):
        linear.weight, linear.bias = normal(out, into), numpy.zeros(out, numpy.float32)

    def fill_norm(norm):
        norm.gamma, norm.beta = numpy.ones(width, numpy.float32), numpy.zeros(width, numpy.float32)

    spec = transformer_spec.TransformerSpec.from_config((layers, layers), heads, pre_norm=False,
                                                        activation=common_spec.Activation.RELU)
    for layer in [*spec.encoder.layer, *spec.decoder.layer]:
        parts = [(layer.self_attention, [3 * width, width])]  # queries, keys and values in one; output
        if hasattr(layer, "attention"):
            parts.append((layer.attention, [width, 2 * width, width]))  # queries; keys and values; output
        for attention, outs in parts:
            fill_norm(attention.layer_norm)
            for linear, out in zip(attention.linear, outs):
                fill(linear, out, width)
        fill_norm(layer.ffn.layer_norm)
        fill(layer.ffn.linear_0, ffn, width)
        fill(layer.ffn.linear_1, width, ffn)
    fill(spec.decoder.projection, len(pieces), width)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = spec.decoder.projection.weight
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.validate()
    spec.optimize()
    folder.mkdir()
    spec.save(str(folder))


def ctranslate2_speed(translator, sources, beam):
    """As dragoman bench --decode: the median of three passes."""
    speeds = []
    for _ in range(3):
        start = time.perf_counter()
        results = translator.translate_batch(sources, beam_size=beam, max_batch_size=BATCH, batch_type="examples",
                                             min_decoding_length=LENGTH, max_decoding_length=LENGTH)
        speeds.append(sum(len(result.hypotheses[0]) for result in results) / (time.perf_counter() - start))
    return statistics.median(speeds)


def measure(size, beam, arguments, source, sources, translators):
    """Speeds by system, a round each; Dragoman's are missing when it can't decode."""
    speeds = {"dragoman": [], **{name: [] for name in translators}}
    for translator in translators.values():
        ctranslate2_speed(translator, sources, beam)
    for _ in range(arguments.rounds):
        if "dragoman" in speeds:
            try:
                speeds["dragoman"].append(dragoman_speed(size, beam, arguments, source))
            except Failed as error:
                print(f"{size:4} {beam:4} dragoman failed: {error}", flush=True)
                del speeds["dragoman"]
        for name, translator in translators.items():
            speeds[name].append(ctranslate2_speed(translator, sources, beam))
    return speeds


def row_of(speeds):
    """Dragoman's speeds; CTranslate2's and the ratios, for each of its types."""
    row = ""
    for name in ["dragoman", *(name for name in speeds if name != "dragoman")]:
        found = speeds.get(name)
        row += f" {min(found):9.0f} {statistics.median(found):7.0f}" if found else f" {'-':>9} {'-':>7}"
        if name != "dragoman" and "dragoman" in speeds:
            row += " {:6.2f} {:6.2f} {:6.2f}".format(*ratios(speeds["dragoman"], found))
        elif name != "dragoman":
            row += f" {'-':>6}" * 3
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spm", required=True, help="SentencePiece model of both sides")
    parser.add_argument("--source", required=True, help="sources, plain or gzip")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 5])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--int8", action="store_true", help="CTranslate2 in int8, too")
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--set", action="append", default=[], help="passed on to dragoman bench")
    arguments = parser.parse_args()
    arguments.spm = os.path.abspath(arguments.spm)
    try:
        import ctranslate2
        import sentencepiece
    except ImportError as error:
        sys.exit(f"compare_decoding: {error}; bench/setup_peers.sh makes a Python that has it")
    processor = sentencepiece.SentencePieceProcessor(model_file=arguments.spm)
    pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    print(f"CPU {cpu_name()}, {arguments.threads} threads, commit {commit_name()}, {arguments.rounds} rounds, "
          f"CTranslate2 {ctranslate2.__version__}")
    kinds = ["float32", "int8"] if arguments.int8 else ["float32"]
    print(f"size beam {'dragoman':>9} {'median':>7}"
          + "".join(f" {kind:>9} {'median':>7} {'ratio':>6} {'min':>6} {'median':>6}" for kind in kinds))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpack(arguments.source, folder / "all")
        lines = (folder / "all").read_text(encoding="utf-8").rstrip("\n").split("\n")[:arguments.lines]
        source = folder / "source"
        source.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
        sources = [[*cut, "</s>"] for cut in processor.encode(lines, out_type=str)]
        for size in arguments.sizes:
            write_model(folder / size, pieces, **SIZES[size])
            translators = {kind: ctranslate2.Translator(str(folder / size), device="cpu", compute_type=kind,
                                                        inter_threads=1, intra_threads=arguments.threads)
                           for kind in kinds}
            for beam in arguments.beams:
                speeds = measure(size, beam, arguments, source, sources, translators)
                print(f"{size:4} {beam:4}{row_of(speeds)}", flush=True)


if __name__ == "__main__":
    main()
