"""What views ask about a session as of one of its calls, found from what is known of the call before and of the whole.

Stepping through a million calls costs what lies between two steps: counts move along, and answers that follow from tables
alone hold until a row comes in. No Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.events.replay import PrefixCounts, SessionAt
from ..core.events.schema import OUTCOMES
from .facts import Facts


class FactsAt(Facts):
    """Answers about `session` as of a call. whole: those about all of it; before: those as of another call, if any."""

    def __init__(self, session: SessionAt, whole: Facts, before: FactsAt | None = None) -> None:
        super().__init__(session)
        self._whole = whole
        self.lasting = whole.lasting
        if before is not None and before.whole is whole and before.session.known == session.known:
            self._of_rows = before._of_rows

    @property
    def whole(self) -> Facts:
        return self._whole

    def outcome_counts(self) -> dict[str, int]:
        def make() -> dict[str, int]:
            calls = self.whole.session.calls
            counts = self._upto("outcomes", len(OUTCOMES), len(self.session.calls),
                                lambda low, high: calls["outcome"][low:high])
            return {name: int(counts[i]) for i, name in enumerate(OUTCOMES)}
        return self.keep("outcomes", make)

    def code_outcomes(self) -> np.ndarray:
        def make() -> np.ndarray:
            runs, n, k = self.whole.session.runs, len(self.whole.session.codes), len(OUTCOMES)
            flat = self._upto("code_outcomes", n * k, len(self.session.runs),
                              lambda low, high: runs["code"][low:high].astype(np.int64) * k + runs["outcome"][low:high])
            return flat.reshape(n, k)[:len(self.session.codes)]
        return self.keep("code_outcomes", make)

    def artifact_uses(self) -> np.ndarray:
        def make() -> np.ndarray:
            runs, n = self.whole.session.runs, len(self.whole.session.artifacts)
            counts = self._upto("uses", n + 1, len(self.session.runs), lambda low, high: runs["artifact"][low:high] + 1)
            return counts[1:len(self.session.artifacts) + 1]         # the first counts those without an artifact
        return self.keep("uses", make)

    def sum_by_code(self, key: str, weights: np.ndarray) -> np.ndarray:
        """Sums of `weights`, one per run of the whole session, over the runs there are, per code."""
        runs = self.whole.session.runs
        sums = self._upto(key, len(self.whole.session.codes), len(self.session.runs),
                          lambda low, high: runs["code"][low:high], weights)
        return sums[:len(self.session.codes)]

    def _upto(self, key: str, size: int, rows: int, keys: Callable[[int, int], np.ndarray], weights: Any = None) -> np.ndarray:
        counts: PrefixCounts = self.whole.keep(("counts", key), lambda: PrefixCounts(keys, size, weights))
        return counts.upto(rows)
