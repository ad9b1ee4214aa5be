"""A shard that only writes and takes up letters: ``python -m tests.cluster.ground.one_shard WHERE SHARD FOLDER``.

Its records are a file: a line, written at once, for each letter that it took up.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from dowse.cluster.ground import open_ground
from dowse.model.common_ground import CommonGround
from dowse.model.others import Letter
from tests.cluster.ground.places import report

LETTERS = 300


def main(where: str, shard: int, folder: Path) -> None:
    place = where if where.startswith("postgresql") else Path(where)
    ground: CommonGround = open_ground(place, "many", wall=lambda: 1.7e9)
    record = folder / str(shard)
    taken = defaultdict[int, set[int]](set)
    if record.exists():
        whole = record.read_text().rpartition("\n")[0]
        record.write_text(whole + "\n" if whole else "")
        for line in whole.splitlines():
            sender, number = map(int, line.split())
            taken[sender].add(number)
    joined = ground.join(shard)
    member = joined.member
    letters = [Letter(n, (shard + 1 + n % 2) % 3, f"http://{n}.test/", 0, 0.5) for n in range(1, LETTERS + 1)]
    stop = None
    at = 0
    with record.open("a", buffering=1) as file:
        while stop is None:
            ground.post(member, letters[at : at + 20])
            at += 10
            noted = {sender: max(numbers) for sender, numbers in taken.items()}
            for received in ground.receive(member, noted, 25):
                for letter in received.letters:
                    file.write(f"{received.sender} {letter.number}\n")
                    taken[received.sender].add(letter.number)
                noted[received.sender] = received.last
            ground.noted(member, noted)
            ground.want(member, {f"10.0.0.{n}": 0.5 for n in range(5)})
            done = at >= LETTERS and ground.receive(member, noted, 1) == []
            orders = ground.beat(member, report(promises=[0.5] * 10, idle="empty" if done else ""))
            ground.free(member, dict.fromkeys(orders.let_in, 0.0))
            stop = orders.stop
    ground.leave(member, report())
    ground.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
