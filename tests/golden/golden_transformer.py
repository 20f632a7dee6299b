"""Transformers and hybrids around PyTorch's own layers, one sentence at a time. Used by make_golden.py alone.

Stacks are nn.TransformerEncoder and nn.TransformerDecoder; post-norm ones without a last norm (norm=None). As in
golden_models.py, export() says how each parameter is called and laid out in Dragoman.
"""

import math

import torch
from golden_models import BOS, SOURCE_VOCABULARY, TARGET_VOCABULARY, Encoder, Model, export_linear, transposed, unchanged
from torch import nn
from torch.nn import functional as F

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


def export_norm(name, norm):
    return {f"{name}.gain": (norm.weight, unchanged), f"{name}.bias": (norm.bias, unchanged)}


def export_multi_head(name, attention):
    """PyTorch stores the three projections of self-attention as one matrix, ours are three."""
    width = attention.embed_dim
    named = {}
    for i, part in enumerate(("query", "key", "value")):
        rows = slice(i * width, (i + 1) * width)
        if attention.in_proj_weight is not None:
            named[f"{name}.{part}.w"] = (attention.in_proj_weight, lambda w, rows=rows: w[rows].t())
        else:
            named[f"{name}.{part}.w"] = (getattr(attention, f"{part[0]}_proj_weight"), transposed)
        named[f"{name}.{part}.b"] = (attention.in_proj_bias, lambda b, rows=rows: b[rows])
    named.update(export_linear(f"{name}.output", attention.out_proj))
    return named


def export_encoder_layer(name, layer):
    return {**export_multi_head(f"{name}.self", layer.self_attn), **export_norm(f"{name}.self.norm", layer.norm1),
            **export_linear(f"{name}.ffn.first", layer.linear1), **export_linear(f"{name}.ffn.second", layer.linear2),
            **export_norm(f"{name}.ffn.norm", layer.norm2)}


def export_decoder_layer(name, layer):
    return {**export_multi_head(f"{name}.self", layer.self_attn), **export_norm(f"{name}.self.norm", layer.norm1),
            **export_multi_head(f"{name}.cross", layer.multihead_attn), **export_norm(f"{name}.cross.norm", layer.norm2),
            **export_linear(f"{name}.ffn.first", layer.linear1), **export_linear(f"{name}.ffn.second", layer.linear2),
            **export_norm(f"{name}.ffn.norm", layer.norm3)}


def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), 1)


class Side(nn.Module):
    """What both sides share: positions in front of a stack, and the last norm of pre-norm."""

    def __init__(self, side, layers, size, heads, ffn, norm="post", activation="relu", positions="sinusoidal",
                 max_positions=8):
        super().__init__()
        self.options = {"type": "transformer", "layers": layers, "model_size": size, "heads": heads, "ffn_size": ffn,
                        "norm": norm, "activation": activation, "positions": positions, "max_positions": max_positions}
        self.side, self.size = side, size
        self.layer_options = dict(d_model=size, nhead=heads, dim_feedforward=ffn, dropout=0.0,
                                  activation=ACTIVATIONS[activation], norm_first=norm == "pre")
        self.last_norm = nn.LayerNorm(size) if norm == "pre" else None
        if positions == "learned":
            self.table = nn.Parameter(torch.zeros(max_positions, size))

    def with_positions(self, x):
        if self.options["positions"] == "learned":
            return x + self.table[:len(x)]
        if self.options["positions"] == "none":
            return x
        p = torch.tensor([[(math.sin if j % 2 == 0 else math.cos)(t / 10000 ** ((j - j % 2) / self.size))
                           for j in range(self.size)] for t in range(len(x))])
        return x + p

    def export(self, export_layer):
        named = {f"{self.side}.positions": (self.table, unchanged)} if hasattr(self, "table") else {}
        for l, layer in enumerate(self.stack.layers):
            named.update(export_layer(f"{self.side}.{l}", layer))
        if self.last_norm is not None:
            named.update(export_norm(f"{self.side}.norm", self.last_norm))
        return named


class TransformerEncoder(Side):
    def __init__(self, layers, size, heads, ffn, **options):
        super().__init__("encoder", layers, size, heads, ffn, **options)
        self.stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(**self.layer_options), layers, norm=self.last_norm,
                                           enable_nested_tensor=False)
        self.layers, self.memory_size = 1, size

    def forward(self, x):
        """Rows, and as final state the mean of them; no c."""
        y = self.stack(self.with_positions(x).unsqueeze(1))[:, 0]
        return y, [y.mean(0, keepdim=True)], [torch.zeros(1, self.size)]

    def export(self):
        return super().export(export_encoder_layer)


class TransformerDecoder(Side):
    def __init__(self, memory_size, layers, size, heads, ffn, **options):
        super().__init__("decoder", layers, size, heads, ffn, **options)
        self.stack = nn.TransformerDecoder(nn.TransformerDecoderLayer(**self.layer_options), layers, norm=self.last_norm)
        if memory_size != size:
            for layer in self.stack.layers:
                layer.multihead_attn = nn.MultiheadAttention(size, heads, kdim=memory_size, vdim=memory_size)

    def forward(self, x, memory):
        return self.stack(self.with_positions(x).unsqueeze(1), memory.unsqueeze(1), tgt_mask=causal_mask(len(x)))[:, 0]

    def export(self):
        return super().export(export_decoder_layer)


class TransformerModel(nn.Module):
    """A Transformer decoder behind an encoder of either kind."""

    def __init__(self, encoder, decoder, tied="none", scale=True):
        super().__init__()
        self.tied, self.scale = tied, scale
        if encoder.get("type") == "rnn":
            self.encoder = Encoder(encoder["cell"], encoder["layers"], True, encoder["embedding"], encoder["hidden"])
            source_width, memory = encoder["embedding"], 2 * encoder["hidden"]
        else:
            self.encoder = TransformerEncoder(**encoder)
            source_width = memory = encoder["size"]
        self.decoder = TransformerDecoder(memory, **decoder)
        self.target_embedding = nn.Embedding(TARGET_VOCABULARY, decoder["size"])
        self.source_embedding = (self.target_embedding if tied == "all"
                                 else nn.Embedding(SOURCE_VOCABULARY, source_width))
        if tied == "none":
            self.output = nn.Linear(decoder["size"], TARGET_VOCABULARY)
        else:
            self.output_bias = nn.Parameter(torch.zeros(TARGET_VOCABULARY))

    def config(self):
        if isinstance(self.encoder, TransformerEncoder):
            encoder = self.encoder.options
        else:
            encoder = {"type": "rnn", "cell": self.encoder.kind, "layers": self.encoder.layers, "bidirectional": True,
                       "embedding_size": self.source_embedding.embedding_dim, "hidden_size": self.encoder.hidden}
        return {"encoder": encoder, "decoder": self.decoder.options, "tied": self.tied,
                "scale_embeddings": "true" if self.scale else "false",
                "source_vocabulary": self.source_embedding.num_embeddings, "target_vocabulary": TARGET_VOCABULARY}

    def embed(self, table, ids):
        return table(torch.tensor(ids)) * (table.embedding_dim ** 0.5 if self.scale else 1)

    def logits(self, source, target):
        memory = self.encoder(self.embed(self.source_embedding, source))[0]
        y = self.decoder(self.embed(self.target_embedding, [BOS] + target[:-1]), memory)
        return self.output(y) if self.tied == "none" else F.linear(y, self.target_embedding.weight, self.output_bias)

    loss = Model.loss  # the same sum over sentences

    def export(self):
        if self.tied == "all":
            named = {"embedding": (self.target_embedding.weight, unchanged)}
        else:
            named = {"encoder.embedding": (self.source_embedding.weight, unchanged),
                     "decoder.embedding": (self.target_embedding.weight, unchanged)}
        named.update(self.encoder.export())
        named.update(self.decoder.export())
        if self.tied == "none":
            named.update(export_linear("output", self.output))
        else:
            named["output.b"] = (self.output_bias, unchanged)
        return named


class TransformerToRnn(Model):
    """The recurrent decoders of golden_models.py behind a Transformer encoder."""

    def __init__(self, encoder, **options):
        size = encoder["size"]
        super().__init__(bidirectional=False, encoder_hidden=size, source_embedding=size, scale=True, **options)
        self.encoder = TransformerEncoder(**encoder)

    def config(self):
        decoder = {"type": "rnn", "cell": self.cell, "layers": len(self.cells),
                   "embedding_size": self.target_embedding.embedding_dim, "hidden_size": self.decoder_hidden,
                   "input_feeding": self.feeding, "init": self.init,
                   "attention": {"score": self.score, "query": self.query, "context": self.context, "size": self.size}}
        return {"encoder": self.encoder.options, "decoder": decoder, "tied": self.tied, "scale_embeddings": "true",
                "source_vocabulary": self.source_embedding.num_embeddings, "target_vocabulary": TARGET_VOCABULARY}


def multi_head_by_hand(queries, memory, weights, heads, score, ranges):
    """The equations of multi-head attention, for widths that PyTorch's layer does not have. Matrices are [in, out]."""
    q = queries @ weights["query.w"] + weights["query.b"]
    k = memory @ weights["key.w"] + weights["key.b"]
    v = memory @ weights["value.w"] + weights["value.b"]
    key_size, value_size = q.shape[1] // heads, v.shape[1] // heads
    rows = []
    for i, (begin, end) in enumerate(ranges):
        parts = []
        for h in range(heads):
            keys, values = slice(h * key_size, (h + 1) * key_size), slice(h * value_size, (h + 1) * value_size)
            e = k[begin:end, keys] @ q[i, keys]
            if score == "scaled_dot":
                e = e / key_size ** 0.5
            parts.append(torch.softmax(e, 0) @ v[begin:end, values])
        rows.append(torch.cat(parts))
    return torch.stack(rows) @ weights["output.w"] + weights["output.b"]
