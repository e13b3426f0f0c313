"""The floor: structured code by hand, which computes only what a single element reaches; W4 and W7 have none."""

from types import SimpleNamespace

import numpy as np

from benchmarks.hand import EPS, GRADIENTS, compare

CHUNK_BYTES = 1 << 20


def right(A, W):
    """Return (B,m,k) @ (k,n) as one matrix product."""
    return (A.reshape(-1, A.shape[-1]) @ W).reshape(*A.shape[:-1], W.shape[1])


def softmax_batched(S):
    import numpy as np

    S -= S.max(axis=-1, keepdims=True)
    np.exp(S, out=S)
    S /= S.sum(axis=-1, keepdims=True)
    return S


def structured_W1(c, W1, b1, W2, b2):

    z1 = c.x @ W1 + b1
    h = np.tanh(z1)
    r = h @ W2 + b2 - c.t
    e = EPS * np.array([1.0, -1.0])

    def central(dy):  # dy: (2, ..., n, 1) change of the output
        R = r + dy
        L = np.einsum("...ij,...ij->...", R, R) / r.size
        return (L[0] - L[1]) / (2 * EPS)

    # (2, in, out, n): hidden column `out` under W1[in, out] +- eps
    H = np.tanh(z1.T + e[:, None, None, None] * c.x.T[:, None, :]) - h.T
    Hb = np.tanh(z1.T + e[:, None, None]) - h.T
    return [
        central((H * W2)[..., None]),
        central((Hb * W2)[..., None]),
        central((e[:, None, None] * h.T)[..., None])[:, None],
        central(e[:, None, None, None]),
    ]


def structured_W2(c, W1, b1, W2, b2):

    z1 = c.x @ W1 + b1
    h = np.tanh(z1)
    z = h @ W2 + b2
    z -= z.max(axis=1, keepdims=True)
    n, k = z.shape
    E = np.exp(z)
    pick = np.eye(k)[c.y]  # (n, k)
    e = EPS * np.array([1.0, -1.0])

    def central(dz):  # dz: (2, B, n, k) change of the logits
        picked = np.einsum("...nk,nk->...", dz, pick)
        np.exp(dz, out=dz)
        s = np.einsum("...nk,nk->...n", dz, E)
        L = np.log(s, out=s).mean(axis=-1) - picked / n
        return (L[0] - L[1]) / (2 * EPS)

    g1, g2 = np.empty_like(W1), np.empty_like(W2)
    for j in range(W1.shape[1]):  # (2, in, n): hidden column j
        D = np.tanh(z1[:, j] + e[:, None, None] * c.x.T) - h[:, j]
        g1[:, j] = central(D[..., None] * W2[j])
    gb1 = central((np.tanh(z1.T + e[:, None, None]) - h.T)[..., None] * W2[:, None, :])
    # a column of the logits only: s = S - E[:, m] + E[:, m] * exp(+-eps h)
    S = E.sum(axis=1)
    hT = h.T  # (in, n)
    X = np.expm1(e[:, None, None] * hT)  # (2, in, n)
    for m in range(k):
        L = np.log(S + E[:, m] * X).mean(axis=-1) - (e[:, None, None] * hT) @ pick[:, m] / n
        g2[:, m] = (L[0] - L[1]) / (2 * EPS)
    Lb = np.log(
        S[None, None, :]
        + (E * np.expm1(EPS)).T[None] * np.array([1.0, 0.0])[:, None, None]
        + (E * np.expm1(-EPS)).T[None] * np.array([0.0, 1.0])[:, None, None]
    ).mean(axis=-1)
    Lb -= e[:, None] * pick.mean(axis=0)
    return [g1, gb1, g2, (Lb[0] - Lb[1]) / (2 * EPS)]


def structured_W3(c, *wb):

    Ws, bs, out = wb[::2], wb[1::2], []
    hs, zs = [c.x], []
    for W, b in zip(Ws, bs, strict=True):
        zs.append(hs[-1] @ W + b)
        hs.append(np.tanh(zs[-1]))
    n, d = c.x.shape
    e = EPS * np.array([1.0, -1.0])
    last = len(Ws) - 1
    for i in range(len(Ws)):
        z, hi, ho = zs[i], hs[i], hs[i + 1]
        # W and b of the layer together: rows of `src` are what an element adds to its column
        src = np.concatenate([hi.T, np.ones((1, n))])  # (in+1, n)
        D = np.tanh(z.T + e[:, None, None, None] * src[:, None, :])  # (2, in+1, out, n)
        if i == last:
            L = np.einsum("...n,...n->...", D, D) - (ho * ho).sum(axis=0)
        else:
            D -= ho.T
            L = np.empty(D.shape[:3])
            step = max(1, CHUNK_BYTES // (8 * n * d * d * 2))
            for lo in range(0, src.shape[0], step):  # next layer: a rank-1 change of z
                Z = D[:, lo : lo + step, :, :, None] * Ws[i + 1][:, None, :]
                Z += zs[i + 1]
                np.tanh(Z, out=Z)
                for V, b in zip(Ws[i + 2 :], bs[i + 2 :], strict=True):
                    Z = right(Z, V)
                    Z += b
                    np.tanh(Z, out=Z)
                L[:, lo : lo + step] = np.einsum("...ij,...ij->...", Z, Z)
        g = (L[0] - L[1]) / (2 * EPS)
        out += [g[:-1], g[-1]]
    return out


def structured_W5(c, x):

    X = np.stack([x + EPS, x - EPS])
    L = np.log(1 + np.exp(X)) * np.sin(X) / (1 + X * X)
    return [(L[0] - L[1]) / (2 * EPS)]


def structured_W6(c, Q, K, V):

    S = Q @ K.T / 4
    P = softmax_batched(S.copy())
    O = P @ V
    e = EPS * np.array([1.0, -1.0])
    # Q[i,k]: row i of S
    R = softmax_batched(S[:, None, :] + e[:, None, None, None] * (K.T / 4)) @ V  # (2, i, k, 16)
    L = np.einsum("...j,...j->...", R, R)
    gq = (L[0] - L[1]) / (2 * EPS)
    # K[j,k]: column j of S, so one weight of every row: O_i' = (s_i O_i + u (V_j)) / (s_i + u)
    X = np.expm1(e[:, None, None] * (Q.T / 4))  # (2, k, i)
    U = P.T[:, None, :] * X[:, None]  # (2, j, k, i): relative change of the row sum
    A = (O + U[..., None] * V[:, None, None, :]) / (1 + U)[..., None]  # (2, j, k, i, 16)
    L = np.einsum("...ij,...ij->...", A, A)
    gk = (L[0] - L[1]) / (2 * EPS)
    # V[j,k]: column k of O
    C = O.T + e[:, None, None, None] * P.T[:, None, :]  # (2, j, k, i)
    L = np.einsum("...i,...i->...", C, C)
    return [gq, gk, (L[0] - L[1]) / (2 * EPS)]


FLOORS = {"W1": structured_W1, "W2": structured_W2, "W3": structured_W3, "W5": structured_W5, "W6": structured_W6}


def floor(name, inputs, params):
    """Return a call that checks every element of a workload, None where nobody has written one."""
    if name not in FLOORS:
        return None
    c = SimpleNamespace(**inputs)
    return lambda: compare(GRADIENTS[name](c, *params), FLOORS[name](c, *params))
