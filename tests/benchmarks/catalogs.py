"""Price catalogs of any length from a seed: the same rows in the shape of SkyPilot and in our own."""

import random
from collections.abc import Iterator

MODELS = (
    ("H100", "SXM", 80, "2.60"), ("H200", "SXM", 141, "3.40"), ("B200", "SXM", 180, "5.10"),
    ("A100-80GB", "SXM", 80, "1.60"), ("L40S", "", 48, "0.95"), ("L4", "", 24, "0.60"),
    ("RTX4090", "", 24, "0.45"), ("MI300X", "", 192, "2.30"),
)  # name in catalogs, form factor, GB, list price per GPU-hour  # fmt: skip
SKYPILOT = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"
OWN = "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model,region,vram_gb,os"


def _rows(count: int, seed: int) -> Iterator[tuple[str, str, str, int, int, float, str]]:
    draw = random.Random(seed)
    for number in range(count):
        name, form, memory, price = MODELS[number % len(MODELS)]
        size = (1, 2, 4, 8)[number // len(MODELS) % 4]
        sku = f"{name.lower()}{'-' + form.lower() if form else ''}.{size}x.{number}"
        rate = float(price) * draw.uniform(0.7, 1.4)
        yield sku, name, form, memory, size, round(rate * size, 4), f"region-{number % 61}"


def skypilot_catalog(count: int, seed: int = 20261130) -> bytes:
    """Return a SkyPilot `vms.csv` of one seller with as many accelerated rows."""
    lines = [SKYPILOT]
    for sku, name, _, memory, size, price, region in _rows(count, seed):
        info = (
            f"\"{{'Gpus': [{{'Name': '{name}', 'Count': {size}, 'MemoryInfo': {{'SizeInMiB': {memory * 1024}}}}}]}}\""
        )
        lines.append(f"{sku},{name},{size}.0,{size * 16},{size * 120},{price},{region},{info},")
    return ("\n".join(lines) + "\n").encode()


def own_catalog(count: int, seed: int = 20261130) -> bytes:
    """Return our own CSV with as many rows."""
    lines = ["# quotes/1; decimal=point", OWN]
    for sku, name, form, memory, size, price, region in _rows(count, seed):
        model = f"{name.removesuffix('-80GB')} {form}".strip()
        lines.append(f"Acme,{sku},{model},{size},{price},per_instance_hour,USD,on_demand,{region},{memory},linux")
    return ("\n".join(lines) + "\n").encode()
