// The stones on a board after some moves, with captures where the game has them: enough of the rules of Go to replay
// legal games.

export function stonesAfter(moves, size, { captures = false, first = 1 } = {}) {
  const stones = new Array(size * size).fill("0");
  moves.forEach((move, number) => {
    if (move >= stones.length) return; // a pass
    const colour = String(number % 2 ? 3 - first : first);
    stones[move] = colour;
    if (!captures) return;
    for (const neighbour of neighbours(move, size)) {
      if (stones[neighbour] !== "0" && stones[neighbour] !== colour) takeOff(stones, neighbour, size);
    }
    takeOff(stones, move, size); // suicide, where it is allowed
  });
  return stones.join("");
}

function neighbours(point, size) {
  const [row, column] = [Math.floor(point / size), point % size];
  return [row > 0 && point - size, row < size - 1 && point + size, column > 0 && point - 1, column < size - 1 && point + 1]
    .filter((neighbour) => neighbour !== false);
}

// Take a group off the board if it has no liberty.
function takeOff(stones, point, size) {
  const group = new Set([point]);
  for (const stone of group) {
    for (const neighbour of neighbours(stone, size)) {
      if (stones[neighbour] === "0") return;
      if (stones[neighbour] === stones[point]) group.add(neighbour);
    }
  }
  for (const stone of group) stones[stone] = "0";
}
