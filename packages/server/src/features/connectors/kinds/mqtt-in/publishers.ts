/** `away`: nothing was sent; `silent`: sent, but it is not known whether the broker accepted it */
export type Publish = (topic: string, payload: Buffer, qos: 0 | 1) => Promise<'taken' | 'away' | 'silent'>

/** Connections of running connectors that can publish messages. */
export class Publishers {
  readonly #byConnector = new Map<number, Publish>()

  /** @returns a function that removes it again, unless it has been replaced */
  add(connectorId: number, publish: Publish): () => void {
    this.#byConnector.set(connectorId, publish)
    return () => {
      if (this.#byConnector.get(connectorId) === publish) this.#byConnector.delete(connectorId)
    }
  }

  get(connectorId: number): Publish | undefined {
    return this.#byConnector.get(connectorId)
  }
}
