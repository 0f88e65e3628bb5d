# Methods for the differential suite: super(), private names, class cells. Parsed and run as programs.py is.
# ruff: noqa
class Square(Base):
    __factor = 3

    def __init__(self):
        self.__side = 2
        self.kind = "square"

    def area(self, k):
        a = super().area(gb(k))
        b = super().area(2) + gb(a)
        return a, b

    def private(self, k):
        __x = self.__side * gb(k)
        self.__side += gb(1)
        self.__extra = __x
        return __x, self.__side, self.__factor, self.__extra

    def own_class(self, k):
        gb(k)
        return __class__.__name__, gb(1)

    def nested(self, k):
        y = gb(k)

        def inner():
            return self.__factor + y

        y += gb(1)
        return inner(), super().area(y)

    def own_call(self, k):
        a = self.helper(gb(k))
        return a + self.helper(gb(a))

    def helper(self, k):
        return k + self.__side

    @classmethod
    def made(cls, k):
        gb(k)
        return super().make(gb(k + 1))

    @staticmethod
    def static(k):
        return gb(k) + 1
