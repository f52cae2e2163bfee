import { createHash } from 'node:crypto'

/**
 * The node that shall have a key, by rendezvous hashing: every node computes the same without asking, keys are spread
 * evenly, and when a node comes or goes only its own keys move. Pure.
 * @param nodes names; the order does not matter
 */
export function choose(key: string, nodes: readonly string[]): string | undefined {
  let chosen: string | undefined
  let highest = ''
  for (const node of nodes) {
    const weight = createHash('sha1').update(`${node}\n${key}`).digest('hex')
    if (chosen !== undefined && weight <= highest) continue
    chosen = node
    highest = weight
  }
  return chosen
}
