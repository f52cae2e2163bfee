import type { Api } from '../client.ts'

/** The nodes as one of them knows them; null while none answers. */
export async function nodesSeen(api: Api) {
  try {
    return (await api.nodes.list()).nodes.filter(({ isAlive }) => isAlive)
  } catch {
    return null // the one that was asked is down, or its database is
  }
}

/** Packets in the stream that no node has stored yet; null while nobody can say. */
export async function waitingOf(api: Api): Promise<number | null> {
  const nodes = await nodesSeen(api)
  return nodes === null ? null : nodes.reduce((sum, { packetsWaiting }) => sum + packetsWaiting, 0)
}
