import type { RemoteSystem } from '@leitstand/contract/bridge'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { kinds } from '../kinds/index.ts'
import { settingsOf } from '../sealing.ts'
import { readConnectors } from '../store/connectors.ts'
import type { ConnectorRow } from '../types.ts'
import type { RemoteServer } from './server.ts'

/** The network servers behind connectors. */
export class RemoteServers {
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Whether the connector has access to a network server. */
  async has(connectorId: number): Promise<boolean> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    return connector !== undefined && remoteOf(connector) !== 'none'
  }

  /** @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_DISABLED, REMOTE_NOT_SUPPORTED */
  async of(connectorId: number): Promise<RemoteServer> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id: connectorId })
    const { manage } = kinds[connector.kind]
    if (!manage || remoteOf(connector) === 'none')
      throw new AppError('REMOTE_NOT_SUPPORTED', { id: connectorId })
    if (!connector.enabled) throw new AppError('CONNECTOR_DISABLED', { id: connectorId })
    return manage.serverOf(this.#ctx, settingsOf(this.#ctx.secrets, connector))
  }
}

/** The network server that a connector has access to. */
export function remoteOf({ kind, settings }: Pick<ConnectorRow, 'kind' | 'settings'>): RemoteSystem {
  return kinds[kind].manage?.systemOf(settings) ?? 'none'
}
