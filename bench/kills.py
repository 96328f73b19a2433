"""1,500 SIGKILLs at random instants of captures: no doubled id, nothing torn, nothing acknowledged lost.

A third of the words is long, for a kill can tear a write only between pages. Run: ``python bench/kills.py [kills]``
"""

import os
import random
import signal
import sys
import time

from racing import NAME_LENGTH, Scene, fork, hear, judge, open_scene, say, sweep

LONG = " and so on" * 2_000


def capture_until_killed(scene: Scene, number: int, tell: int) -> None:
    count = 0
    while True:
        words = f"wrong {number}.{count}" + (LONG if count % 3 == 2 else "")
        if say(scene, words).ack:
            os.write(tell, f"{words[:NAME_LENGTH]}\n".encode())
        count += 1


def main(kills: int = 1500, seed: int = 1) -> int:
    instants = random.Random(seed)
    told: list[str] = []
    with open_scene() as scene:
        started_at = time.perf_counter()
        for number in range(kills):
            pid, read_end = fork(lambda tell, number=number: capture_until_killed(scene, number, tell))
            time.sleep(instants.uniform(0.0005, 0.02))
            os.kill(pid, signal.SIGKILL)
            told += hear(read_end)
            os.waitpid(pid, 0)
        took_s = time.perf_counter() - started_at
        sweep(scene)
        torn = scene.log.with_name("log.yaml.torn")
        torn_bytes = torn.stat().st_size if torn.exists() else 0
        verdicts = judge(scene, told)
    print(
        f"{kills} kills in {took_s:.1f} s: {len(told)} acknowledged, {verdicts.entries} entries, {torn_bytes} bytes "
        f"set aside; {'PASS' if verdicts.is_good else f'FAIL {verdicts}'}"
    )
    return 0 if verdicts.is_good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
