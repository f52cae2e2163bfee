import { readFileSync } from 'node:fs'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'

export interface NatsSettings {
  /** addresses without user and password, e.g. `nats://10.0.0.1:4222` */
  servers: readonly string[]
  user?: string
  password?: string
  /** files: credentials (JWT and key), certificate of the authority, own certificate and key */
  credentialsFile?: string
  caFile?: string
  certFile?: string
  keyFile?: string
}

/** Large messages need room for their text and for the packet read from it. */
const payloadBytesMin = 4 * 1024 * 1024
const connectMs = 10_000

/**
 * Connects to NATS and checks that it can do what several nodes need.
 * @throws StartError with what to change
 */
export async function connectNats(
  settings: NatsSettings,
  name: string,
  log: Logger,
): Promise<NatsConnection> {
  const nc = await open(settings, name)
  try {
    await demandAble(nc)
  } catch (error) {
    await nc.close()
    throw error
  }
  void logStatus(nc, log)
  return nc
}

async function open(settings: NatsSettings, name: string): Promise<NatsConnection> {
  const { servers, user, password, credentialsFile, caFile, certFile, keyFile } = settings
  const hasTls = caFile !== undefined || servers.some((each) => each.startsWith('tls:'))
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  }
  try {
    return await connect({
      servers: servers.map((each) => each.replace(/^\w+:\/\//, '')),
      name: `leitstand ${name}`,
      timeout: connectMs,
      // Forever: the platform refuses what it cannot keep until NATS is back.
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      pingInterval: 5_000,
      maxPingOut: 2,
      // Else every request, i.e. every packet, makes an error in advance for its stack.
      noAsyncTraces: true,
      ...(user === undefined ? {} : { user, pass: password ?? '' }),
      ...(credentialsFile === undefined
        ? {}
        : { authenticator: credsAuthenticator(readFileSync(credentialsFile)) }),
      ...(hasTls ? { tls } : {}),
    })
  } catch (error) {
    throw new StartError(`NATS at ${servers.join(', ')} cannot be used: ${messageOf(error)}`)
  }
}

async function demandAble(nc: NatsConnection): Promise<void> {
  const allowed = nc.info?.max_payload ?? 0
  if (allowed < payloadBytesMin)
    throw new StartError(
      `NATS accepts messages of ${allowed} bytes; Leitstand needs ${payloadBytesMin}: set max_payload: 4MB in its configuration.`,
    )
  try {
    const jsm = await jetstreamManager(nc)
    await jsm.getAccountInfo()
  } catch (error) {
    throw new StartError(
      `NATS has no JetStream for this account, which keeps the packets: ${messageOf(error)}. Set jetstream { store_dir: … } in its configuration.`,
    )
  }
}

async function logStatus(nc: NatsConnection, log: Logger): Promise<void> {
  for await (const status of nc.status()) {
    if (status.type === 'disconnect') log.warn({ server: status.server }, 'the connection to NATS is lost')
    else if (status.type === 'reconnect') log.info({ server: status.server }, 'connected to NATS again')
    else if (status.type === 'error') log.warn({ err: status.error }, 'NATS reports an error')
  }
}

/**
 * Runs `create` with the replicas that the servers can have: three in a cluster, one on a single server.
 * @throws StartError in a cluster with fewer than three servers
 */
export async function withReplicas<T>(
  nc: NatsConnection,
  create: (replicas: number) => Promise<T>,
): Promise<T> {
  if (nc.info?.cluster === undefined) return create(1)
  try {
    return await create(3)
  } catch (error) {
    throw new StartError(
      `The NATS cluster ${nc.info.cluster} cannot keep three copies: ${messageOf(error)}. It needs three servers with JetStream and enough room.`,
    )
  }
}
