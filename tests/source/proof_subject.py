# Functions to find the source of: imported by path, so that pytest does not rewrite its asserts. Line numbers matter.
# ruff: noqa
import functools


def deco(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


def plain(x):
    return x + 1


@deco
@deco
def decorated(x, y=lambda: 3):
    return x


pair = [lambda x: x + 1, lambda x: x + 2]
same = [lambda: 0, lambda: 0]
nested = lambda: lambda: lambda: 7
in_default = lambda x=(lambda: 1): x() + 1
multi = [
    lambda x: (
        x
        + 1
    ), lambda x: (x +
                  2)]
comprehended = [lambda: i for i in range(2)]
generated = list((lambda: i) for i in range(2))
generator = lambda: (yield 1)
constant = lambda: None


def asserts(x):
    assert x > 0, "positive"
    return x


def outer(a):
    def inner(b):
        return a + b

    return inner, lambda b: a - b


class K:
    __secret = 5
    get = lambda self: self.__secret

    def method(self):
        return self.__secret

    def zero_argument_super(self):
        return super().__init__, __class__

    def maker(self):
        def inner():
            return self.__secret

        return inner, (lambda: self.__secret)

    class Inner:
        def method(self):
            __local = 1
            return __local

    @staticmethod
    def static(x): return x

    @property
    def prop(self):
        return 1


def makes_class():
    class _Local:
        def method(self):
            return self.__x

    return _Local


def sets_global():
    global made_global

    def made_global(x):
        return x


sets_global()


def generator_function():
    yield 1


async def coroutine():
    return 1


async def async_generator():
    yield 1


if True:
    def conditional(): return 1
else:
    def conditional(): return 2

one_line = lambda: 1; other_line = lambda: 2
constants = [lambda: 1, lambda: 2]


def two_closures(a):
    return [lambda x: x + a, lambda x: x - a]
