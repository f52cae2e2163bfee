import type { Nodes } from '../../../../platform/nodes/index.ts'

/** `away`: nothing was sent; `silent`: sent, but it is not known whether the broker accepted it */
export type Published = 'taken' | 'away' | 'silent'
export type Publish = (topic: string, payload: Buffer, qos: 0 | 1) => Promise<Published>

/** Longer than a node waits for the broker. */
const askMs = 15_000

interface Asked {
  topic: string
  /** base64 */
  payload: string
  qos: 0 | 1
}

/** Connections of running connectors that can publish messages, on whatever node they are. */
export class Publishers {
  readonly #nodes: Pick<Nodes, 'ask' | 'answer'>
  readonly #byConnector = new Map<number, Publish>()

  constructor(nodes: Pick<Nodes, 'ask' | 'answer'>) {
    this.#nodes = nodes
  }

  /** @returns a function that removes it again, unless it has been replaced */
  add(connectorId: number, publish: Publish): () => void {
    this.#byConnector.set(connectorId, publish)
    const silence = this.#nodes.answer(subjectOf(connectorId), (question) => {
      const { topic, payload, qos } = question as Asked
      return publish(topic, Buffer.from(payload, 'base64'), qos)
    })
    return () => {
      silence()
      if (this.#byConnector.get(connectorId) === publish) this.#byConnector.delete(connectorId)
    }
  }

  async publish(connectorId: number, topic: string, payload: Buffer, qos: 0 | 1): Promise<Published> {
    const here = this.#byConnector.get(connectorId)
    if (here !== undefined) return here(topic, payload, qos)
    const question: Asked = { topic, payload: payload.toString('base64'), qos }
    const asked = await this.#nodes.ask<Published>(subjectOf(connectorId), question, askMs)
    return asked === 'nobody' ? 'away' : asked === 'silent' ? 'silent' : asked.answer
  }
}

function subjectOf(connectorId: number): string {
  return `mqtt.publish.${connectorId}`
}
