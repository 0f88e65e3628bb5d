"""torch._dynamo.utils: the counters that scripts read after a run."""

from __future__ import annotations

from collections import Counter, defaultdict

counters: defaultdict[str, Counter] = defaultdict(Counter)
