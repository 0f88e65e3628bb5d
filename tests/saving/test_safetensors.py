# safetensors files: round trips, lazily opened files, and files that break the rules of the format.
import json
import random
import struct

import guardscope.core.torch_api as torch
import pytest
from guardscope.core.errors import NotYetSupported
from guardscope.core.torch_api.safetensors import SafetensorError, safe_open
from guardscope.core.torch_api.safetensors.torch import load, load_file, load_model, save, save_file, save_model

DTYPES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64"


def file_of(header, data=b""):
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return struct.pack("<Q", len(text)) + text + data


def entry(shape=(2,), dtype="F32", span=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(span)}


def test_round_trip(tmp_path):
    tensors = {n: torch.arange(6).reshape(2, 3).to(getattr(torch, n)) for n in DTYPES.split()}
    tensors.update({"empty": torch.empty(0, 3), "scalar": torch.tensor(2.5), "é x": torch.ones(1)})
    save_file(tensors, tmp_path / "x.safetensors", {"format": "pt"})
    found = load_file(tmp_path / "x.safetensors")
    assert sorted(found) == sorted(tensors)
    for name, t in tensors.items():
        assert (found[name].dtype, found[name].shape) == (t.dtype, t.shape) and found[name].tolist() == t.tolist()
    found["scalar"].add_(1)                                               # memory of its own, writable
    with safe_open(tmp_path / "x.safetensors", framework="pt") as f:
        assert f.metadata() == {"format": "pt"} and sorted(f.keys()) == sorted(tensors)
        assert f.get_tensor("scalar") == 2.5
        assert f.get_slice("float32")[1:].tolist() == [[3, 4, 5]] and f.get_slice("float32").get_shape() == [2, 3]
        with pytest.raises(SafetensorError, match="does not contain tensor nothing"):
            f.get_tensor("nothing")


def test_the_bytes_are_as_the_format_says():
    data = save({"b": torch.tensor([1.0]), "a": torch.tensor([2], dtype=torch.int64)})
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0
    assert json.loads(data[8:8 + length]) == {"a": entry((1,), "I64"), "b": entry((1,), "F32", (8, 12))}
    assert data[8 + length:] == struct.pack("<q", 2) + struct.pack("<f", 1.0)


def test_what_cannot_be_saved():
    w = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="share memory"):
        save({"a": w, "b": w[1]})
    with pytest.raises(ValueError, match="non contiguous tensor: `a`"):
        save({"a": w.t()})
    with pytest.raises(ValueError, match="expected torch.Tensor"):
        save({"a": 3})
    with pytest.raises(NotYetSupported, match="complex128"):
        save({"a": torch.zeros(1, dtype=torch.complex128)})


def test_models_with_tied_weights(tmp_path):
    def made():
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        net[1].weight = net[0].weight
        return net

    net, other = made(), made()
    save_model(net, tmp_path / "m.safetensors")
    assert load_model(other, tmp_path / "m.safetensors") == ([], [])
    assert other[1].weight is other[0].weight and other[1].weight.tolist() == net[0].weight.tolist()
    with pytest.raises(RuntimeError, match="Missing key"):
        load_model(torch.nn.Sequential(*made(), torch.nn.Linear(1, 1)), tmp_path / "m.safetensors")


@pytest.mark.parametrize(("data", "says"), [
    (b"", "no header"), (b"abc", "no header"), (b"\xff" * 8, "too large"), (struct.pack("<Q", 100) + b"{}", "ends after"),
    (file_of(b"{nonsense"), "no JSON"), (file_of(b"[1]"), "no JSON object"), (file_of(b"\xff\xfe"), "no JSON"),
    (file_of(b"[" * 5000), "no JSON"),
    (file_of({"a": 3}), "needs dtype"), (file_of({"a": {"dtype": "F32"}}), "needs dtype"),
    (file_of({"a": entry(dtype="F99")}, b"\0" * 8), "unknown dtype"),
    (file_of({"a": entry((3,))}, b"\0" * 8), "need 12 bytes, not 8"),
    (file_of({"a": entry((2**62, 2**62))}, b"\0" * 8), "bytes, not 8"),
    (file_of({"a": entry((-2,))}, b"\0" * 8), "whole numbers"), (file_of({"a": entry((2.0,))}, b"\0" * 8), "whole numbers"),
    (file_of({"a": entry(span=(8, 0))}, b"\0" * 8), "not -8"),
    (file_of({"a": entry(span=(8, 16))}, b"\0" * 16), "begins at byte 8"),
    (file_of({"a": entry(), "b": entry(span=(4, 12))}, b"\0" * 12), "begins at byte 4"),
    (file_of({"a": entry()}, b"\0" * 20), "need 8 bytes, and 20 are there"), (file_of({"a": entry()}, b"\0" * 4), "are there"),
    (file_of({"__metadata__": {"x": 3}}), "texts to texts")])
def test_files_that_break_the_rules(data, says, tmp_path):
    with pytest.raises(SafetensorError, match=says):
        load(data)
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(SafetensorError, match=says), safe_open(tmp_path / "x"):
        pass


def test_dtypes_that_are_not_there_yet():
    with pytest.raises(NotYetSupported, match="F8_E4M3"):
        load(file_of({"a": entry((8,), "F8_E4M3")}, b"\0" * 8))


def test_flipped_bytes():
    whole = save({"a": torch.arange(6.0), "b": torch.ones(2, 2, dtype=torch.int64)})
    chance = random.Random(1)
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 4))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            load(bytes(data))
        except (SafetensorError, NotYetSupported):
            pass
