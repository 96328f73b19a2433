"""640 captures, 32 at a time behind a barrier, then one sweep: all ids unique, all counters exact, nothing lost.

Run: ``python bench/append_race.py [captures] [at once]``
"""

import os
import sys
import time

from racing import Scene, fork, hear, judge, open_scene, say, sweep


def run_round(scene: Scene, first: int, at_once: int) -> list[str]:
    """Let *at_once* children capture at one instant; return the words that were acknowledged."""
    gate_read, gate_write = os.pipe()

    def capture(number: int, tell: int) -> None:
        os.close(gate_write)
        os.read(gate_read, 1)  # the barrier: the end of the pipe comes to all at once
        words = f"wrong {number}"
        if say(scene, words).ack:
            os.write(tell, f"{words}\n".encode())

    children = [fork(lambda tell, number=number: capture(number, tell)) for number in range(first, first + at_once)]
    os.close(gate_read)
    os.close(gate_write)
    told = [line for _, read_end in children for line in hear(read_end)]
    for pid, _ in children:
        os.waitpid(pid, 0)
    return told


def main(captures: int = 640, at_once: int = 32) -> int:
    with open_scene() as scene:
        started_at = time.perf_counter()
        told = [line for first in range(0, captures, at_once) for line in run_round(scene, first, at_once)]
        took_s = time.perf_counter() - started_at
        queued = sweep(scene)
        verdicts = judge(scene, told)
    is_good = verdicts.is_good and len(told) == captures and verdicts.entries == captures
    print(
        f"{captures} captures, {at_once} at a time, in {took_s:.1f} s: {len(told)} acknowledged, {queued} through the "
        f"queue, {verdicts.entries} entries; {'PASS' if is_good else f'FAIL {verdicts}'}"
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
