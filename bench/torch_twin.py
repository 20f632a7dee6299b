#!/usr/bin/env python3
"""The bench sizes in PyTorch, written as a careful user would, to compare Dragoman with: speed of whole updates.

Usage: bench/torch_twin.py --spm MODEL --src F --tgt F --size T [--threads 2] [--updates 20] [--warmup 4]
         [--compile] [--bf16] [--keep-memory]

Sizes are those of bench/size_*.yaml. T, M, L: post-norm Transformers with relu. G: GRU, additive attention, the
previous state asks, the context goes into the cell. S: LSTM, dot-product attention, the current state asks, input
feeding. One embedding serves source, target and output. Batches are cut from the pairs sorted by length, so that there
is hardly any padding, and hold about 2,048 labels (end of sentence included, no padding). An update is making the batch
from ids, forward, loss with label smoothing, backward, clipping, Adam; all of it is timed. --updates are measured after
--warmup others. --compile: torch.compile of the Transformer with its loss, or of a time step of the recurrent decoder;
--bf16: autocast (S fails where oneDNN has no bfloat16 LSTM, as on AVX2); --keep-memory: the C library (glibc) doesn't
give freed memory back to the system, which it does for every large tensor. Prints one JSON line. Needs torch and
sentencepiece.
"""
import argparse
import ctypes
import json
import math
import random
import resource
import sys
import time

import sentencepiece
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import rnn

SIZES = {
    "T": {"layers": 4, "width": 128, "ffn": 256, "heads": 4, "dropout": 0.3},
    "M": {"layers": 3, "width": 256, "ffn": 1024, "heads": 4, "dropout": 0.1},
    "L": {"layers": 6, "width": 512, "ffn": 2048, "heads": 8, "dropout": 0.1},
    "G": {"embedding": 256, "encoder": 256, "decoder": 256, "dropout": 0.1},
    "S": {"embedding": 512, "encoder": 256, "decoder": 512, "dropout": 0.1},
}
IGNORED = -100  # the label of padding


class Model(nn.Module):
    """Embedding, output and loss; subclasses say how rows for the output come from ids."""

    def __init__(self, vocabulary, width, dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(dropout)

    def loss(self, rows, labels):
        logits = F.linear(rows, self.embedding.weight, self.bias).flatten(0, 1).float()
        return F.cross_entropy(logits, labels.flatten(), label_smoothing=0.1, ignore_index=IGNORED)


class Attention(nn.Module):
    """Multi-head attention. Half the code of nn.MultiheadAttention, and a little faster."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key_value = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, memory, mask=None, causal=False):
        def split(rows):
            return rows.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = self.key_value(memory).chunk(2, dim=-1)
        dropout = self.dropout if self.training else 0.0
        context = F.scaled_dot_product_attention(split(self.query(x)), split(key), split(value), mask, dropout, causal)
        return self.out(context.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, ffn, heads, dropout, cross):
        super().__init__()
        self.attention = Attention(width, heads, dropout)
        self.cross = Attention(width, heads, dropout) if cross else None
        self.ffn = nn.Sequential(nn.Linear(width, ffn), nn.ReLU(), nn.Dropout(dropout), nn.Linear(ffn, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if cross else 2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, memory=None):
        x = self.norms[0](x + self.dropout(self.attention(x, x, None if self.cross else mask, self.cross is not None)))
        if self.cross:
            x = self.norms[1](x + self.dropout(self.cross(x, memory, mask)))
        return self.norms[-1](x + self.dropout(self.ffn(x)))


class Transformer(Model):
    def __init__(self, vocabulary, layers, width, ffn, heads, dropout):
        super().__init__(vocabulary, width, dropout)
        self.encoder, self.decoder = (nn.ModuleList(Layer(width, ffn, heads, dropout, cross) for _ in range(layers))
                                      for cross in (False, True))
        angles = torch.arange(128)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10000) / width))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * self.embedding.embedding_dim**0.5 + self.positions[:ids.shape[1]])

    def forward(self, source, lengths, target, labels):
        mask = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, None]  # true: may be looked at
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, mask)
        x = self.embed(target)
        for layer in self.decoder:  # causal: no label sees the padding behind it
            x = layer(x, mask, memory)
        return self.loss(x, labels)


class Recurrent(Model):
    """Time comes first. Products that need no state are taken out of the loop over time."""

    def __init__(self, vocabulary, embedding, encoder, decoder, dropout, lstm):
        super().__init__(vocabulary, embedding, dropout)
        memory, gates = 2 * encoder, (4 if lstm else 3) * decoder
        self.lstm = lstm
        self.encoder = (nn.LSTM if lstm else nn.GRU)(embedding, encoder, bidirectional=True)
        self.bridge = nn.Linear(memory, decoder)
        self.embedding_gates = nn.Linear(embedding, gates)
        if lstm:
            assert memory == decoder, "dot-product attention needs equal sizes"
            self.step = self.input_feeding_step
            self.gates = nn.Linear(embedding + decoder, gates, bias=False)
            self.readout = nn.Linear(memory + decoder, embedding)
        else:
            self.step = self.context_step
            self.context_gates, self.state_gates = nn.Linear(memory, gates, bias=False), nn.Linear(decoder, gates)
            self.key, self.query = nn.Linear(memory, decoder), nn.Linear(decoder, decoder, bias=False)
            self.score = nn.Linear(decoder, 1, bias=False)
            self.readout = nn.Linear(decoder + memory + embedding, embedding)

    def context_step(self, gates, state, _, keys, memory, mask):
        """GRU: the previous state asks; returns the new state and the context."""
        scores = self.score(torch.tanh(keys + self.query(state)[:, None])).squeeze(2)
        context = torch.bmm(F.softmax(scores + mask, dim=1)[:, None], memory).squeeze(1)
        reset_update, new = (gates + self.context_gates(context)).tensor_split((2 * state.shape[1],), dim=1)
        state_reset_update, state_new = self.state_gates(state).tensor_split((2 * state.shape[1],), dim=1)
        reset, update = torch.sigmoid(reset_update + state_reset_update).chunk(2, dim=1)
        return torch.lerp(torch.tanh(new + reset * state_new), state, update), context, context

    def input_feeding_step(self, gates, state, fed, keys, memory, mask):
        """LSTM: the new state asks; returns the new state, cell and the readout, which is fed to the next step."""
        cell, readout = fed
        gates = gates + self.gates(torch.cat([readout, state], dim=1))
        enter, forget, candidate, leave = gates.chunk(4, dim=1)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(candidate)
        state = torch.sigmoid(leave) * torch.tanh(cell)
        weights = F.softmax(torch.bmm(keys, state[:, :, None]).squeeze(2) + mask, dim=1)
        context = torch.bmm(weights[:, None], memory).squeeze(1)
        readout = torch.tanh(self.readout(torch.cat([context, state], dim=1)))
        return state, (cell, readout), readout

    def forward(self, source, lengths, target, labels):
        packed = rnn.pack_padded_sequence(self.dropout(self.embedding(source.t())), lengths, enforce_sorted=False)
        memory, final = self.encoder(packed)
        memory = rnn.pad_packed_sequence(memory, batch_first=True)[0]
        final = final[0] if self.lstm else final
        state = torch.tanh(self.bridge(torch.cat([final[0], final[1]], dim=1)))
        mask = torch.zeros(source.shape).masked_fill_(torch.arange(source.shape[1]) >= lengths[:, None], -math.inf)
        embedded = self.dropout(self.embedding(target.t()))
        fed = (torch.zeros_like(state), torch.zeros_like(embedded[0])) if self.lstm else None
        keys = memory if self.lstm else self.key(memory)
        states, outs = [], []
        for gates in self.embedding_gates(embedded).unbind(0):
            state, fed, out = self.step(gates, state, fed, keys, memory, mask)
            states.append(state)
            outs.append(out)
        rows = torch.stack(outs)
        if not self.lstm:
            rows = torch.tanh(self.readout(torch.cat([torch.stack(states), rows, embedded], dim=2)))
        return self.loss(self.dropout(rows), labels.t())


def keep_memory():
    """Large blocks come from the heap, not from fresh pages, and the heap never shrinks."""
    trim_threshold, mmap_max = -1, -4  # names in malloc.h, with M_ before them
    libc = ctypes.CDLL(None)
    if not (libc.mallopt(trim_threshold, -1) and libc.mallopt(mmap_max, 0)):
        raise RuntimeError("mallopt failed")


def compile_model(model):
    """What gives the loss, compiled, and the counters of graphs that were compiled so far."""
    from torch._dynamo.utils import counters
    from torch._inductor import config
    from torch.fx.experimental import _config as shapes
    config.fallback_random = True  # the compiler's own random numbers are slow on CPUs
    shapes.use_duck_shape = False  # else a batch of equal lengths, then one of others, compiles again
    if isinstance(model, Transformer):
        return torch.compile(model, dynamic=True), counters["stats"]
    model.step = torch.compile(model.step, dynamic=True)
    return model, counters["stats"]


def read_pairs(processor, source, target, longest=100):
    """Ids of each side, as tensors that end with the end of sentence."""
    sides = []
    for path in (source, target):
        with open(path, encoding="utf-8", newline="\n") as file:
            sides.append(processor.encode([line.rstrip("\n") for line in file]))
    return [tuple(torch.tensor([*ids, processor.eos_id()]) for ids in pair) for pair in zip(*sides, strict=True)
            if all(0 < len(ids) <= longest for ids in pair)]


def batches(pairs, limit=2048):
    """Lists of pairs of about the same length, in random order, for ever."""
    while True:
        random.shuffle(pairs)
        found, labels = [[]], 0
        for pair in sorted(pairs, key=lambda pair: (len(pair[1]), len(pair[0]))):
            if labels + len(pair[1]) > limit and found[-1]:
                found.append([])
                labels = 0
            found[-1].append(pair)
            labels += len(pair[1])
        random.shuffle(found)
        yield from found


def tensors(batch, begin):
    """Source ids, their lengths, target ids behind the begin of sentence, labels."""
    sources, targets = zip(*batch)
    source = rnn.pad_sequence(sources, batch_first=True)
    labels = rnn.pad_sequence(targets, batch_first=True, padding_value=IGNORED)
    target = F.pad(labels[:, :-1], (1, 0), value=begin).clamp_(min=0)
    return source, torch.tensor([len(ids) for ids in sources]), target, labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spm", required=True, help="SentencePiece model of both sides")
    parser.add_argument("--src", required=True)
    parser.add_argument("--tgt", required=True)
    parser.add_argument("--size", choices=SIZES, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--keep-memory", action="store_true")
    arguments = parser.parse_args()
    if arguments.keep_memory:
        keep_memory()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    random.seed(arguments.seed)
    processor = sentencepiece.SentencePieceProcessor(model_file=arguments.spm)
    vocabulary, size = processor.get_piece_size(), SIZES[arguments.size]
    model = Transformer(vocabulary, **size) if "heads" in size else Recurrent(vocabulary, **size,
                                                                              lstm=arguments.size == "S")
    loss_of, compiled = compile_model(model) if arguments.compile else (model, {})
    adam = torch.optim.Adam(model.parameters(), lr=3e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    stream = batches(read_pairs(processor, arguments.src, arguments.tgt))
    begin = processor.bos_id() if processor.bos_id() >= 0 else processor.eos_id()
    labels, seconds, graphs = 0, 0.0, None
    for update in range(arguments.warmup + arguments.updates):
        if update == arguments.warmup:
            graphs = compiled.get("unique_graphs")
        batch = next(stream)
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bf16):
            loss = loss_of(*tensors(batch, begin))
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        if update >= arguments.warmup:
            seconds += time.perf_counter() - start
            labels += sum(len(target) for _, target in batch)
    if compiled.get("unique_graphs") != graphs:
        sys.exit("torch_twin: it compiled during the measurement; take a longer --warmup")
    system = f"torch {torch.__version__}{' compile' * arguments.compile}{' bf16' * arguments.bf16}"
    system += " keep-memory" * arguments.keep_memory
    print(json.dumps({"system": system, "size": arguments.size, "params": sum(p.numel() for p in model.parameters()),
                      "threads": arguments.threads, "tgt_tok_s": round(labels / seconds, 1),
                      "ms_per_update": round(1000 * seconds / arguments.updates, 2), "updates": arguments.updates,
                      "last_loss": round(loss.item(), 4),
                      "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024e-6, 1)}))


if __name__ == "__main__":
    main()
