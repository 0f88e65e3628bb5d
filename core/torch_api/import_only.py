"""Names that only have to exist when a script is imported: annotations, base classes, decorators, handles of libraries.

One table says per module which classes and functions there are and what to use instead; the modules are made from it
when first imported. A class can be subclassed, named in an annotation and asked about with isinstance; making an object
of it, or calling a function, raises NotYetSupported with the nearest thing that exists.
"""

from __future__ import annotations

import types
from typing import Any

from ..errors import NotYetSupported
from .naming import OTHER_NAMES, module_getattr, not_yet

_ONE = "Guardscope runs one process: guard such calls by torch.distributed.is_available()"
_PLAIN = "use ordinary tensors"
_RECORD = "record a session (main.py run) and read times in the window"
_COMPILE = "use torch.compile, which captures the same computation with guards"
_DENSE = "use a dense tensor"
_EXTENSION = "write the computation with torch functions; torch.compile makes kernels of it"
_LOCAL = "download the file yourself and read it with torch.load or safetensors"
_QUANT = "run the model in float32, float16 or bfloat16"

# module -> (classes, functions, what to use instead)
TABLE: dict[str, tuple[str, str, str]] = {
    "torch.fx.proxy": ("Proxy Attribute TracerBase", "", _COMPILE),
    "torch.nested": ("", "nested_tensor as_nested_tensor nested_tensor_from_jagged narrow to_padded_tensor",
                     "pad to one length and pass a mask"),
    "torch.hub": ("", "load load_state_dict_from_url download_url_to_file list help set_dir", _LOCAL),
    "torch.utils.model_zoo": ("", "load_url tqdm", _LOCAL),
    "torch.utils.cpp_extension": ("BuildExtension CUDAExtension CppExtension", "load load_inline include_paths "
                                  "library_paths verify_ninja_availability", _EXTENSION),
    "torch.utils.dlpack": ("", "to_dlpack from_dlpack", "use tensor.numpy() and torch.from_numpy"),
    "torch.utils.tensorboard": ("SummaryWriter FileWriter", "", _RECORD),
    "torch.utils.mobile_optimizer": ("", "optimize_for_mobile", _COMPILE),
    "torch.utils.flop_counter": ("FlopCounterMode", "register_flop_formula", _RECORD),
    "torch.utils._python_dispatch": ("TorchDispatchMode", "return_and_correct_aliasing transform_subclass", _PLAIN),
    "torch.distributed.fsdp": ("FullyShardedDataParallel FSDP CPUOffload MixedPrecision MixedPrecisionPolicy BackwardPrefetch "
                               "ShardingStrategy StateDictType FullStateDictConfig ShardedStateDictConfig FSDPModule "
                               "OffloadPolicy CPUOffloadPolicy FullOptimStateDictConfig", "fully_shard "
                                                                                          "register_fsdp_forward_method",
                               _ONE),
    "torch.distributed.fsdp.wrap": ("ModuleWrapPolicy CustomPolicy", "transformer_auto_wrap_policy size_based_auto_wrap_policy "
                                    "lambda_auto_wrap_policy enable_wrap wrap always_wrap_policy", _ONE),
    "torch.distributed.tensor": ("DTensor Shard Replicate Partial Placement", "distribute_tensor distribute_module "
                                 "init_device_mesh", _ONE),
    "torch.distributed._tensor": ("DTensor Shard Replicate Partial Placement DeviceMesh", "distribute_tensor "
                                  "distribute_module", _ONE),
    "torch.distributed.tensor.parallel": ("ColwiseParallel RowwiseParallel SequenceParallel PrepareModuleInput "
                                          "PrepareModuleOutput ParallelStyle", "parallelize_module loss_parallel", _ONE),
    "torch.distributed.device_mesh": ("DeviceMesh", "init_device_mesh", _ONE),
    "torch.distributed.checkpoint": ("FileSystemReader FileSystemWriter Stateful", "save load async_save", _ONE),
    "torch.distributed.checkpoint.state_dict": ("StateDictOptions", "get_state_dict set_state_dict get_model_state_dict "
                                                "set_model_state_dict get_optimizer_state_dict", _ONE),
    "torch.distributed.rpc": ("RRef", "init_rpc rpc_sync rpc_async remote shutdown", _ONE),
    "torch.distributed.pipelining": ("PipelineStage Schedule1F1B ScheduleGPipe", "pipeline", _ONE),
    "torch.distributed.optim": ("ZeroRedundancyOptimizer DistributedOptimizer", "", _ONE),
    "torch.distributed.nn": ("", "all_reduce all_gather reduce_scatter all_to_all broadcast", _ONE),
    "torch.distributed.nn.functional": ("", "all_reduce all_gather reduce_scatter all_to_all broadcast", _ONE),
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper": ("CheckpointImpl CheckpointWrapper", "checkpoint_wrapper "
                                                                    "apply_activation_checkpointing", _ONE),
    "torch.distributed._functional_collectives": ("", "all_reduce all_gather_tensor reduce_scatter_tensor "
                                                  "all_to_all_single wait_tensor", _ONE),
    "torch.distributed._composable.fsdp": ("MixedPrecisionPolicy FSDPModule", "fully_shard", _ONE),
    "torch.distributed.launch": ("", "main launch run", _ONE),
    "torch.distributed.run": ("", "main run", _ONE),
    "torch.distributed.distributed_c10d": ("ProcessGroup ReduceOp Work Store", "all_reduce all_gather broadcast barrier", _ONE),
    "torch.quantization": ("QConfig PlaceholderObserver", "quantize_dynamic prepare prepare_qat convert fuse_modules "
                           "get_default_qconfig get_default_qat_qconfig default_qconfig propagate_qconfig_ quantize", _QUANT),
    "torch.ao.quantization": ("QConfig QConfigMapping MinMaxObserver HistogramObserver PlaceholderObserver FakeQuantize",
                              "quantize_dynamic prepare prepare_qat convert fuse_modules get_default_qconfig "
                              "get_default_qat_qconfig get_default_qconfig_mapping quantize", _QUANT),
    "torch.ao.nn.quantized": ("Linear Conv2d FloatFunctional QFunctional", "", _QUANT),
    "torch.export": ("ExportedProgram Dim", "export load save register_dataclass", _COMPILE),
    "torch._export": ("", "capture_pre_autograd_graph aot_compile", _COMPILE),
    "torch._inductor": ("", "compile aot_compile aoti_load_package", _COMPILE),
    "torch.package": ("PackageExporter PackageImporter", "", _LOCAL),
    "torch.cuda.nvtx": ("", "", _RECORD),
    "torch.cuda.comm": ("", "broadcast scatter gather reduce_add", _ONE),
    "torch.cuda.memory": ("", "CUDAPluggableAllocator change_current_allocator memory_snapshot", _RECORD),
    "torch.cuda.nccl": ("", "all_reduce version", _ONE),
    "torch.mps": ("", "current_allocated_memory driver_allocated_memory synchronize", "use the CPU"),
    "torch.onnx.symbolic_helper": ("", "cast_pytorch_to_onnx parse_args _get_tensor_dim_size _unimplemented", _COMPILE),
    "torch.onnx.utils": ("", "register_custom_op_symbolic export", _COMPILE),
    "torch.onnx.symbolic_registry": ("", "register_op", _COMPILE),
    "torch.autograd.functional": ("", "jacobian hessian vjp jvp vhp hvp", "gradients do not exist here yet"),
    "torch.autograd.forward_ad": ("", "dual_level make_dual unpack_dual", "gradients do not exist here yet"),
    "torch.autograd.graph": ("Node GradientEdge saved_tensors_hooks save_on_cpu", "", "gradients do not exist here yet"),
    "torch.contrib": ("", "", _PLAIN),
}
TABLE.update({f"torch.onnx.symbolic_opset{n}": ("", "dropout masked_fill softmax layer_norm gelu einsum unsqueeze", _COMPILE)
              for n in range(7, 21)})


def absent_class(name: str, instead: str, module: str = "torch") -> type:
    """A class that can be named, subclassed and asked about; making an object of it raises NotYetSupported."""
    def refuse(cls: type, *args: Any, **kwargs: Any) -> Any:
        raise NotYetSupported(f"{module}.{name} does not exist in Guardscope yet: {instead}.")

    return type(name, (), {"__new__": refuse, "__module__": module})


def known(name: str) -> bool:
    """Whether the table has the module or one below it."""
    return name in TABLE or has_below(name)


def has_below(name: str) -> bool:
    """Whether the table has modules below this one."""
    return any(n.startswith(name + ".") for n in (*TABLE, *OTHER_NAMES))


def module_of(name: str) -> types.ModuleType | None:
    """The module made from the table, a package if others lie below it; None for a name that is not in it."""
    if not known(name):
        return None
    made = types.ModuleType(name, f"{name}: names that only exist to be imported.")
    classes, functions, instead = TABLE.get(name, ("", "", ""))
    space: dict[str, Any] = vars(made)
    for n in classes.split():
        space[n] = absent_class(n, instead, name)
    for n in functions.split():
        space[n] = not_yet(f"{name}.{n}", instead)
    if has_below(name):
        made.__path__ = []
    space["__getattr__"] = module_getattr(space)
    return made
