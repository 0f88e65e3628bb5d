# Programs for the differential suite: each is run as plain Python and compiled, with a graph break at every gb() in turn.
# Only parsed, never imported: see residual_support.py for the names used. Arguments: an int.
# ruff: noqa
g_count = 0
g_name = 1


def straight(x):
    y = x + 1
    gb()
    return y * 2


def falls_off_the_end(x):
    y = x + 1
    gb(y)


def only_break(x):
    return gb(x)


def operands(x):
    return (x + 1) * gb(3) + (x - 1) * gb(x)


def unary(x):
    return -gb(x), not gb(x), ~gb(1), +gb(x)


def call_arguments(x):
    return show(t("a", 1), gb(2), t("c", 3), *t("s", Source("s", [4])), k=t("k", 5))


def call_star_first(x):
    return show(*t("s", Source("s", [1])), gb(2), k=gb(3), **t("d", {"p": 1}), z=gb(9))


def call_lone_star(x):
    return show(*t("s", Source("s", [1])), k=gb(3))


def call_star_broken(x):
    return show(t("a"), *gb([1, 2]), t("b"), *gb([x]), **gb({"q": 4}), r=t("c", 3))


def call_callee(x):
    return gb(show)(t("a", 1), *gb([2]))


def call_nested(x):
    return show(show(gb(1), x), show(x, gb(2)), k=show(gb(3)))


def method_call(x):
    l = [1, 2]
    l.append(gb(3))
    l.extend([gb(x), x])
    return l, l.index(gb(3))


def chained_methods(x):
    return "a,b".replace(gb("a"), "c").split(gb(","))


def boolean(x):
    return (t("a", 0) or gb(0) or t("b", 7)) and (gb(0) and t("never")) or t("z", 5)


def boolean_or_last(x):
    return t("a", 0) or gb(x)


def boolean_and_first(x):
    return gb(x) and t("b", [])


def boolean_not(x):
    return not (gb(x) and gb(0))


def boolean_in_if(x):
    if gb(x) > 1 and (gb(0) or x):
        return "yes"
    return "no"


def conditional(x):
    return (gb(1) if gb(0) else gb(2)) + (t("y", 1) if x else gb(4))


def conditional_test(x):
    return t("a", 5) + (t("b", 1) if gb(x) > 1 else t("c", 2)) + t("d", 7)


def chain_of_comparisons(x):
    return t("a", 1) < gb(2) < t("c", 3) < gb(1) < t("never", 9)


def chain_left(x):
    return gb(1) < t("c", 3)


def chain_true(x):
    return t("z", 0) < gb(1) <= gb(1) != gb(4) in (4, x)


def chain_identity(x):
    a = [x]
    return gb(a) is a is not None, gb(x) in a, gb(7) not in a


def walrus(x):
    return (y := gb(2)) + (y := y + 1) * gb(y) + y


def walrus_in_condition(x):
    if (n := gb(x)) > 1 and (m := n + gb(1)):
        return n, m
    return n


def dict_display(x):
    return {t("k1", 1): gb(2), **t("m", {7: 8}), gb(3): t("v", 4), t("k4", 1): gb(5)}


def dict_merge_broken(x):
    return {t("a", 1): 2, **gb({3: 4}), t("b", 5): 6, **gb({1: x})}


def list_display(x):
    return [t("a", 1), *t("s", Source("s", [2])), gb(3), *gb([4]), t("z", 5)]


def set_display(x):
    return {gb(1), t("b", 2), gb(2), *gb([3])}


def tuple_display(x):
    return (*t("q", Source("q", [5])), gb(6), (gb(x),), ())


def fstring(x):
    return f"{t('a', 1):>{gb(4)}}|{gb('z')!r}|{x + 1}|{gb(2):03}"


def fstring_nested(x):
    return f"<{t('a', 3.14159):{gb(8)}.{gb(3)}f}>{gb(x)=}"


def subscripts(x):
    o = Box("o")
    return o[gb(1)] + o[t("i", 2):gb(3)] + o[gb(1):t("j", 2):gb(1)]


def attributes(x):
    o = Plain(a=Plain(b=3))
    return gb(o).a.b + o.a.b * gb(x)


def assign_value(x):
    o = Box("o")
    o[gb(1)] = t("v", 5)
    o.a = gb(6)
    o[t("i", 1)] = o.b = gb(7)
    return o.a, o[1]


def assign_target(x):
    o = Box("o")
    p = Box("p")
    o[t("i")] = p[gb("j")] = z = t("rhs", 3)
    return z


def assign_target_object(x):
    o = Box("o")
    gb(o).field = t("rhs", x)
    gb(o)[t("i", 1)] = gb(x)
    return o.field


def assign_chain_names(x):
    a = b = [gb(x)]
    a.append(gb(2))
    return a, b, a is b


def assign_annotated(x):
    y: int = gb(x)
    z: int
    o = Box("o")
    o.a: int = gb(3)
    return y, o


def assign_same_name(x):
    x = x + gb(x)
    x = x * gb(2)
    return x


def augmented_name(x):
    x += gb(1)
    x *= 2
    x -= gb(x)
    return x


def augmented_list(x):
    l = [1]
    m = l
    l += [gb(2)]
    l *= gb(2)
    return l, m is l


def augmented_attribute(x):
    o = Box("o")
    o.x += gb(5)
    o.y = 3
    o.y -= t("r", gb(1))
    return o.x


def augmented_item(x):
    o = Box("o")
    o[t("i", 0)] += gb(6)
    o[gb("i2")] += t("r", 1)
    return o


def augmented_plain(x):
    p = Plain(a=[1], b=x)
    d = {"k": 1}
    p.a += [gb(2)]
    p.b **= gb(2)
    d["k"] += gb(x)
    d[gb("k")] -= 4
    return p, d


def augmented_rebinds(x):
    def set_x():
        nonlocal x
        x = 100
        return gb(5)

    x += set_x() + gb(1)
    return x


def unpack(x):
    a, (b, *c), d = gb((1, [2, 3, 4], 5))
    return a, b, c, d


def unpack_into_places(x):
    o = Box("o")
    l = [0, 0]
    o.a, l[t("i", 1)] = gb(1), gb(2)
    return o, l


def unpack_broken_place(x):
    l = [0, 0]
    l[t("i", 0)], l[gb(1)] = t("v", (3, 4))
    return l


def unpack_wrong_length(x):
    a, b = gb((1, 2, 3))
    return a


def swap(x):
    a, b = gb(1), x
    a, b = b, gb(a)
    return a, b


def branches(x):
    if gb(x > 0):
        y = gb(1)
        if y:
            y += gb(2)
        else:
            y = -1
    elif gb(1):
        y = gb(10)
    else:
        y = gb(11)
    return y + gb(1)


def branch_elif(x):
    if x > 100:
        y = gb(1)
    elif gb(0):
        y = gb(2)
    elif x == 2:
        y = gb(3)
    else:
        y = t("else", gb(4))
    return y


def branch_returns(x):
    if x > 0:
        if gb(x):
            return t("r", gb(1))
    return gb(2)


def branch_pass(x):
    if gb(0):
        pass
    else:
        gb(3)
    if x > 0:
        gb(4)
    t("end")


def matched(x):
    match gb([x, 2]):
        case [a, 3]:
            y = gb(a)
        case [a, b] if gb(b) == 2:
            y = gb(a) + b
        case _:
            y = gb(0)
    return y, gb(1)


def loop_unbroken(x):
    total = 0
    for i in range(4):
        total += t(i, i)
    gb(total)
    for i in range(2):
        total += i
    return total


def loop_iterable(x):
    out = []
    for i in gb([1, 2, x]):
        if i == 2:
            continue
        out.append(i)
    else:
        out.append("else")
    return out


def loop_body(x):
    acc = []
    for i in range(4):
        if i == 1:
            gb(i)
            continue
        if i == 3:
            gb(i)
            break
        acc.append(gb(i))
    else:
        acc.append("else")
    return acc, i, gb(x)


def loop_else(x):
    for i in Source("it", [1, 2]):
        x += gb(i)
    else:
        x += gb(100)
    return x


def loop_nested_return(x):
    for i in range(3):
        for j in range(3):
            if gb(i * 3 + j) == 4:
                return i, j
        else:
            x += gb(10)
    return None


def loop_while(x):
    n = 0
    while gb(n) < 3:
        n += 1
        x += n
    else:
        x += gb(50)
    return x, n


def loop_while_continue(x):
    n = 0
    while gb(n) < 4:
        n += 1
        if n == 2:
            continue
        if n == 3:
            break
        x += gb(n)
    else:
        t("never")
    return x, n


def loop_while_true(x):
    while True:
        x += gb(1)
        if x > 4:
            break
    return x


def try_finally(x):
    try:
        x += gb(1)
        x += gb(2)
    finally:
        x += gb(10)
        t("finally")
    return x


def try_return(x):
    try:
        return gb(1)
    finally:
        t("finally")
        gb("f2")


def try_return_overridden(x):
    try:
        return gb(1)
    finally:
        return gb(2)


def try_except(x):
    try:
        gb(1)
        boom()
        t("never")
    except KeyError:
        t("no")
    except ValueError as e:
        x = str(e) + gb("h")
        gb("h2")
    else:
        gb("else")
    finally:
        gb("finally")
    return x


def try_else(x):
    try:
        y = gb(1)
    except ValueError:
        t("no")
    else:
        y += gb(2)
        t("else")
    finally:
        gb("finally")
    return y, x


def try_else_raises(x):
    try:
        try:
            t("body")
        except ValueError:
            t("never: else is not covered")
        else:
            gb(1)
            boom()
        finally:
            t("inner finally")
    except ValueError:
        return gb("outer")


def try_after_break(x):
    try:
        y = gb(x)
        boom(KeyError, "k")
    except KeyError as e:
        return y, e.args
    return 0


def try_reraise(x):
    try:
        try:
            boom()
        except ValueError:
            gb("h")
            raise
        finally:
            gb("f")
    except ValueError as e:
        return type(e.__context__).__name__, gb("outer")


def try_context(x):
    try:
        try:
            boom()
        except ValueError:
            gb("h")
            raise KeyError("k")
    except KeyError as e:
        gb(1)
        return type(e.__context__).__name__


def try_from(x):
    try:
        boom()
    except ValueError as e:
        raise KeyError(gb("k")) from e


def try_names_after(x):
    try:
        gb(0)
        boom()
    except ValueError as e:
        t("handled", e)
    gb(1)
    try:
        return e
    except UnboundLocalError as problem:
        return str(problem)


def try_nested(x):
    try:
        try:
            y = gb(x)
            boom(KeyError)
        except ValueError:
            t("no")
        finally:
            t("inner")
    except KeyError:
        t("outer")
    return gb(y)


def finally_raising(x):
    try:
        try:
            boom()
        finally:
            gb("f")
            t("after")
    except ValueError:
        return gb(1)


def exception_types(x):
    try:
        gb(1)
        boom()
    except (gb(KeyError), ValueError):
        return gb("h")


def raise_after(x):
    y = gb(1)
    raise ValueError(gb(y))


def raise_broken(x):
    raise gb(ValueError)


def raise_from(x):
    raise gb(ValueError("a")) from gb(KeyError("b"))


def error_after_break(x):
    y = {"a": gb(x)}
    return y["b"]


def error_in_operand(x):
    return gb(1) + t("a", "text")


def zero_division(x):
    return gb(1) / (x - x)


def with_block(x):
    with Box("a") as a, Box("b") as b:
        x += gb(1)
        t("in")
        x += gb(2)
    return x + gb(3)


def with_items(x):
    with t("m", Box("a")), gb(Box("b")) as b:
        t("in")
    return gb(1)


def with_first_item(x):
    with gb(Box("a")) as a, Box("b"):
        t("in", a.name)
    return x


def with_exception(x):
    with Box("eat"):
        gb(1)
        boom()
    with Box("keep"):
        gb(2)
        boom()


def with_before_and_after(x):
    y = gb(x)
    with Box("w"):
        y += 1
    return gb(y)


def closure_shared(x):
    n = 0

    def inc():
        nonlocal n
        n += 1
        return n

    inc()
    gb(1)
    inc()
    fs = [lambda: n + i for i in range(2)]
    gb(2)
    inc()
    return n, [g() for g in fs]


def closure_late_binding(x):
    f = lambda: x * y
    y = gb(3)
    a = f()
    y = gb(4)
    x = 7
    return a, f()


def closure_made_before(x):
    def get():
        return x

    x = gb(5)
    return get(), gb(x)


def closure_made_after(x):
    y = gb(x)

    def get(k=gb(2)):
        return y + k

    y += 1
    return get(), get(5)


def closure_parameter(x):
    def put(v):
        nonlocal x
        x = v

    put(gb(9))
    y = x
    put(gb(10))
    return x, y


def closure_recursive(x):
    def down(n):
        return 0 if n == 0 else n + down(n - 1)

    k = gb(3)
    return down(k)


def decorated_inner(x):
    def twice(f):
        return lambda *a: (f(*a), f(*a))

    gb(1)

    @twice
    def g(a):
        return a + x

    return g(gb(2))


def default_arguments(x):
    g = lambda a, b=gb(3), *c, d=gb(4), **e: (a, b, c, d, e)
    return g(gb(1)), g(1, 2, 3, d=5, z=6)


def delete_name(x):
    y = 1
    gb(1)
    del y
    gb(2)
    try:
        return y
    except UnboundLocalError as e:
        return gb(str(e))


def delete_many(x):
    o = Box("o")
    del o[gb(1)], o[gb(2)], o.a
    return 0


def delete_attribute(x):
    o = Plain(a=1, b=2)
    del gb(o).a
    l = [1, 2, 3]
    del l[gb(0)], l[gb(0)]
    return o, l


def unbound_after(x):
    if gb(0):
        z = 1
    gb(1)
    try:
        return z
    except UnboundLocalError as e:
        return str(e)


def unbound_error(x):
    gb(1)
    if x > 100:
        y = 1
    return y


def global_stores(x):
    global g_count
    g_count = gb(x)
    g_count += gb(1)
    return g_count


def global_loads(x):
    a = g_name
    gb(1)
    return a + g_name


def global_seen_by_callee(x):
    global g_name
    g_name = x + 1
    y = gb(g_name)
    g_name = 1
    return y


def comprehension_iterable(x):
    s = [i * x for i in range(gb(3))]
    return [gb(1) + s[-1], sum(y for y in s)]


def comprehension_element(x):
    return [gb(i) + x for i in range(3)], {i: gb(i) for i in range(2)}


def comprehension_condition(x):
    return {i for i in range(4) if gb(i) % 2}, x


def comprehension_walrus(x):
    l = [last := i for i in range(gb(3))]
    return l, last, gb(1)


def comprehension_after(x):
    y = gb(2)
    return [(a, b, y) for a in range(x) for b in range(y) if a != b]


def generator_after(x):
    y = gb(2)
    return sum(i * y for i in range(x + 3)), list(i for i in (y, x))


def asserting(x):
    assert gb(1), "no"
    assert x < gb(0), gb("message")


def assert_passes(x):
    assert gb(x) and x, t("never")
    return x


def lambdas(x):
    g = lambda a, b=gb(3): a + b
    return g(gb(1))


def inner_function_breaks(x):
    def inner(a):
        b = a + 1
        return gb(b) * 2

    return inner(x) + inner(gb(3))


def many_live(x):
    a, b, c = x, x + 1, [x]
    d = {"c": c}
    e = (a, c)
    gb(0)
    c.append(5)
    return a, b, c, d, e, d["c"] is c, e[1] is c


def mutated_argument_objects(x):
    l = [1]
    l.append(2)
    gb(l)
    l.append(3)
    d = {}
    d[gb("k")] = l
    return l, d


def star_args(*args):
    a, *rest = args
    gb(a)
    return rest, show(*args, *gb(rest))


def keyword_only(x, *, k=3, **more):
    gb(k)
    more["z"] = gb(x)
    return k, more


def imports(x):
    import math
    gb(1)
    from os import path as p
    return math.floor(gb(2.5)), p.basename("a/b")


def slices(x):
    l = list(range(8))
    l[gb(1):t("b", 3)] = [gb(9)]
    del l[gb(0):2]
    return l, l[::gb(2)]


def string_building(x):
    s = "a" + gb("b")
    s += gb("c")
    return "%s-%s" % (s, gb(1))


def starred_print(x):
    return show(*[], end=gb("")), gb(1)


def names_that_look_generated(x):
    __v0 = gb(1)
    __r0 = gb(2)
    __t0 = __v0 + gb(3)
    return __v0, __r0, __t0 + gb(4)


def returns_none_early(x):
    if x:
        gb(1)
        return
    return 5


def class_body(x):
    y = gb(1)

    class Inner:
        k = y
        z = gb(2)

    return Inner.k, Inner.z, gb(x)


def method_with_super(x):
    class Derived(Base):
        def area(self, k):
            a = super().area(gb(k))
            return a + super().area(gb(2))

    return Derived().area(x)


def async_free(x):
    return [gb(x)] * 2 + [x for _ in range(gb(1))]


def chain_of_links(x):
    class_ = [1, 2]
    return x < gb(3) < t("c", 5) <= 5, gb(1) in class_ in ([1, 2], t("never")), t("a", 3) > gb(9) > t("never")


def match_subject(x):
    match gb({"k": x}):
        case {"k": 2}:
            return t("two")
        case {"k": v}:
            return v


def function_defaults(x):
    @gb
    def f(a, b=gb(x), *, c=t("c", 4), d=gb(5)):
        return a, b, c, d

    return f(1), (lambda q, r=gb(2), s=t("s"): (q, r, s))(gb(3))


def decorated_with_breaks(x):
    def deco(k):
        return lambda f: lambda *a: (k, f(*a))

    @deco(gb(1))
    @deco(gb(2))
    def f(a, b=gb(3)):
        return a + b + x

    return f(gb(4))


def comprehension_sources(x):
    a = [i + x for i in gb([1, 2])]
    b = {i: j for i in gb((1, 2)) for j in a}
    c = sum(i for i in gb([3]))
    return a, b, c, {i for i in gb(a) if i != 3}


def loop_condition(x):
    n = 0
    while gb(n) + t("m", 1) < 4:
        n += 1
    else:
        t("else")
    while n > 0 and gb(n):
        n -= 1
    return n


def loop_condition_walrus(x):
    n = 5
    while (n := gb(n) - 1) > x:
        t(n)
    return n


def fstring_spec(x):
    return f"{gb(1.5):.2f}", f"{x:>{gb(6)}}", f"{t('a', 2)!r:>4}{gb(7):<{t('w', 3)}}|"


def unbound_shared(x):
    def get():
        return y

    out = []
    gb(1)
    try:
        out.append(get())
    except NameError as e:
        out.append((type(e).__name__, str(e)))
    y = gb(2)
    out.append(get())
    del y
    try:
        out.append(get())
    except NameError as e:
        out.append(str(e))
    return out


def shared_and_augmented(x):
    total = [0]

    def add(k):
        nonlocal total, x
        total += [k]
        x += k
        return x

    total += [gb(1)]
    add(gb(2))
    x *= gb(3)
    a = add(1)
    total.append(gb(x))
    return total, x, a


def shared_two_levels(x):
    def middle():
        def inner():
            nonlocal x
            x += 1
            return x

        return inner

    f = middle()
    a = f()
    gb(x)
    b = f()
    g = middle()
    return a, b, g(), gb(x)


def global_in_inner(x):
    def put():
        global g_name
        g_name = x

    g_name_ = gb(1)
    put()
    y = gb(2)
    return y, g_name, g_name_


def local_named_as_inner_global(x):
    def put():
        global g_count
        g_count = x

    g_count = 5
    gb(g_count)
    put()
    g_count += gb(1)
    return g_count


def loop_variable_after(x):
    for i in range(2):
        pass
    gb(i)
    return i + gb(1)


def starred_targets(x):
    a, *b = gb([1, 2, 3])
    *c, d = b + [gb(4)]
    (e, f), [g] = gb(((1, 2), [3]))
    return a, b, c, d, e, f, g


def conditional_del(x):
    y = [1]
    if x > 0:
        del y
    gb(1)
    try:
        y.append(gb(2))
        return y
    except UnboundLocalError as e:
        return str(e)


def exceptions_chained(x):
    try:
        gb(1)
        {}["missing"]
    except KeyError as first:
        try:
            raise ValueError("second")
        except ValueError as second:
            pair = second.__context__ is first, str(first)
    return pair, gb(2)


def return_in_try(x):
    try:
        if gb(x) > 1:
            return t("big", gb(1))
    except ValueError:
        t("never")
    else:
        t("small")
    finally:
        t("last")
    return gb(3)


def identity_kept(x):
    a = [1]
    b = {"a": a}
    gb(a)
    b["a"].append(2)
    c = (a, b)
    gb(b)
    return a, b, c[0] is a, c[1]["a"] is a
