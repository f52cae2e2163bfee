import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { opened } from '../sealing.ts'
import { readConnectors } from '../store/connectors.ts'
import { type RemoteServer, remoteOf, serverOf } from './server.ts'

/** The network servers behind connectors. */
export class RemoteServers {
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Whether the connector has access to one. */
  async has(connectorId: number): Promise<boolean> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    return connector !== undefined && remoteOf(connector.settings) !== 'none'
  }

  /** @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_DISABLED, REMOTE_NOT_SUPPORTED */
  async of(connectorId: number): Promise<RemoteServer> {
    const { db, secrets } = this.#ctx
    const [connector] = await readConnectors(db, [connectorId])
    if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id: connectorId })
    const { kind, settings, enabled } = connector
    if (remoteOf(settings) === 'none') throw new AppError('REMOTE_NOT_SUPPORTED', { id: connectorId })
    if (!enabled) throw new AppError('CONNECTOR_DISABLED', { id: connectorId })
    return serverOf(this.#ctx, opened(secrets, kind, settings))
  }
}
