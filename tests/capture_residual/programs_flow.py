# Programs for the differential suite: breaks inside control flow. As programs.py; `torch` is there too, and Gate, a context
# manager that calls gb() when it is entered and left.
# ruff: noqa
g_count = 0
g_name = 1


def for_tensors(x):
    u = torch.ones(2) * x
    for i, v in enumerate([u, u + 1, u * 2]):
        u = u * v + i
        gb(i)
        u = u - 1
    return u, i


def for_range_break(x):
    u = torch.ones(2) * x
    for i in range(gb(6)):
        u = u + gb(i)
        if i == x:
            break
        if gb(i) % 2:
            continue
        u = u * 2
    else:
        u = u + gb(100)
    return u, i


def for_empty(x):
    i = "unset"
    for i in gb([]):
        show(gb(i))
    else:
        show("else", gb(1))
    return i


def for_unbound(x):
    for i in gb([]):
        pass
    gb(1)
    return i


def for_nested(x):
    out = []
    for i in range(3):
        for j in gb(range(3)):
            if gb(j) == 2:
                break
            if i == gb(1):
                continue
            out.append((i, j))
        else:
            out.append("inner else")
        if i == x:
            break
        out.append(gb(i))
    else:
        out.append("outer else")
    return out, i, j


def for_return(x):
    for i in gb([1, 2, 3]):
        for j in [4, 5]:
            if i + j > x + gb(5):
                return i, j
            show(gb(j))
    return None


def for_targets(x):
    o = Box("o")
    p = Plain(n=1)
    l = [0, 0]
    for o.a, (p.n, l[gb(1)]) in [(1, (2, 3)), (gb(4), (5, 6))]:
        show(p.n, l[1])
        gb(p.n)
    for o[gb(x)] in (7, 8):
        gb(1)
    return p, l


def for_unpack_fails(x):
    out = []
    try:
        for a, b in [(1, 2), (gb(3),)]:
            out.append((a, gb(b)))
    except ValueError as e:
        out.append(str(e))
    return out


def for_not_iterable(x):
    for i in gb(x):
        pass


def for_source(x):
    total = 0
    for i in Source("s", [1, 2, 3]):
        total += gb(i)
        if total > x:
            break
    return total


def for_changed_list(x):
    l = [1, 2]
    for i in l:
        if len(l) < 5:
            l.append(gb(i))
    return l


def for_dict(x):
    d = {"a": 1, "b": 2}
    out = []
    for k, v in d.items():
        out.append((k, gb(v)))
        d[k] = v + gb(1)
    for k in d:
        out.append(gb(k))
    return out, d


def for_dict_grows(x):
    d = {"a": 1}
    for k in d:
        gb(k)
        d[gb("b")] = 2
    return d


def for_zip_map(x):
    out = []
    for a, b in zip([1, 2, 3], map(lambda v: v * x, [4, 5, 6])):
        out.append(gb(a) * b)
    for c in reversed(out):
        out = [*out, gb(c)]
    return out


def for_iterator_shared(x):
    it = iter([1, 2, 3, 4, 5])
    out = [next(it)]
    for i in it:
        out.append(gb(i))
        out.append(next(it, "end"))
    gb(1)
    return out, list(it)


def for_iterator_kept(x):
    it = iter([1, 2, 3])
    a = next(it)
    gb(a)
    b = next(it)
    gb(b)
    return a, b, list(it)


def while_condition(x):
    u = torch.ones(2)
    n = 0
    while n < gb(3) and gb(n) != x + 5:
        n += 1
        u = u * 2
        gb(n)
        if n == 2:
            continue
        u = u + n
    else:
        u = u - gb(1)
    return u, n


def while_break_condition(x):
    n = 0
    while gb(True):
        n += 1
        if gb(n) > x:
            break
        while gb(n) < 2:
            n += 1
            if n == 1:
                continue
            break
    else:
        n = -1
    return n


def while_data(x):
    u = torch.ones(2)
    while u.sum() < 20 + gb(x):
        u = u * 2
        gb(1)
    return u


def while_try_continue(x):
    n, out = 0, []
    while n < 4:
        n += 1
        try:
            if n == gb(2):
                continue
            if n == 4:
                break
            out.append(gb(n))
        finally:
            out.append(("f", gb(n)))
    return out, n


def while_return_finally(x):
    n = 0
    while True:
        try:
            n += gb(1)
            if n > x:
                return ("r", gb(n))
        finally:
            show("fin", gb(n))
            if n == 7:
                break
    return n


def finally_swallows(x):
    for i in range(3):
        try:
            boom(ValueError, gb("lost"))
        finally:
            if gb(i) == 1:
                break
            continue
    return i


def finally_return_wins(x):
    try:
        try:
            return gb(1)
        finally:
            gb(2)
            if x > 0:
                return gb(3)
    finally:
        gb(4)


def finally_nested_values(x):
    def inner():
        try:
            return show(gb(1))
        finally:
            show(gb(2))

    try:
        a = inner()
        try:
            return a + gb(10)
        finally:
            a = gb(100)
    finally:
        show(a)


def finally_raise_in_raise(x):
    try:
        try:
            boom(ValueError, "one")
        finally:
            gb(1)
            try:
                boom(KeyError, gb("two"))
            finally:
                gb(2)
    except KeyError as e:
        return repr(e), repr(e.__context__), gb(3)


def finally_unwinds(x):
    try:
        gb(1)
        boom(ValueError, "up")
    finally:
        show(gb(2))
        gb(3)


def except_name(x):
    e = "before"
    try:
        boom(ValueError, gb("v"))
    except ValueError as e:
        a = str(e)
        gb(1)
        b = type(e).__name__
        gb(b)
    try:
        gb(e)
    except UnboundLocalError as e2:
        return a, b, str(e2)


def except_name_stored(x):
    try:
        boom(ValueError, "v")
    except ValueError as e:
        kept = e
        e = gb(5)
        gb(e)
        show(e)
    return str(kept)


def except_name_deleted(x):
    try:
        boom(ValueError, "v")
    except ValueError as e:
        del e
        gb(1)
        show(2)
    return gb(3)


def except_shared(x):
    try:
        boom(ValueError, "v")
    except ValueError as e:
        get = lambda: str(e)
        gb(1)
        a = get()
        gb(2)
    try:
        return a, get()
    except NameError as n:
        return a, type(n).__name__


def except_types(x):
    try:
        boom(KeyError, "k")
    except gb(ValueError):
        return "wrong"
    except (gb(TypeError), gb(KeyError)) as e:
        return "right", str(e), gb(x)
    finally:
        gb("f")


def except_type_fails(x):
    try:
        try:
            boom(KeyError, "k")
        except gb(5):
            return "never"
        finally:
            gb("f")
    except TypeError as e:
        return str(e), repr(e.__context__)


def except_type_raises(x):
    try:
        try:
            boom(KeyError, "k")
        except show(gb(1)) or boom(ValueError, "type"):
            return "never"
    except ValueError as e:
        return str(e), repr(e.__context__)


def except_reraise(x):
    try:
        try:
            boom(KeyError, "k")
        except KeyError:
            gb(1)
            raise
        finally:
            gb(2)
    except KeyError as e:
        gb(3)
        return str(e), repr(e.__context__), repr(e.__cause__)


def except_chain(x):
    try:
        try:
            boom(KeyError, "k")
        except KeyError as e:
            gb(1)
            raise ValueError(gb("v")) from (e if x > 0 else None)
    except ValueError as e:
        gb(2)
        return repr(e.__cause__), repr(e.__context__), e.__suppress_context__


def except_context(x):
    try:
        boom(KeyError, "k")
    except KeyError:
        gb(1)
        try:
            boom(ValueError, gb("v"))
        except ValueError as e:
            gb(2)
            c = repr(e.__context__)
        gb(3)
        boom(TypeError, c)


def except_uncaught_context(x):
    try:
        boom(KeyError, "k")
    except KeyError:
        show(gb(1))
        {}[gb("missing")]


def except_made_here(x):
    try:
        raise ValueError(x, gb("v"))
    except ValueError as e:
        gb(1)
        return e.args, gb(2), repr(e)


def except_in_loop(x):
    out = []
    for kind in (ValueError, KeyError, None):
        try:
            if kind:
                boom(kind, gb("x"))
            out.append("fine")
        except ValueError as e:
            out.append(str(e))
            if x > gb(100):
                break
            continue
        except KeyError:
            gb(2)
            out.append("key")
        else:
            out.append(gb("else"))
        finally:
            out.append(gb("fin"))
        out.append("after")
    return out


def except_else(x):
    try:
        gb(1)
    except ValueError:
        return "never"
    else:
        gb(2)
        boom(ValueError, gb("else"))
    finally:
        show(gb(3))


def except_operation(x):
    u = torch.ones(2)
    try:
        v = u + torch.ones(3 + gb(0))
    except RuntimeError as e:
        gb(1)
        return "shapes", u * 2
    return v


def exc_info(x):
    try:
        boom(ValueError, "v")
    except ValueError:
        a = handled()
        gb(1)
        b = handled()
        try:
            boom(KeyError, gb("k"))
        except KeyError:
            c = handled(), gb(2)
        d = handled()
    return a, b, c, d, handled()


def with_gate(x):
    u = torch.ones(2)
    with Gate("a", gb) as g:
        u = u * 2
        gb(g)
        u = u + 1
    return u


def with_gates(x):
    out = []
    with Gate("a", gb) as g, Gate("b", gb) as out[gb(0):], Gate("c", gb):
        gb(g)
        out.append(1)
    return out


def with_gate_raises(x):
    try:
        with Gate("a", gb), Gate("eat" if x > 0 else "b", gb):
            gb(1)
            boom(ValueError, "w")
            show("never")
        show("after", gb(2))
    except ValueError as e:
        return str(e), repr(e.__context__), gb(3)
    return "eaten"


def with_gate_returns(x):
    for i in range(3):
        with Gate("a", gb):
            if i == x:
                return ("r", gb(i))
            if i == 0:
                continue
            with Gate("b", gb):
                if gb(i) > 5:
                    break
    return i


def with_exit_raises(x):
    try:
        with Gate("raise", gb):
            boom(ValueError, gb("first"))
    except KeyError as e:
        return repr(e), repr(e.__context__)


def with_enter_raises(x):
    try:
        with Gate("a", gb), Gate("stop", gb):
            show("never")
    except LookupError as e:
        return repr(e), gb(1)


def with_not_a_manager(x):
    try:
        with gb(5):
            pass
    except TypeError as e:
        a = str(e)
    try:
        with Gate("a", gb), gb(None):
            pass
    except TypeError as e:
        return a, str(e)


def with_generator(x):
    u = torch.ones(2)
    with managed("m", gb(x)) as v, managed("n", v):
        u = u * v
        gb(1)
        if x < 0:
            boom(KeyError, "k")
        u = u + 1
    return u


def with_target_store(x):
    o = Box("o")
    with Gate("a", gb) as o.f:
        gb(o.f)
    with Gate("b", gb) as (p, q):
        pass


def with_suppress(x):
    out = []
    with contextlib.suppress(gb(ValueError), KeyError):
        out.append(1)
        gb(2)
        boom(KeyError)
    with contextlib.nullcontext(gb(7)) as n:
        out.append(n)
        gb(8)
    return out


def with_modes(x):
    u = torch.ones(2)
    with torch.no_grad():
        for i in range(2):
            gb(i)
            u = u + 1
            with torch.enable_grad():
                gb(torch.is_grad_enabled())
            show(torch.is_grad_enabled())
    return u, torch.is_grad_enabled()


def comprehensions(x):
    u = torch.ones(2)
    a = [u * gb(i) for i in range(3) if gb(i) != 1]
    b = {i: gb(j) for i in (1, 2) for j in [i, gb(3)]}
    c = {gb(i) % 2 for i in range(4)}
    return a, b, c, [[gb(i) + j for j in range(i)] for i in range(3)]


def comprehension_scopes(x):
    i = "kept"
    fs = [lambda: (i, x) for i in gb([1, 2])]
    n = 0
    t = [n := n + gb(k) for k in (1, 2, 3)]
    x = gb(50)
    return [f() for f in fs], i, n, t


def comprehension_raises(x):
    out = []
    try:
        [out.append(gb(i)) or 1 // (i - 2) for i in range(5)]
    except ZeroDivisionError as e:
        return out, str(e)


def genexps(x):
    u = torch.ones(2)
    a = sum(u * gb(i) for i in range(3))
    b = list(gb(i) for i in (1, 2))
    c = any(gb(i) > 1 for i in range(5))
    d = dict((i, gb(j)) for i, j in [(1, 2)])
    e = ",".join(str(gb(i)) for i in range(2))
    f = max((gb(i) for i in (3, 1)), default=0)
    return a, b, c, d, e, f, tuple(gb(i) for i in range(2)), [*(gb(i) for i in range(2))]


def genexp_late(x):
    g = (gb(i) * x for i in [1, 2, 3])
    x = 100
    gb("before")
    a = next(g)
    x = 1000
    gb("between")
    return a, list(g)


def generator_consumed(x):
    def numbers(n):
        for i in range(n):
            got = yield gb(i)
            show("got", got)
        return gb("end")

    def whole(n):
        r = yield from numbers(n)
        yield r

    out = []
    for v in whole(3):
        out.append(gb(v))
        if v == x:
            break
    return out, list(numbers(2)), sum(numbers(3))


def generator_sent(x):
    def echo():
        got = None
        while True:
            try:
                got = yield ("last", gb(got))
            except KeyError as e:
                got = str(e)
                gb("caught")
            finally:
                show("fin")
            if got == "stop":
                return gb("done")

    g = echo()
    out = [next(g), g.send(gb(1)), g.throw(KeyError("k")), g.send(2)]
    try:
        g.send("stop")
    except StopIteration as s:
        out.append(s.value)
    h = echo()
    next(h)
    gb(1)
    h.close()
    return out


def generator_raises(x):
    def bad():
        yield gb(1)
        raise StopIteration(gb("inside"))

    out = []
    try:
        for v in bad():
            out.append(gb(v))
    except RuntimeError as e:
        return out, str(e), repr(e.__cause__)


def class_in_loop(x):
    out = []
    for i in range(2):
        n = gb(i)

        class Inner(Base):
            """Text."""
            k = n + gb(1)

            def get(self):
                return self.k, n, Inner.__qualname__, super().make(gb(3))

        n = n + 10
        out.append(Inner().get())
        gb(2)
    return out, Inner.__doc__, Inner.__module__


def class_nonlocal(x):
    n = 1

    def bump():
        nonlocal n
        n += gb(1)
        return n

    class Inner:
        nonlocal n
        n = bump()
        m = n

    @t("dec", lambda c: c)
    class Other(Inner, metaclass=gb(type)):
        pass

    return n, Inner.m, Other.__mro__[1] is Inner


def decorated(x):
    def add(n):
        def wrap(f):
            gb(n)
            return lambda *a: f(*a) + n

        return wrap

    @add(1)
    @gb(add(10))
    @add(gb(100))
    def f(a, b=gb(2), *, c=gb(3)) -> "text":
        """Doc."""
        return a + b + c

    return f(x)


def nonlocal_in_loop(x):
    total = 0

    def add(n):
        nonlocal total
        total += gb(n)

    for i in range(3):
        add(i)
        gb(total)
        total = total * 2
    while total < 100:
        add(total)
    return total


def late_binding(x):
    fs = []
    for i in range(3):
        fs.append(lambda: i)
        gb(i)
    while len(fs) < 5:
        fs.append(lambda k=gb(i): k + i)
        i += 1
    return [f() for f in fs]


def globals_in_loop(x):
    global g_count
    for i in range(3):
        g_count += gb(i)
        if gb(g_count) > 2:
            break
    else:
        g_count = -1
    return g_count


def global_deleted(x):
    global g_made
    for i in range(2):
        g_made = gb(i)
        show(g_made)
        del g_made
        gb(2)


def delete_in_loop(x):
    for i in range(2):
        a = gb(i)
        del a
        gb(1)
    try:
        return a
    except UnboundLocalError as e:
        return str(e), gb(2)


def deletes(x):
    o, d, l = Box("o"), {1: 2, 3: 4}, [1, 2, 3]
    del o.a, d[gb(1)], l[0], o[gb(2)]
    del (d[gb(3)], l[gb(0)])
    return d, l


def unpacking(x):
    o, p, l = Box("o"), Plain(n=1), [0, 0, 0]
    a, o.f, *l[gb(1):] = gb([1, 2, 3, 4])
    (p.n, b), [c, *o.g] = (gb(5), 6), gb((7, 8))
    l[gb(0)], o[gb(1)], d = e = gb((9, 10, 11))
    return a, b, c, d, e, p, l


def unpacking_fails(x):
    out = []
    for v in ([1], [1, 2, 3], gb(5)):
        try:
            a, b = gb(v)
        except (ValueError, TypeError) as e:
            out.append(str(e))
    return out


def assignments(x):
    o, l = Box("o"), [1, 2]
    o.a = l[gb(0)] = o.b = gb(3)
    l[gb(1)] += gb(4)
    o.c -= gb(5)
    o[gb(6)] *= gb(7)
    l += gb([8])
    y: int = gb(9)
    o.d: int = gb(10)
    return l, y


def matching(x):
    out = []
    for v in ([1, 2], {"k": 3}, Plain(n=4), 5, "s"):
        match gb(v):
            case [a, b] if gb(a) > 5:
                out.append("never")
            case [a, *rest] if gb(a) == 1:
                out.append((a, rest, gb("list")))
            case {"k": k, **others} if gb(k):
                out.append((k, others))
            case Plain(n=n):
                out.append(gb(n))
                continue
            case int() | str() as w if gb(w) == 5:
                out.append(w)
                break
            case _:
                out.append("other")
    else:
        out.append("else")
    return out


def conditional_chain(x):
    for i in range(4):
        if gb(i) == 0:
            continue
        elif gb(i) == 1 and not gb(x):
            break
        elif (y := gb(i)) < 3 <= gb(x + 3):
            show(y)
        else:
            return y, gb("last")
    return "end"


def imports(x):
    for i in range(2):
        import math as m
        from os import path as p
        gb(i)
    return m.floor(1.5), p.join("a", gb("b"))


def recursion(x):
    def down(n):
        if n <= 0:
            return gb([0])
        out = []
        for i in range(2):
            out += down(n - gb(1))
            if i:
                break
        return [*out, gb(n)]

    return down(2)


def deep(x):
    out = []
    for i in range(2):
        with Gate("g", gb):
            try:
                while True:
                    try:
                        for j in range(2):
                            with torch.no_grad():
                                if gb(j):
                                    break
                        else:
                            out.append("never")
                        boom(KeyError, gb("deep"))
                    except KeyError as e:
                        out.append((i, str(e), gb(1)))
                        break
                    finally:
                        out.append(gb("f"))
            finally:
                out.append(gb("g"))
    return out


def asserts_in_loop(x):
    for i in range(3):
        try:
            assert gb(i) < 2, gb("too big")
        except AssertionError as e:
            return str(e), i


def walrus_in_loop(x):
    total = 0
    while (n := gb(total)) < 5:
        total = n + 2
        if (m := gb(n)) == 2:
            continue
    return n, m, total


def fstrings_in_loop(x):
    out = []
    for i in range(2):
        out.append(f"{gb(i)!r:>{gb(3)}}|{x + gb(i):{gb('2')}}")
    return out
