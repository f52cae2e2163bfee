/** `away`: nothing was sent; `silent`: sent, but nobody knows whether it was taken */
export type Publish = (topic: string, payload: Buffer, qos: 0 | 1) => Promise<'taken' | 'away' | 'silent'>

/** Connections of connectors at work that messages can be published on. */
export class Publishers {
  readonly #byConnector = new Map<number, Publish>()

  /** @returns takes it away again; one that has replaced it stays */
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
