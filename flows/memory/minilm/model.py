"""The model itself: texts to vectors of length 1, in one process, on a few threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from flows.errors import RecallError
from flows.memory.minilm.files import MODEL, TOKENIZER, read

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSION: Final = 384
# What the model was made for; the rest of a longer text is left out.
MOST_TOKENS: Final = 256
# Of one batch, with its padding: more is slower, as it no longer fits the processor's cache.
_BATCH_TOKENS: Final = 512


class MiniLM:
    """A loaded model. It may be used by several threads at once."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text: the mean of its tokens' vectors, brought to length 1.

        Errors: `RecallError` when the runtime fails.
        """
        # One by one: a batch of texts would be cut by a thread for each processor.
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        found: list[list[float]] = [[] for _ in texts]
        for batch in _batches([len(each) for each in tokens]):
            made = self._embed([tokens[place] for place in batch])
            for place, vector in zip(batch, made, strict=True):
                found[place] = vector
        return found

    def _embed(self, batch: Sequence[Sequence[int]]) -> list[list[float]]:
        import numpy as np

        shape = (len(batch), max(map(len, batch)))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, each in enumerate(batch):
            ids[row, : len(each)], mask[row, : len(each)] = each, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            states = np.asarray(self._session.run(None, given)[0])
        except Exception as error:  # the runtime raises errors of its own, of no common kind
            raise RecallError(f"the model of embedder.minilm failed: {error}") from error
        sums = (states * mask[..., None]).sum(axis=1, dtype=np.float32)
        means = sums / mask.sum(axis=1, dtype=np.float32)[:, None]
        unit = means / np.linalg.norm(means, axis=1, keepdims=True)
        vectors: list[list[float]] = unit.astype(np.float32).tolist()
        return vectors


_loaded: dict[int, MiniLM] = {}
_loading = threading.Lock()


def load(threads: int) -> MiniLM:
    """The process's one model that computes on so many threads, loaded at the first call.

    Errors: `ConfigError` where it is not installed, `RecallError` for files that are not its own.
    """
    with _loading:
        if threads not in _loaded:
            _loaded[threads] = MiniLM(_session(threads), _tokenizer())
        return _loaded[threads]


def _session(threads: int) -> InferenceSession:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    # Threads that wait would keep their processor busy, and memory would stay at its highest.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(
        read(MODEL), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(read(TOKENIZER).decode())
    tokenizer.enable_truncation(max_length=MOST_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts of so many tokens, in batches of texts that are about as long."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
