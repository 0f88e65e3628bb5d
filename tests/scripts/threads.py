"""Several threads call compiled functions: compiling the same one at once, reusing while another compiles, own modes."""
import sys
import threading

import torch

sys.setswitchinterval(1e-5)
THREADS, ROUNDS = 4, 40
gate = threading.Barrier(THREADS)
wrong = []


@torch.compile
def f(x, k):
    total = x * 0
    for n in (i * k for i in range(3)):
        total = total + x * n
    return total


@torch.compile
def g(x):
    y = x + 1
    torch._dynamo.graph_break()
    return f(y, 2) * 2


@torch.compile
def in_mode(x):
    return x * 2 if torch.is_grad_enabled() else x * 3


def check(name, got, want):
    if got.tolist() != want:
        wrong.append((name, got.tolist(), want))


def work(number):
    gate.wait()                                   # all of them compile f at the same time
    for i in range(ROUNDS):
        rows = [float(n + number) for n in range(2 + i % 4)]
        x = torch.tensor(rows)
        check("f", f(x, number), [3 * number * r for r in rows])
        check("g", g(x), [12 * (r + 1) for r in rows])
        with torch.set_grad_enabled(number % 2 == 0):
            check("mode", in_mode(x), [(2 if number % 2 == 0 else 3) * r for r in rows])
    if not torch.is_grad_enabled():
        wrong.append("modes leaked")


workers = [threading.Thread(target=work, args=(n,), name=f"worker {n}") for n in range(1, THREADS + 1)]
torch.set_grad_enabled(False)
for w in workers:
    w.start()
for w in workers:
    w.join()
print("wrong", wrong[:3], torch.is_grad_enabled())
