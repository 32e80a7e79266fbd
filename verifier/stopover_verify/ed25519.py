"""Ed25519 (RFC 8032, section 5.1). With `cryptography`; where that is missing, slow and plain, by itself."""
import hashlib

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None

# Points of the curve -x^2 + y^2 = 1 + d x^2 y^2 modulo P as (x, y).
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add_points(a, b):
    """The curve's law, without a special case: (x1 y2 + x2 y1)/(1 + t), (y1 y2 + x1 x2)/(1 - t), t = d x1 x2 y1 y2."""
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + t, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, -1, P) % P)


def times(n, point):
    """n times the point, by doubling."""
    result = (0, 1)
    while n:
        if n & 1:
            result = add_points(result, point)
        point, n = add_points(point, point), n >> 1
    return result


def point_of(data):
    """y, and in the highest bit whether x is odd; x follows from the curve: x^2 = (y^2 - 1)/(d y^2 + 1). Or None."""
    value = int.from_bytes(data, "little")
    y, odd = value & (2**255 - 1), value >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P:
        return None
    return (P - x if x & 1 != odd else x, y)


BASE = point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed_plainly(key, message, signature):
    r, a = point_of(signature[:32]), point_of(key)
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return r is not None and a is not None and s < ORDER and times(s, BASE) == add_points(r, times(k, a))


def is_signed(key, message, signature):
    """`key`: 32 bytes; `signature`: 64."""
    if Ed25519PublicKey is None:
        return is_signed_plainly(key, message, signature)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
