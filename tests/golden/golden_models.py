"""Recurrent encoder-decoders in PyTorch, one sentence at a time, as the specification's equations read.

Used by make_golden.py alone. Each module says with export() how its parameters are called and laid out in Dragoman:
{name: (parameter, function from PyTorch's layout to Dragoman's)}; the function serves gradients too.
"""

import torch
from torch import nn
from torch.nn import functional as F

SOURCE_VOCABULARY, TARGET_VOCABULARY = 9, 8
BOS = 1


def transposed(w): return w.t()
def unchanged(w): return w


def freeze_hidden_bias(parameter, hidden, kind):
    """Dragoman has one bias a gate: of b_hh only the GRU's n part (c_n) exists, the rest stays zero."""
    kept = torch.zeros_like(parameter)
    if kind == "gru":
        kept[2 * hidden:] = 1
    parameter.register_hook(lambda gradient: gradient * kept)
    parameter.kept = kept


def zero_frozen(module):
    for parameter in module.parameters():
        if hasattr(parameter, "kept"):
            parameter.data = parameter.data * parameter.kept


def make_cell(kind, inputs, hidden):
    cell = {"rnn": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}[kind](max(inputs, 1), hidden)
    cell.kind, cell.inputs, cell.hidden = kind, inputs, hidden
    freeze_hidden_bias(cell.bias_hh, hidden, kind)
    cell.register_forward_pre_hook(lambda module, _: zero_frozen(module))
    return cell


def export_weights(name, kind, hidden, w_ih, w_hh, b_ih, b_hh):
    named = {f"{name}.w_x": (w_ih, transposed), f"{name}.w_h": (w_hh, transposed), f"{name}.b": (b_ih, unchanged)}
    if kind == "gru":
        named[f"{name}.c_n"] = (b_hh, lambda b: b[2 * hidden:])
    return named


def export_cell(name, cell):
    named = export_weights(name, cell.kind, cell.hidden, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    if cell.inputs == 0:
        del named[f"{name}.w_x"]
    return named


def run_cell(cell, x, h, c):
    if cell.inputs == 0:
        x = torch.zeros(1, 1)
    return cell(x, (h, c)) if cell.kind == "lstm" else (cell(x, h), c)


def export_linear(name, linear):
    named = {f"{name}.w": (linear.weight, transposed)}
    if linear.bias is not None:
        named[f"{name}.b"] = (linear.bias, unchanged)
    return named


class Score(nn.Module):
    def export(self, name):
        named = {}
        for part in ("query", "key"):
            if hasattr(self, part):
                named.update(export_linear(f"{name}.{part}", getattr(self, part)))
        if hasattr(self, "v"):
            named[f"{name}.v"] = (self.v, unchanged)
        return named


def score_parameters(score, query_size, key_size, size):
    layer = Score()
    if score == "general":
        layer.key = nn.Linear(key_size, query_size, bias=False)
    if score == "additive":
        layer.query = nn.Linear(query_size, size, bias=False)
        layer.key = nn.Linear(key_size, size)
        layer.v = nn.Parameter(torch.zeros(size))
    return layer


def attend(score, layer, query, keys, values):
    """query [1, q], keys [n, k], values [n, v]: the context [1, v] and the weights [1, n]."""
    if score == "additive":
        e = (torch.tanh(layer.query(query) + layer.key(keys)) @ layer.v).view(1, -1)
    else:
        e = query @ (layer.key(keys) if score == "general" else keys).t()
        if score == "scaled_dot":
            e = e / query.shape[1] ** 0.5
    a = torch.softmax(e, dim=1)
    return a @ values, a


class Encoder(nn.Module):
    def __init__(self, kind, layers, bidirectional, embedding_size, hidden):
        super().__init__()
        net = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[kind]
        self.kind, self.hidden, self.layers = kind, hidden, layers
        self.directions = 2 if bidirectional else 1
        self.net = net(embedding_size, hidden, num_layers=layers, bidirectional=bidirectional)
        for name, parameter in self.net.named_parameters():
            if name.startswith("bias_hh"):
                freeze_hidden_bias(parameter, hidden, kind)

    def forward(self, x):
        """x [n, E]: rows [n, D H], final h and c of each layer [1, D H] (forward last, backward first)."""
        zero_frozen(self)
        y, state = self.net(x.unsqueeze(1))
        h, c = state if self.kind == "lstm" else (state, torch.zeros_like(state))
        return y[:, 0], list(h.view(self.layers, 1, -1)), list(c.view(self.layers, 1, -1))

    def export(self):
        named = {}
        for layer in range(self.layers):
            for direction, reverse in (("forward", ""), ("backward", "_reverse"))[:self.directions]:
                suffix = f"_l{layer}{reverse}"
                weights = (getattr(self.net, w + suffix) for w in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
                named.update(export_weights(f"encoder.{layer}.{direction}", self.kind, self.hidden, *weights))
        return named


class Model(nn.Module):
    def __init__(self, cell, query, score, encoder_cell=None, context="every_step", feeding=False, encoder_layers=1,
                 decoder_layers=1, bidirectional=True, tied="none", init="bridge", scale=False, source_embedding=3,
                 target_embedding=4, encoder_hidden=3, decoder_hidden=5, size=4):
        super().__init__()
        source_embedding = target_embedding if tied == "all" else source_embedding
        self.cell, self.encoder_cell, self.query, self.score, self.context = cell, encoder_cell or cell, query, score, context
        self.feeding, self.tied, self.init, self.scale, self.size = feeding, tied, init, scale, size
        self.decoder_hidden, self.bidirectional = decoder_hidden, bidirectional
        self.target_embedding = nn.Embedding(TARGET_VOCABULARY, target_embedding)
        self.source_embedding = self.target_embedding if tied == "all" else nn.Embedding(SOURCE_VOCABULARY, source_embedding)
        self.encoder = Encoder(self.encoder_cell, encoder_layers, bidirectional, source_embedding, encoder_hidden)
        memory = encoder_hidden * (2 if bidirectional else 1)
        self.context_size = 0 if score == "none" and context == "start" else memory
        self.readout_size = decoder_hidden if tied == "none" else target_embedding
        first = target_embedding + (self.context_size if query == "previous" else 0) + (self.readout_size if feeding else 0)
        self.cells = nn.ModuleList(make_cell(cell, first if l == 0 else decoder_hidden, decoder_hidden)
                                   for l in range(decoder_layers))
        if query == "between":
            self.second = make_cell(cell, self.context_size, decoder_hidden)
        if score != "none":
            self.attention = score_parameters(score, decoder_hidden, memory, size)
        if init == "bridge":
            self.bridge = nn.ModuleList(nn.Linear(memory, decoder_hidden) for _ in range(decoder_layers))
        reads = decoder_hidden + self.context_size + (0 if query == "current" else target_embedding)
        self.readout = nn.Linear(reads, self.readout_size)
        if tied == "none":
            self.output = nn.Linear(self.readout_size, TARGET_VOCABULARY)
        else:
            self.output_bias = nn.Parameter(torch.zeros(TARGET_VOCABULARY))

    def config(self):
        """Keys as in a configuration file, flat."""
        return {"encoder_cell": self.encoder_cell, "cell": self.cell, "query": self.query, "score": self.score,
                "context": self.context, "input_feeding": self.feeding, "init": self.init, "tied": self.tied,
                "scale_embeddings": self.scale, "bidirectional": self.bidirectional,
                "encoder_layers": self.encoder.layers, "decoder_layers": len(self.cells),
                "encoder_embedding": self.source_embedding.embedding_dim, "encoder_hidden": self.encoder.hidden,
                "decoder_embedding": self.target_embedding.embedding_dim, "decoder_hidden": self.decoder_hidden,
                "attention_size": self.size, "source_vocabulary": self.source_embedding.num_embeddings,
                "target_vocabulary": TARGET_VOCABULARY}

    def embed(self, table, ids):
        return table(torch.tensor(ids)) * (table.embedding_dim ** 0.5 if self.scale else 1)

    def initial(self, final_h, final_c):
        states = []
        for l in range(len(self.cells)):
            h, c = final_h[min(l, len(final_h) - 1)], final_c[min(l, len(final_h) - 1)]
            zero = torch.zeros(1, self.decoder_hidden)
            if self.init == "zero":
                states.append((zero, zero))
            elif self.init == "last":
                states.append((h, c if self.cell == self.encoder_cell == "lstm" else zero))
            else:
                states.append((torch.tanh(self.bridge[l](h)), zero))
        return states

    def logits(self, source, target):
        """Teacher forcing: [labels, vocabulary] of one pair of sentences."""
        memory, final_h, final_c = self.encoder(self.embed(self.source_embedding, source))
        states = self.initial(final_h, final_c)
        r = torch.zeros(1, self.readout_size)
        rows = []

        def context_of(query):
            if self.score != "none":
                return [attend(self.score, self.attention, query, memory, memory)[0]]
            return [] if self.context == "start" else [final_h[-1]]

        for e in self.embed(self.target_embedding, [BOS] + target[:-1]):
            e = e.view(1, -1)
            if self.query == "previous":
                context = context_of(states[-1][0])
                states[0] = run_cell(self.cells[0], torch.cat([e] + context, 1), *states[0])
            elif self.query == "between":
                half = run_cell(self.cells[0], e, *states[0])
                context = context_of(half[0])
                states[0] = run_cell(self.second, context[0] if context else None, *half)
            else:
                states[0] = run_cell(self.cells[0], torch.cat([e, r], 1) if self.feeding else e, *states[0])
            for l in range(1, len(self.cells)):
                states[l] = run_cell(self.cells[l], states[l - 1][0], *states[l])
            s = states[-1][0]
            if self.query == "current":
                r = torch.tanh(self.readout(torch.cat(context_of(s) + [s], 1)))
            else:
                r = torch.tanh(self.readout(torch.cat([s] + context + [e], 1)))
            rows.append(r)
        r = torch.cat(rows)
        return self.output(r) if self.tied == "none" else F.linear(r, self.target_embedding.weight, self.output_bias)

    def loss(self, sources, targets, smoothing):
        """Summed over labels."""
        return sum(F.cross_entropy(self.logits(s, t), torch.tensor(t), reduction="sum", label_smoothing=smoothing)
                   for s, t in zip(sources, targets))

    def export(self):
        if self.tied == "all":
            named = {"embedding": (self.target_embedding.weight, unchanged)}
        else:
            named = {"encoder.embedding": (self.source_embedding.weight, unchanged),
                     "decoder.embedding": (self.target_embedding.weight, unchanged)}
        named.update(self.encoder.export())
        for l, cell in enumerate(self.cells):
            named.update(export_cell(f"decoder.{l}", cell))
            if self.init == "bridge":
                named.update(export_linear(f"decoder.bridge.{l}", self.bridge[l]))
        if self.query == "between":
            named.update(export_cell("decoder.0.second", self.second))
        if self.score != "none":
            named.update(self.attention.export("decoder.attention"))
        named.update(export_linear("decoder.readout", self.readout))
        if self.tied == "none":
            named.update(export_linear("output", self.output))
        else:
            named["output.b"] = (self.output_bias, unchanged)
        return named
