#!/usr/bin/env python3
"""Writes cells.json, attention.json, multi_head.json, models.json and transformers.json: PyTorch's numbers for small
layers and models, in float64.

    python3 tests/golden/make_golden.py          # needs torch (scripts/requirements.txt)

Everything here is written from the equations of the specification, sentence by sentence, without packing or masks,
around PyTorch's own cells and layers, and differentiated by PyTorch. Inputs and parameters are drawn with a fixed seed
and rounded to three decimals (gains of layer norms to four), so that the files hold them exactly. Names, shapes and
gate orders in the files are Dragoman's: matrices [in, out], GRU gates r, z, n with biases b (3H) and c_n (H), LSTM
gates i, f, g, o with one bias.
"""

import json
from pathlib import Path

import numpy as np
import torch
from golden_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, Model, attend, export_cell, make_cell, score_parameters
from golden_transformer import TransformerModel, TransformerToRnn, multi_head_by_hand

HERE = Path(__file__).parent
LENGTHS = [5, 2, 4]


def draw(rng, *shape, scale=0.7):
    return torch.tensor(np.round(rng.normal(size=shape) * scale, 3), dtype=torch.float64)


def flat(tensor):
    """Twelve digits are enough for comparisons at 1e-9 of the largest number of a tensor."""
    return [float(f"{x:.12g}") + 0.0 for x in tensor.detach().contiguous().view(-1).tolist()]


def randomize(module, rng, deviation=0.7):
    """Every parameter that trains gets rounded draws; b_hh entries that Dragoman doesn't have stay zero."""
    for parameter in module.parameters():
        parameter.data = draw(rng, *parameter.shape, scale=deviation)
    for part in module.modules():
        if isinstance(part, torch.nn.LayerNorm):
            part.weight.data = 1 + part.weight.data / 2  # gains lie around 1, where they start


def rows_and_gradients(named):
    """{name: {rows, cols, value, gradient}} of tensors that have been through backward()."""
    result = {}
    for name, (tensor, convert) in named.items():
        gradient = tensor.grad if tensor.grad is not None else torch.zeros_like(tensor)
        value = convert(tensor)
        if value.numel() == 0:
            continue
        value = value if value.dim() == 2 else value.view(1, -1)
        result[name] = {"rows": value.shape[0], "cols": value.shape[1], "value": flat(value),
                        "gradient": flat(convert(gradient))}
    return result


def cell_golden(kind, rng, inputs=3, hidden=4):
    """Each sentence from its own initial state; the loss weighs all outputs and the final states."""
    cell = make_cell(kind, inputs, hidden)
    randomize(cell, rng)
    named = export_cell("layer", cell)
    memory = kind == "lstm"
    tokens = sum(LENGTHS)
    x, h0, c0 = (draw(rng, n, width).requires_grad_() for n, width in
                 ((tokens, inputs), (len(LENGTHS), hidden), (len(LENGTHS), hidden)))
    dy, dh, dc = draw(rng, tokens, hidden), draw(rng, len(LENGTHS), hidden), draw(rng, len(LENGTHS), hidden)
    outputs, final_h, final_c = [], [], []
    begin = 0
    for i, length in enumerate(LENGTHS):
        h, c = h0[i:i + 1], c0[i:i + 1]
        for t in range(begin, begin + length):
            if memory:
                h, c = cell(x[t:t + 1], (h, c))
            else:
                h = cell(x[t:t + 1], h)
            outputs.append(h)
        final_h.append(h)
        final_c.append(c)
        begin += length
    y, final_h, final_c = torch.cat(outputs), torch.cat(final_h), torch.cat(final_c)
    loss = (y * dy).sum() + (final_h * dh).sum()
    if memory:
        loss = loss + (final_c * dc).sum()
    loss.backward()
    identity = lambda t: t  # noqa: E731
    named.update({"x": (x, identity), "h0": (h0, identity)})
    golden = {"cell": kind, "lengths": LENGTHS, "inputs": inputs, "hidden": hidden, "dy": flat(dy), "dh": flat(dh),
              "y": flat(y), "final_h": flat(final_h)}
    if memory:
        named["c0"] = (c0, identity)
        golden.update({"dc": flat(dc), "final_c": flat(final_c)})
    golden["tensors"] = rows_and_gradients(named)
    return golden


def attention_golden(score, rng, query_size=5, size=4, value_size=3):
    key_size = 6 if score in ("general", "additive") else query_size
    layer = score_parameters(score, query_size, key_size, size)
    randomize(layer, rng)
    sentences = [0, 0, 1, 2, 2, 1, 0]  # of each query
    offset = np.concatenate([[0], np.cumsum(LENGTHS)])
    queries = draw(rng, len(sentences), query_size).requires_grad_()
    keys = draw(rng, offset[-1], key_size).requires_grad_()
    values = draw(rng, offset[-1], value_size).requires_grad_()
    dcontext = draw(rng, len(sentences), value_size)
    contexts, weights = [], []
    for query, sentence in zip(queries, sentences):
        rows = slice(offset[sentence], offset[sentence + 1])
        context, a = attend(score, layer, query.view(1, -1), keys[rows], values[rows])
        contexts.append(context)
        weights.append(flat(a))
    context = torch.cat(contexts)
    (context * dcontext).sum().backward()
    identity = lambda t: t  # noqa: E731
    named = layer.export("attention")
    named.update({"queries": (queries, identity), "keys": (keys, identity), "values": (values, identity)})
    return {"score": score, "lengths": LENGTHS, "sentences": sentences, "query_size": query_size, "key_size": key_size,
            "size": size, "dcontext": flat(dcontext), "weights": weights, "context": flat(context),
            "tensors": rows_and_gradients(named)}


def sentences(rng, lengths, vocabulary):
    """Pieces and eos (2)."""
    return [[int(x) for x in rng.integers(3, vocabulary, length - 1)] + [2] for length in lengths]


def multi_head_golden(name, rng, score="scaled_dot", heads=2, key_size=3, value_size=4, width=5, memory_width=5,
                      causal=False):
    """Queries [rows, width] over a memory of the same sentences; causal: a query sees rows up to its own."""
    sizes = {"query": (width, heads * key_size), "key": (memory_width, heads * key_size),
             "value": (memory_width, heads * value_size), "output": (heads * value_size, width)}
    weights = {}
    for part, (rows, cols) in sizes.items():
        weights[f"{part}.w"] = draw(rng, rows, cols).requires_grad_()
        weights[f"{part}.b"] = draw(rng, cols).requires_grad_()
    offset = np.concatenate([[0], np.cumsum(LENGTHS)])
    queries = draw(rng, offset[-1], width).requires_grad_()
    memory = draw(rng, offset[-1], memory_width).requires_grad_()
    dy = draw(rng, offset[-1], width)
    ranges = [(int(offset[i]), int(row + 1 if causal else offset[i + 1]))
              for i in range(len(LENGTHS)) for row in range(offset[i], offset[i + 1])]
    y = multi_head_by_hand(queries, memory, weights, heads, score, ranges)
    (y * dy).sum().backward()
    identity = lambda t: t  # noqa: E731
    named = {f"layer.{name}": (w, identity) for name, w in weights.items()}
    named.update({"queries": (queries, identity), "memory": (memory, identity)})
    return {"name": name, "score": score, "heads": heads, "key_size": key_size, "value_size": value_size,
            "width": width, "memory_width": memory_width, "ranges": ranges, "y": flat(y), "dy": flat(dy),
            "tensors": rows_and_gradients(named)}


def multi_heads():
    yield "self", dict(key_size=3, value_size=3, width=6, memory_width=6)
    yield "causal, dot", dict(score="dot", causal=True)
    yield "cross, three heads, narrow keys", dict(heads=3, key_size=2, value_size=5, width=7, memory_width=4)
    yield "cross, one head, dot", dict(heads=1, key_size=6, value_size=2, memory_width=8, score="dot")


def model_golden(name, rng, optimizer="sgd", smoothing=0.1, make=Model, deviation=0.7, **options):
    model = make(**options)
    randomize(model, rng, deviation)
    source = sentences(rng, LENGTHS, TARGET_VOCABULARY if options.get("tied") == "all" else SOURCE_VOCABULARY)
    target = sentences(rng, [3, 6, 4], TARGET_VOCABULARY)
    labels = sum(len(s) for s in target)
    loss = model.loss(source, target, smoothing)
    loss.backward()
    golden = {"name": name, "config": model.config(), "smoothing": smoothing, "source": source, "target": target,
              "loss": loss.item(), "parameters": rows_and_gradients(model.export())}
    if optimizer == "sgd":
        update = torch.optim.SGD(model.parameters(), lr=0.1)
    else:
        update = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-8)
    losses = []
    for _ in range(10):
        update.zero_grad()
        loss = model.loss(source, target, smoothing) / labels
        losses.append(loss.item())
        loss.backward()
        update.step()
    golden.update({"optimizer": optimizer, "losses": losses})
    return golden


def models():
    """Each query with GRU and LSTM, several scores and none, and each other option at least once."""
    bi = dict(encoder_hidden=3)
    yield "rnn previous additive", dict(cell="rnn", query="previous", score="additive", **bi)
    yield "gru previous additive", dict(cell="gru", query="previous", score="additive", optimizer="adam", **bi)
    yield "gru previous none every_step tied", dict(cell="gru", query="previous", score="none", tied="target", **bi)
    yield "lstm previous general, two decoder layers", dict(cell="lstm", query="previous", score="general",
                                                            decoder_layers=2, smoothing=0, **bi)
    yield "lstm previous none start, unidirectional", dict(cell="lstm", query="previous", score="none",
                                                           context="start", bidirectional=False, init="last",
                                                           encoder_hidden=4, decoder_hidden=4)
    yield "gru between additive", dict(cell="gru", query="between", score="additive", scale=True, **bi)
    yield "gru between none start", dict(cell="gru", query="between", score="none", context="start", **bi)
    yield "gru between scaled_dot, zero", dict(cell="gru", query="between", score="scaled_dot", init="zero",
                                               decoder_hidden=6, **bi)
    yield "lstm between general, two encoder layers", dict(cell="lstm", query="between", score="general",
                                                           encoder_layers=2, encoder_hidden=2, optimizer="adam")
    yield "lstm between none every_step", dict(cell="lstm", query="between", score="none", **bi)
    yield "gru current dot, last", dict(cell="gru", query="current", score="dot", init="last", decoder_hidden=6, **bi)
    yield "gru current general, feeding", dict(cell="gru", query="current", score="general", feeding=True,
                                               tied="target", optimizer="adam", **bi)
    yield "gru current none start, feeding", dict(cell="gru", query="current", score="none", context="start",
                                                  feeding=True, bidirectional=False, encoder_hidden=4)
    yield "lstm current additive, feeding, tied all", dict(cell="lstm", query="current", score="additive",
                                                           feeding=True, tied="all", scale=True, **bi)
    yield "lstm current scaled_dot, two layers, last", dict(cell="lstm", query="current", score="scaled_dot",
                                                            encoder_layers=2, decoder_layers=2, init="last",
                                                            encoder_hidden=2, decoder_hidden=4)
    yield "lstm encoder, gru decoder, last", dict(cell="gru", encoder_cell="lstm", query="current", score="general",
                                                  feeding=True, decoder_layers=2, init="last", bidirectional=False,
                                                  encoder_hidden=4, decoder_hidden=4)
    yield "lstm current none every_step, feeding", dict(cell="lstm", query="current", score="none", feeding=True,
                                                        init="zero", **bi)


# Seed and deviation of each model's draws: of 24 tried those whose gradients suffer least from rounding in float, at most
# 1.8e-6 of a tensor's largest. Unlucky draws make gradients of queries and keys small differences of large numbers.
TRANSFORMER_DRAWS = [(9, 0.4), (10, 0.4), (2, 0.5), (11, 0.4), (6, 0.5), (7, 0.4), (11, 0.4), (7, 0.5), (9, 0.4)]


def transformer_goldens():
    for index, ((name, options), (seed, deviation)) in enumerate(zip(transformers(), TRANSFORMER_DRAWS, strict=True)):
        yield model_golden(name, np.random.default_rng([seed, index]), deviation=deviation, **options)


def transformers():
    """Both norms, all activations and positions, tying, equal and different widths, and both kinds of hybrids."""
    def side(layers=2, size=6, heads=2, ffn=7, **options):
        return dict(layers=layers, size=size, heads=heads, ffn=ffn, **options)

    plain = dict(make=TransformerModel)
    yield "post relu sinusoidal, tied all", dict(encoder=side(), decoder=side(), tied="all", optimizer="adam", **plain)
    pre = dict(norm="pre", activation="gelu", positions="learned")
    yield "pre gelu learned", dict(encoder=side(**pre), decoder=side(**pre), smoothing=0, **plain)
    swish = dict(activation="swish", positions="none")
    yield "post swish none, tied target, widths 6 to 8, unscaled", dict(
        encoder=side(heads=3, **swish), decoder=side(size=8, heads=2, layers=1, **swish), tied="target", scale=False, **plain)
    yield "pre relu sinusoidal, width 4 to 6", dict(
        encoder=side(size=4, norm="pre", layers=1), decoder=side(norm="pre", heads=1), optimizer="adam", **plain)
    yield "lstm to post gelu", dict(encoder=dict(type="rnn", cell="lstm", layers=2, embedding=5, hidden=3),
                                    decoder=side(size=8, activation="gelu"), tied="target", **plain)
    yield "gru to pre swish learned", dict(encoder=dict(type="rnn", cell="gru", layers=1, embedding=3, hidden=3),
                                           decoder=side(norm="pre", activation="swish", positions="learned"), **plain)
    hybrid = dict(make=TransformerToRnn)
    yield "post relu to gru previous additive", dict(encoder=side(), cell="gru", query="previous", score="additive", **hybrid)
    yield "pre gelu to lstm current general, feeding, two layers", dict(
        encoder=side(norm="pre", activation="gelu"), cell="lstm", query="current", score="general", feeding=True,
        decoder_layers=2, optimizer="adam", **hybrid)
    yield "post swish to gru between none, last", dict(
        encoder=side(activation="swish"), cell="gru", query="between", score="none", init="last", decoder_hidden=6, **hybrid)


def write(name, content):
    text = json.dumps(content, separators=(",", ":"))
    (HERE / name).write_text(text.replace(',{"name"', ',\n{"name"') + "\n", encoding="utf-8")
    print(name, len(text), "bytes")


def main():
    torch.set_default_dtype(torch.float64)
    rng = np.random.default_rng(7)
    write("cells.json", [cell_golden(kind, rng) for kind in ("rnn", "gru", "lstm")])
    write("attention.json", [attention_golden(s, rng) for s in ("dot", "scaled_dot", "general", "additive")])
    write("models.json", [model_golden(name, rng, **options) for name, options in models()])
    rng = np.random.default_rng(8)
    write("multi_head.json", [multi_head_golden(name, rng, **options) for name, options in multi_heads()])
    write("transformers.json", list(transformer_goldens()))


if __name__ == "__main__":
    main()
