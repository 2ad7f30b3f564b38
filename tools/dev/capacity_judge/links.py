"""What a PCIe link carries, from the specification alone: rates, bytes that a TLP takes, link-layer packets."""

GIGATRANSFERS = {1: 2.5, 2: 5, 3: 8, 4: 16, 5: 32, 6: 64}  # a lane and second
SKP = 1534 / 1538  # an SKP ordered set takes 4 of 1538 bytes
DLLP = 8  # bytes of an ACK or UpdateFC on the line
REQUEST, COMPLETION = 16, 12  # header bytes: 64-bit addresses


def rate(generation, width):
    """Bytes a second for TLPs and DLLPs: 8b/10b, 128b/130b, and 236 of the 256 B of a FLIT (PCIe Base Spec 6.0, 4.2)."""
    coding = 0.8 if generation <= 2 else 128 / 130 if generation <= 5 else 236 / 256
    return GIGATRANSFERS[generation] * 1e9 * width * coding * SKP / 8


def framing(generation):
    """Bytes around a TLP: framing, sequence number and LCRC. A FLIT has none."""
    return 0 if generation >= 6 else 8


def ack_interval(generation, width, max_payload):
    """Seconds between two ACKs, and between two UpdateFCs (PCIe Base Spec 5.0, tables 2-46..48 and 3-7..9)."""
    small = max_payload <= 256
    if width <= 4:
        factor = 1.4 if small else 1.0
    elif width == 8:
        factor = 2.5 if small else 1.0
    else:
        factor = 3.0 if small else 2.0
    internal = {1: 19, 2: 70}.get(generation, 115)
    symbols = int((max_payload + 28) * factor / width) + internal
    return symbols * (10 if generation <= 2 else 8) / (GIGATRANSFERS[generation] * 1e9)


def dllps(generation, width, max_payload, tlps):
    """Bytes a second of DLLPs that so many TLPs a second cause on the way back, at most."""
    if generation >= 6:
        return 0.0
    return 2 * DLLP * min(tlps, 1 / ack_interval(generation, width, max_payload))
